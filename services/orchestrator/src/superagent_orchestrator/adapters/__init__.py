"""Outside things that turns talk to."""
