"""fal: pictures and clips of whatever model, through its queue."""
