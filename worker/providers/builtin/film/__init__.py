"""Clips: the scenes and subjects of still pictures, set in motion before a camera."""
