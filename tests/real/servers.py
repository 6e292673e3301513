"""What the runner knows of a server, and how it comes by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path


class NotHere(Exception):
    """This way leads to no server on this machine; the text says why."""


@dataclass(frozen=True)
class Running:
    """A server that answers. `what` is shown in the table: which version it is and where it comes from."""

    url: str
    what: str


Way = Callable[[Path], AbstractContextManager[Running]]
"""Starts an empty server with its data in the folder, and ends it. Raises NotHere before it starts anything."""


@dataclass(frozen=True)
class Server:
    """Tests marked `real(setting)` find its URL under `setting` in the environment, and are skipped without it.

    A setting that is there already names a server that somebody else runs: tests may make and remove in it what has
    names of their own. `ways` are tried in order.
    """

    name: str
    setting: str
    ways: tuple[Way, ...]


@contextmanager
def started(server: Server, folder: Path) -> Iterator[Running]:
    """The server of the environment, or the first that one of the ways starts. Raises NotHere with all reasons."""
    given = os.environ.get(server.setting)
    if given:
        yield Running(given, f"as {server.setting} says")
        return
    reasons = [f"{server.setting} is not set"]
    with ExitStack() as stack:
        for way in server.ways:
            try:
                running = stack.enter_context(way(folder))
                break
            except NotHere as missing:
                reasons.append(str(missing))
        else:
            raise NotHere("; ".join(reasons))
        yield running
