"""Services that work in jobs: created by one request, asked about by others, their results fetched by address."""
