"""Engines behind the broadcaster port."""
