"""Replicate: pictures and clips of whatever model, as predictions."""
