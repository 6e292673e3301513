"""Which address of a host is connected to, on both event loops."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvloop

from superagent_common.llm.happy_eyeballs import Address, connected_socket, first_connected, in_turns

on_both_loops = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])


@pytest.fixture
def listening() -> Iterator[Address]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield Address(socket.AF_INET, server.getsockname())


@pytest.fixture
def refusing() -> Iterator[Address]:
    """Bound, so that nobody else takes the port, but not listening."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield Address(socket.AF_INET, bound.getsockname())


@on_both_loops
def test_an_address_that_refuses_is_passed_over(
    run: Callable[[Any], socket.socket], refusing: Address, listening: Address
) -> None:
    with run(first_connected([refusing, listening])) as connected:
        assert connected.getpeername() == listening.where


@on_both_loops
def test_when_all_addresses_refuse_the_refusal_is_raised(run: Callable[[Any], object], refusing: Address) -> None:
    with pytest.raises(ConnectionRefusedError):
        run(first_connected([refusing, refusing]))


@on_both_loops
def test_a_host_is_looked_up(run: Callable[[Any], socket.socket], listening: Address) -> None:
    with run(connected_socket("localhost", listening.where[1])) as connected:
        assert connected.getpeername() == listening.where


def test_families_take_turns_in_the_order_of_the_lookup() -> None:
    sixes = [Address(socket.AF_INET6, (f"2001:db8::{number}", 443, 0, 0)) for number in range(3)]
    fours = [Address(socket.AF_INET, ("192.0.2.1", 443))]
    assert in_turns([*sixes, *fours]) == [sixes[0], fours[0], sixes[1], sixes[2]]
