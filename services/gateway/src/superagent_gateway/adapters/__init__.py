"""Outside things that the gateway talks to."""
