"""What stops a start, told in one line."""

from __future__ import annotations


class StartFailed(Exception):
    """The message is one line that a person can act on; `make run` prints it and exits with 1."""
