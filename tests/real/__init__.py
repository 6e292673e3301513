"""What runs the tests marked `real` on real servers: `make test-real`."""
