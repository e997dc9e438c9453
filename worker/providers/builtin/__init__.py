"""The built-in generator: procedural pictures for every image asset type, offline and deterministic."""
