"""Connects to the address of a host that works (RFC 8305), as asyncio's `happy_eyeballs_delay`, which uvloop has not."""

from __future__ import annotations

import asyncio
import socket
from asyncio.staggered import staggered_race
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

_NEXT_ADDRESS_SECONDS = 0.25


class Address(NamedTuple):
    """As `socket.getaddrinfo` gives them."""

    family: int
    where: tuple[Any, ...]


async def connected_socket(host: str, port: int) -> socket.socket:
    """A non-blocking socket connected to a host. Raises OSError when none of its addresses takes the connection."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return await first_connected(in_turns([Address(family, where) for family, _, _, _, where in found]))


def in_turns(addresses: Sequence[Address]) -> list[Address]:
    """One of each family after the other: a host may have many of IPv6, and the way there may be broken."""
    families: dict[int, list[Address]] = {}
    for address in addresses:
        families.setdefault(address.family, []).append(address)
    return [address for row in zip_longest(*families.values()) for address in row if address]


async def first_connected(addresses: Sequence[Address]) -> socket.socket:
    """The first socket that connects; the next address is tried when one fails, or is silent for a quarter of a second.

    Raises what the first address failed with when all fail.
    """
    winner: socket.socket | None
    winner, _, failures = await staggered_race(
        [partial(_connected, address) for address in addresses], _NEXT_ADDRESS_SECONDS
    )
    if winner is None:
        raise next(failure for failure in failures if failure)
    return winner


async def _connected(address: Address) -> socket.socket:
    connecting = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        connecting.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connecting, address.where)
    except BaseException:
        connecting.close()
        raise
    return connecting
