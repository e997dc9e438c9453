"""Luma Dream Machine: Ray films from words."""
