"""Versions of the tables, in order."""
