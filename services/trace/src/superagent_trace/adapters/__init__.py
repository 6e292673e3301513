"""Outside things that trace talks to."""
