"""The retrieval service: what evidence answers a question."""
