"""Periodic duties, one a file."""
