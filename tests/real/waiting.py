"""Waiting for a server to answer."""

from __future__ import annotations

import socket
import time

import httpx


def answer_of(url: str, seconds: float = 60) -> httpx.Response:
    """The first good answer of a URL. Raises TimeoutError when there is none in time."""
    last = "nothing"
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            answer = httpx.get(url, timeout=5, trust_env=False)
            if answer.is_success:
                return answer
            last = str(answer.status_code)
        except httpx.TransportError as error:
            last = repr(error)
        time.sleep(0.1)
    raise TimeoutError(f"{url} did not answer in {seconds} s: {last}")


def listening(address: str, seconds: float = 60) -> None:
    """Waits until host:port takes connections. Raises TimeoutError when it does not in time."""
    host, _, port = address.rpartition(":")
    until = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
            return
        except OSError as error:
            if time.monotonic() > until:
                raise TimeoutError(f"nothing listens at {address}") from error
        time.sleep(0.1)
