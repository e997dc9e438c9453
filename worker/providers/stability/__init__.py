"""Stability AI's image services."""
