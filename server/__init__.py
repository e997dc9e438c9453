"""The process: composition root, routes and command line."""
