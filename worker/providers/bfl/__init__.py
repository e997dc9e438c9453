"""Black Forest Labs: FLUX paints."""
