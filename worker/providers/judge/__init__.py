"""A vision model that looks at what was made: whether it shows what was asked for, in the style of its project."""
