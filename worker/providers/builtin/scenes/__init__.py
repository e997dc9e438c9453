"""Pictures that fill their frame: backgrounds, tiles, portraits, interface parts."""
