"""Several server processes on one database: who is alive, and what they tell each other."""
