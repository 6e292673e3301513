"""The doors: HTTP for everybody, ConfigService for the other services."""
