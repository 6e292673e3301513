"""Ports of 127.0.0.1 for servers that tests start: not among those that outgoing connections take, and nobody else's."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

from dev.ports import PortBook

_folder = tempfile.TemporaryDirectory(prefix="superagent-tests-")
_book = PortBook(Path(_folder.name) / "ports.json")
_numbers = itertools.count()


def own_port() -> int:
    """A free one, another with each call, and claimed from all other test runs until this process ends."""
    return _book.port(str(next(_numbers)))
