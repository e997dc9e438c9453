"""Words, English and Chinese, and what the generator makes of them."""
