"""Use cases of uploads, documents and their jobs."""
