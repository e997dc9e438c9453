"""What providers are asked for and what it costs: counted by day, held against monthly budgets."""
