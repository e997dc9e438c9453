"""Doing the work: queue, pool, pipeline, providers, exporters. Never sees GraphQL or HTTP requests."""
