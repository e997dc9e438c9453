"""Checks that measure a picture, one kind a file; pure, run in the process pool."""
