"""pytest plugin: no test reaches anything but this machine, and no test finds the key of a real provider.

Every connection and name look-up that Python's sockets make passes an audit hook: those that lead outside are refused
and fail the test, even when the code under test swallows the error. What opens sockets in native code (gRPC, uvloop,
child processes) finds dead proxies in its environment instead; loopback is exempt from them. So are the hosts of real
servers that somebody named for the tests that need them.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest

_CREDENTIAL_PREFIXES = ("LLM_", "OPENAI_", "EMBEDDING_")
_UNWANTED_SUFFIXES = ("_API_KEY", "_PROXY")
_DEAD_PROXY = "http://127.0.0.1:9"
# gRPC reads the first, everything else the second; one variable each keeps httpx from making a TLS context per scheme.
_DEAD_PROXIES = ("grpc_proxy", "all_proxy")
_LOCAL_NAMES = "127.0.0.1,::1,localhost"
ALLOWED_HOSTS = "TEST_REAL_HOSTS"
"""Environment variable with the hosts of real servers, with commas between."""

_attempts: list[str] = []
_active = False
_environment_before: dict[str, str] = {}


class OutsideNetwork(OSError):
    """A test tried to leave this machine."""


def take_attempts() -> list[str]:
    """What was refused since the last look; forgets it. For the guard's own tests."""
    taken = list(_attempts)
    _attempts.clear()
    return taken


def pytest_configure(config: pytest.Config) -> None:
    global _active
    _environment_before.update(os.environ)
    for name in tuple(os.environ):
        if name.upper().startswith(_CREDENTIAL_PREFIXES) or name.upper().endswith(_UNWANTED_SUFFIXES):
            del os.environ[name]
    for name in _DEAD_PROXIES:
        os.environ[name] = os.environ[name.upper()] = _DEAD_PROXY
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join((_LOCAL_NAMES, *_allowed_hosts()))
    if not _active:
        sys.addaudithook(_audit)
    _active = True


def pytest_unconfigure(config: pytest.Config) -> None:
    # An audit hook cannot be taken away: it looks at this flag.
    global _active
    _active = False
    os.environ.clear()
    os.environ.update(_environment_before)


@pytest.fixture(autouse=True)
def no_outside_network() -> Iterator[None]:
    yield
    attempts = take_attempts()
    if attempts:
        pytest.fail(f"tried to leave this machine: {', '.join(attempts)}")


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active or not event.startswith("socket."):
        return
    match event:
        case "socket.connect" | "socket.sendto" | "socket.sendmsg":
            opened, address = arguments
            if opened.family not in (socket.AF_INET, socket.AF_INET6) or address is None:
                return
            host = address[0]
        case "socket.getaddrinfo" | "socket.gethostbyname":
            host = arguments[0]
            if _is_address(host):
                return
        case _:
            return
    if not _is_local(host):
        _attempts.append(f"{event} {host!r}")
        raise OutsideNetwork(f"{event} to {host!r} is refused: tests stay on this machine")


def _is_address(host: object) -> bool:
    try:
        ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return True


def _is_local(host: object) -> bool:
    if host is None:
        return True
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name in _allowed_hosts():
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name in ("", "localhost", socket.gethostname()) or name.endswith(".localhost")
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback or address.is_unspecified


def _allowed_hosts() -> list[str]:
    return list(filter(None, os.environ.get(ALLOWED_HOSTS, "").split(",")))
