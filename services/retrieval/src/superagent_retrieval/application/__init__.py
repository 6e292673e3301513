"""Use cases of retrieval: search, index, look up."""
