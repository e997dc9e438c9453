"""Speaking HTTP with the services and servers that generate."""
