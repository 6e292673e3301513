"""Ports on 127.0.0.1: free ones, remembered in the data folder so that a restarted server keeps its address."""

from __future__ import annotations

import fcntl
import json
import os
import random
import socket
import tempfile
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
    """Gives each name its port: the remembered one while it is free, otherwise a new one.

    A port is claimed from all other books of this user until `close`: seconds pass before its server listens.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._remembered: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
        self._given: dict[str, int] = {}
        self._claims = Path(tempfile.gettempdir()) / f"superagent-ports-{os.getuid()}"
        self._claims.mkdir(mode=0o700, exist_ok=True)
        self._claimed: list[int] = []

    def port(self, name: str, also_free: int = 0) -> int:
        """The port of `name`; with `also_free`, port + also_free is free too. The same answer for this book's life.

        Raises OSError when no free port is found.
        """
        if name not in self._given:
            self._given[name] = self._choose(self._remembered.get(name), also_free)
            self._remembered[name] = self._given[name]
            scratch = self._path.with_suffix(".tmp")
            scratch.write_text(json.dumps(self._remembered, indent=1))
            scratch.replace(self._path)
        return self._given[name]

    def close(self) -> None:
        """Lets others have the ports."""
        while self._claimed:
            os.close(self._claimed.pop())

    def _choose(self, remembered: int | None, also_free: int) -> int:
        candidates = [random.randint(_FIRST, _LAST) for _ in range(_TRIES)]
        for port in candidates if remembered is None else [remembered, *candidates]:
            if is_free(port) and (not also_free or is_free(port + also_free)) and self._claim(port):
                return port
        raise OSError(f"no free port between {_FIRST} and {_LAST} on 127.0.0.1")

    def _claim(self, port: int) -> bool:
        """A lock that goes with this process, however it ends; False when this or another book has it."""
        claim = os.open(self._claims / str(port), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(claim)
            return False
        self._claimed.append(claim)
        return True
