"""Kling films in jobs."""
