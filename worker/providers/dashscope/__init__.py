"""Alibaba's DashScope (Model Studio): Wan paints and films in jobs."""
