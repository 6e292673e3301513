"""The orchestrator service: a turn from question to `done`."""
