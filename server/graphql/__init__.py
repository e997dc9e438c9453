"""GraphQL over HTTP and over WebSocket: the transports, without the schema."""
