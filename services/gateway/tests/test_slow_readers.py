"""Viewers that do not read: what waits for them is bounded, whatever the turn says."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator

import pytest
from websockets.frames import Frame, Opcode

from services.gateway.tests.gateway_fakes import TURN, a_turn
from services.gateway.tests.gateway_rig import Rig, served
from services.gateway.tests.test_http_protocol import connected
from superagent.orchestrator.v1 import events_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import StreamTurnRequest
from superagent_gateway import socket_protocol

EVENT_BYTES = 20_000
# The sockets of both sides, the transport's buffer, and what the loop takes in one go.
BOUND_BYTES = 8 * 1024 * 1024


class Flood:
    """A turn that says as much as is taken from it."""

    def __init__(self, rig: Rig) -> None:
        self.taken = 0
        self.left = asyncio.Event()
        self._delta = events_pb2.Delta(text="a" * EVENT_BYTES)
        rig.orchestrator.events[TURN] = []
        rig.orchestrator.following = self.following  # type: ignore[method-assign]

    async def following(self, request: StreamTurnRequest) -> AsyncIterator[events_pb2.TurnEvent]:
        try:
            yield a_turn()[0]
            while self.taken < 100_000:
                self.taken += 1
                yield events_pb2.TurnEvent(turn_id=TURN, sequence=self.taken + 1, delta=self._delta)
                await asyncio.sleep(0)
        finally:
            self.left.set()


def request_of(door: str, rig: Rig) -> bytes:
    token = b"authorization: " + rig.as_()["authorization"].encode() + b"\r\n"
    if door == "sse":
        return b"GET /api/v1/turns/" + TURN.encode() + b"/events HTTP/1.1\r\nhost: gateway\r\n" + token + b"\r\n"
    upgrade = b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
    key = b"sec-websocket-key: " + base64.b64encode(b"0123456789abcdef") + b"\r\n"
    return b"GET /api/v1/ws HTTP/1.1\r\nhost: gateway\r\n" + token + upgrade + key + b"\r\n"


@pytest.mark.parametrize("door", ["sse", "websocket"])
async def test_who_reads_nothing_holds_up_only_its_own_stream_and_is_let_go(rig: Rig, door: str) -> None:
    flood = Flood(rig)
    async with served(rig, stall_seconds=1) as url, connected(url, receive_bytes=4096) as (reader, writer):
        writer.write(request_of(door, rig))
        await reader.readuntil(b"\r\n\r\n")
        if door == "websocket":
            resume = json.dumps({"type": "chat.resume", "turn_id": TURN}).encode()
            writer.write(Frame(Opcode.TEXT, resume).serialize(mask=True))
        async with asyncio.timeout(120):
            await flood.left.wait()
    assert 0 < flood.taken * EVENT_BYTES < BOUND_BYTES


async def test_a_slow_reader_that_wakes_up_finds_all_that_was_sent_and_why_it_ended(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long the reader, in this same loop, takes to read it all.
    monkeypatch.setattr(socket_protocol, "_LINGER_SECONDS", 60.0)
    flood = Flood(rig)
    # The connection is full well before a ping, which nobody answers here, is given up: after twice that.
    async with served(rig, stall_seconds=5) as url, connected(url) as (reader, writer):
        writer.write(request_of("websocket", rig))
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            Frame(Opcode.TEXT, json.dumps({"type": "chat.resume", "turn_id": TURN}).encode()).serialize(mask=True)
        )
        async with asyncio.timeout(120):
            await flood.left.wait()
            rest = await reader.read()
    # The close frame: opcode 8, its length, 1013, the reason.
    assert rest.endswith(b"\x88\x12" + (1013).to_bytes(2, "big") + b"too slow: resume")
    assert rest.count(b'"sequence":') >= flood.taken - 1
