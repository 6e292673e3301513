"""The database of a small service that keeps notes, produces events and consumes them."""
