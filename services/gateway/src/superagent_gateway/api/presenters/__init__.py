"""Contract messages → JSON: snake_case, enum prefixes stripped, RFC 3339 times, optional fields left out when absent.

Each function gives a dict whose keys always come in the same order, so that the same message is the same bytes.
"""
