"""AUTOMATIC1111, Forge and others with the same API."""
