"""Objects of the API, each built from its row."""
