"""The agent-executor service: runs plans."""
