"""Input objects, each turned into the request that the domain takes."""
