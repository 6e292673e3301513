"""What is no request, what is too large a one, and clients that stand still, byte by byte."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from services.gateway.tests.gateway_fakes import a_turn
from services.gateway.tests.gateway_rig import TURN, Feed, Rig, served
from superagent.orchestrator.v1 import events_pb2
from superagent_gateway.http_protocol import HEAD_BYTES

GET = b"GET /api/v1/auth/me HTTP/1.1\r\nhost: x\r\n"
POST = b"POST /api/v1/chat HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connected(url: str, receive_bytes: int = 0) -> AsyncIterator[Wire]:
    host, _, port = url.removeprefix("http://").partition(":")
    client = socket.socket()
    if receive_bytes:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    client.setblocking(False)
    await asyncio.get_running_loop().sock_connect(client, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=client)
    try:
        yield reader, writer
    finally:
        writer.close()


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(120):
        return await reader.read()


async def pours_until_closed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    """Sends letters until the server takes no more; gives the bytes that were sent. Raises TimeoutError."""
    sent = 0
    async with asyncio.timeout(120):
        with suppress(ConnectionError):
            while not writer.transport.is_closing():
                writer.write(b"a" * 4096)
                await writer.drain()
                sent += 4096
                await asyncio.sleep(0)
    return sent


def assert_refused(rig: Rig, answer: bytes, status: int, reason: str) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    line, *headers = head.decode().split("\r\n")
    named = dict(header.split(": ", 1) for header in headers)
    problem = json.loads(body)
    assert line.split(" ")[1] == str(status) == str(problem["status"]), line
    assert (problem["reason"], named["content-type"]) == (reason, "application/problem+json")
    assert (named["connection"], named["content-length"]) == ("close", str(len(body)))
    assert named["x-content-type-options"] == "nosniff"
    assert len(problem["trace_id"]) == 32 and problem["trace_id"] in named["traceresponse"]


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"FOO / HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET / HTTP/9.9\r\nhost: x\r\n\r\n",
        b"GET /\xe4\xb8\xad HTTP/1.1\r\nhost: x\r\n\r\n",
        POST + b"content-length: two\r\n\r\n{}",
        POST + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    ],
    ids=["tls", "method", "version", "path", "length", "two lengths", "chunk"],
)
async def test_what_is_no_request_is_a_problem_too(rig: Rig, sent: bytes) -> None:
    async with served(rig) as url, connected(url) as (reader, writer):
        writer.write(sent)
        assert_refused(rig, await until_closed(reader), 400, "malformed_request")


@pytest.mark.parametrize(
    "sent",
    [
        GET + b"x: " + b"a" * HEAD_BYTES + b"\r\n\r\n",
        GET + b"x: y\r\n" * HEAD_BYTES + b"\r\n",
        b"GET /" + b"a" * HEAD_BYTES + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
    ids=["one header", "many headers", "path"],
)
async def test_a_head_has_a_size(rig: Rig, sent: bytes) -> None:
    async with served(rig) as url, connected(url) as (reader, writer):
        writer.write(sent)
        assert_refused(rig, await until_closed(reader), 431, "head_too_large")


@pytest.mark.parametrize(
    "begin",
    [GET + b"x: ", POST + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx: "],
    ids=["header", "trailer"],
)
async def test_what_has_no_end_is_not_collected(rig: Rig, begin: bytes) -> None:
    async with served(rig) as url, connected(url) as (reader, writer):
        writer.write(begin)
        assert await pours_until_closed(reader, writer) < 20 * 1024 * 1024


async def test_what_still_arrives_does_not_take_the_refusal_away(rig: Rig) -> None:
    async with served(rig) as url, connected(url) as (reader, writer):
        writer.write(b"FOO / HTTP/1.1\r\n" + b"a" * 900_000)
        assert_refused(rig, await until_closed(reader), 400, "malformed_request")


async def test_a_head_that_does_not_come_is_not_waited_for(rig: Rig) -> None:
    async with served(rig, stall_seconds=0.05) as url, connected(url) as (reader, writer):
        writer.write(GET)
        assert_refused(rig, await until_closed(reader), 408, "request_too_slow")


async def test_who_connects_and_says_nothing_is_let_go(rig: Rig) -> None:
    async with served(rig, stall_seconds=0.05) as url, connected(url) as (reader, _):
        assert await until_closed(reader) == b""


async def test_no_refusal_is_written_into_an_answer(rig: Rig) -> None:
    feed = Feed(rig)
    feed.waiting.put_nowait(a_turn("one")[0])
    token = rig.as_()["authorization"].encode()
    async with served(rig) as url, connected(url) as (reader, writer):
        writer.write(POST + b"authorization: " + token + b"\r\ncontent-length: 16\r\n\r\n" + b'{"message":"hi"}')
        begun = await reader.readuntil(b"event: accepted\n")
        writer.write(b"\x00\x00 no request\r\n\r\n")
        rest = await until_closed(reader)
        await feed.left.wait()
    assert begun.count(b"HTTP/1.1") == 1
    assert b"HTTP/1.1" not in rest and b"malformed" not in rest


async def test_a_request_behind_a_long_answer_is_not_late(rig: Rig) -> None:
    feed = Feed(rig)
    events = a_turn("one")
    feed.waiting.put_nowait(events[0])
    token = b"authorization: " + rig.as_()["authorization"].encode() + b"\r\n"
    async with served(rig, stall_seconds=2) as url, connected(url) as (reader, writer):
        writer.write(POST + token + b"content-length: 16\r\n\r\n" + b'{"message":"hi"}' + GET[:20])
        await reader.readuntil(b"event: accepted\n")
        # Heartbeats tell that time passes: several of them are longer than the patience.
        for _ in range(50):
            await reader.readuntil(b": heartbeat")
        for event in events[1:]:
            feed.waiting.put_nowait(event)
        await reader.readuntil(b"0\r\n\r\n")
        writer.write(GET[20:] + b"connection: close\r\n\r\n")
        assert (await until_closed(reader)).startswith(b"HTTP/1.1 401")


async def test_a_viewer_that_reads_nothing_is_let_go(rig: Rig) -> None:
    feed = Feed(rig)
    token = rig.as_()["authorization"].encode()
    async with served(rig, stall_seconds=1) as url, connected(url, receive_bytes=4096) as (_, writer):
        writer.write(POST + b"authorization: " + token + b"\r\ncontent-length: 16\r\n\r\n" + b'{"message":"hi"}')
        async with asyncio.timeout(120):
            for sequence in range(1, 200):
                delta = events_pb2.Delta(text="a" * 100_000)
                feed.waiting.put_nowait(events_pb2.TurnEvent(sequence=sequence, delta=delta))
            await feed.left.wait()


async def test_a_client_of_http_1_0_gets_a_stream_and_a_problem_without_chunks(rig: Rig) -> None:
    rig.orchestrator.events[TURN] = a_turn("Two years.")
    token = rig.as_()["authorization"].encode()
    head = b"POST /api/v1/chat HTTP/1.0\r\ncontent-type: application/json\r\n"
    async with served(rig) as url:
        async with connected(url) as (reader, writer):
            writer.write(head + b"authorization: " + token + b"\r\ncontent-length: 16\r\n\r\n" + b'{"message":"hi"}')
            told, _, events = (await until_closed(reader)).partition(b"\r\n\r\n")
        async with connected(url) as (reader, writer):
            writer.write(head + b"content-length: 2\r\n\r\n{}")
            refused = await until_closed(reader)
    assert told.startswith(b"HTTP/1.1 200") and b"transfer-encoding" not in told.lower()
    assert events.startswith(b"event: accepted\nid: 1\n") and events.endswith(b"}\n\n")
    assert refused.startswith(b"HTTP/1.1 401") and refused.endswith(b"}")
