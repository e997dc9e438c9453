"""Webhooks: who is told how tasks ended, and what became of telling them."""
