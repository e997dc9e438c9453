"""Where files live: keys, signed addresses, the local folder."""
