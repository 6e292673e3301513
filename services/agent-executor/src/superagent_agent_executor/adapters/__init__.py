"""Outside things that the executors talk to."""
