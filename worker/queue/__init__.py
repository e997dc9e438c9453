"""Engines behind the queue port."""
