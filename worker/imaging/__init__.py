"""Picture work on Pillow and NumPy; runs in the process pool, never on the event loop."""
