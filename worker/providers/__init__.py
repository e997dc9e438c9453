"""Whatever makes pictures: the built-in generator and, one file each, the services."""
