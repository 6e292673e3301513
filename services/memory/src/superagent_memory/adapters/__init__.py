"""Outside things that memory talks to."""
