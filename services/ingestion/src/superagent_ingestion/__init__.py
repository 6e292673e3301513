"""The ingestion service: a document's life from upload to deletion."""
