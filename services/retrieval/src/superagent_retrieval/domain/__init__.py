"""What a person may find, how hits become evidence, and what of it fits."""
