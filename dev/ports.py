"""Ports on 127.0.0.1: free ones, remembered in the data folder so that a restarted server keeps its address."""

from __future__ import annotations

import json
import random
import socket
from pathlib import Path

# Below the ephemeral range of Linux (32768) and macOS (49152), where an outgoing connection could take the port of a
# server that is down for a moment; 10000 of room above for SeaweedFS, which derives one port from another.
_FIRST, _LAST = 12_000, 21_999
_TRIES = 1_000


def is_free(port: int) -> bool:
    """Whether a server could listen on 127.0.0.1:port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: connections of an earlier listener that linger in TIME_WAIT are no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen(1)
        except OSError:
            return False
    return True


class PortBook:
    """Gives each name its port: the remembered one while it is free, otherwise a new one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._remembered: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
        self._given: dict[str, int] = {}

    def port(self, name: str, also_free: int = 0) -> int:
        """The port of `name`; with `also_free`, port + also_free is kept free too. The same answer for this book's life.

        Raises OSError when no free port is found.
        """
        if name not in self._given:
            self._given[name] = self._choose(self._remembered.get(name), also_free)
            self._remembered[name] = self._given[name]
            scratch = self._path.with_suffix(".tmp")
            scratch.write_text(json.dumps(self._remembered, indent=1))
            scratch.replace(self._path)
        return self._given[name]

    def _choose(self, remembered: int | None, also_free: int) -> int:
        taken = set(self._given.values())
        candidates = [random.randint(_FIRST, _LAST) for _ in range(_TRIES)]
        for port in candidates if remembered is None else [remembered, *candidates]:
            if port not in taken and is_free(port) and (not also_free or is_free(port + also_free)):
                return port
        raise OSError(f"no free port between {_FIRST} and {_LAST} on 127.0.0.1")
