"""Things that can be drawn: creatures, people, items, props."""
