"""Jobs at asynchronous providers: asking how they stand, and cancelling those that nobody wants any more."""
