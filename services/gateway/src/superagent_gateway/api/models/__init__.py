"""Bodies and answers of the HTTP API, as OpenAPI shows them."""
