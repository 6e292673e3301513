"""What memory decides: pure functions over conversations."""
