"""Over a real connection: heartbeats, viewers that leave, servers that stop, bodies on their way."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.requests import ClientDisconnect

from services.gateway.tests.gateway_fakes import TURN, a_turn
from services.gateway.tests.gateway_rig import Feed, Rig, frames, served
from services.gateway.tests.test_http_accounts import bearer, logged_in
from services.gateway.tests.test_http_administration import changed
from services.gateway.tests.test_http_problems import assert_problem
from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.errors import NotFound

DIGEST = "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"


@pytest.fixture
async def client(rig: Rig) -> AsyncIterator[httpx.AsyncClient]:
    async with served(rig) as address, httpx.AsyncClient(base_url=address, timeout=120) as made:
        yield made


async def test_events_arrive_as_they_happen_with_heartbeats_between(rig: Rig, client: httpx.AsyncClient) -> None:
    feed = Feed(rig)
    events = a_turn("one", "two")
    async with client.stream("POST", "/api/v1/chat", json={"message": "hi"}, headers=rig.as_()) as answer:
        pieces = answer.aiter_text()
        for event in events[:2]:
            feed.waiting.put_nowait(event)
            text = ""
            while f"id: {event.sequence}\n" not in text:
                text += await anext(pieces)
        text = ""
        while text.count(": heartbeat\n\n") < 2:
            text += await anext(pieces)
        assert frames(text) == []
        for event in events[2:]:
            feed.waiting.put_nowait(event)
        rest = "".join([piece async for piece in pieces])
    assert [number for _, number, _ in frames(rest)] == [3, 4]


async def test_a_viewer_that_leaves_ends_only_the_call_for_its_stream(rig: Rig, client: httpx.AsyncClient) -> None:
    feed = Feed(rig)
    feed.waiting.put_nowait(a_turn("one")[0])
    async with client.stream("POST", "/api/v1/chat", json={"message": "hi"}, headers=rig.as_()) as answer:
        await anext(answer.aiter_text())
        assert not feed.left.is_set()
    async with asyncio.timeout(120):
        await feed.left.wait()
    assert not [request for request in rig.orchestrator.requests if "Cancel" in type(request).__name__]


@pytest.mark.parametrize("speaks", [False, True], ids=["a quiet stream", "a stream that goes on"])
async def test_a_ban_ends_the_streams_of_whom_it_strikes(rig: Rig, client: httpx.AsyncClient, speaks: bool) -> None:
    session = await logged_in(rig)
    feed = Feed(rig)
    feed.waiting.put_nowait(a_turn("one")[0])
    async with client.stream("POST", "/api/v1/chat", json={"message": "hi"}, headers=bearer(session)) as answer:
        pieces = answer.aiter_text()
        await anext(pieces)
        assert (await changed(rig, session["user"]["id"], banned=True)).status_code == 200
        rest = ""
        async with asyncio.timeout(120):
            async for piece in pieces:
                rest += piece
                if speaks:
                    feed.waiting.put_nowait(a_turn("one", "two")[1])
    assert "event: interrupted" in rest
    assert feed.left.is_set()


async def test_a_server_that_stops_ends_its_streams_at_once_and_says_how_to_go_on(rig: Rig) -> None:
    feed = Feed(rig)
    feed.waiting.put_nowait(a_turn("one")[0])
    read: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    first = asyncio.Event()

    async def watch(client: httpx.AsyncClient, url: str) -> None:
        text = ""
        async with client.stream("POST", url, json={"message": "hi"}, headers=rig.as_()) as answer:
            async for piece in answer.aiter_text():
                text += piece
                first.set()
        read.set_result(text)

    async with asyncio.timeout(120), httpx.AsyncClient(timeout=120) as client:
        async with served(rig, grace_seconds=60) as address:
            watching = asyncio.create_task(watch(client, f"{address}/api/v1/chat"))
            await first.wait()
        await watching
    assert [number for _, number, _ in frames(read.result())] == [1]
    assert "event: interrupted" in read.result()
    assert feed.left.is_set()


async def test_a_fault_in_the_middle_of_a_stream_breaks_the_connection_and_says_nothing_of_itself(
    rig: Rig, client: httpx.AsyncClient
) -> None:
    rig.orchestrator.events[TURN] = a_turn("one", "two")
    rig.orchestrator.interruptions = {2: RuntimeError("secret text of a fault")}  # type: ignore[dict-item]
    text = ""
    with pytest.raises(httpx.RemoteProtocolError):
        async with client.stream("POST", "/api/v1/chat", json={"message": "hi"}, headers=rig.as_()) as answer:
            async for piece in answer.aiter_text():
                text += piece
    assert [name for name, _, _ in frames(text)] == ["accepted", "delta"]
    assert "secret" not in text
    assert [event for event, _ in rig.log.lines] == ["request_failed"]


async def test_a_taken_port_is_an_error_of_the_start(rig: Rig) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError):
            async with served(rig, port=port):
                pass


class Part:
    """Receives a part as ingestion would."""

    def __init__(self, rig: Rig) -> None:
        self.messages: list[ingestion_pb2.PutPartRequest] = []
        self.first_bytes = asyncio.Event()
        self.ended = asyncio.Event()
        rig.ingestion.answers["PutPart"] = self.receive

    async def receive(self, messages: AsyncIterator[ingestion_pb2.PutPartRequest]) -> object:
        try:
            async for message in messages:
                self.messages.append(message)
                if message.data:
                    self.first_bytes.set()
        except ClientDisconnect:
            # What gRPC makes of an iterator that fails.
            raise asyncio.CancelledError from None
        finally:
            self.ended.set()
        return ingestion_pb2.PutPartResponse(parts_received=[0, 3], parts_total=4)

    @property
    def data(self) -> bytes:
        return b"".join(message.data for message in self.messages)


async def test_a_part_travels_in_pieces_with_its_digest(rig: Rig, client: httpx.AsyncClient) -> None:
    part = Part(rig)
    body = bytes(range(256)) * 4096
    headers = {**rig.as_(), "content-digest": DIGEST}
    answer = await client.put(f"/api/v1/uploads/{TURN}/parts/3", content=body, headers=headers)
    assert (answer.status_code, answer.json()) == (200, {"parts_received": [0, 3], "parts_total": 4})
    assert part.messages[0].header == ingestion_pb2.PartHeader(
        upload_id=TURN, number=3, sha256="44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )
    assert part.data == body
    assert 4 <= len(part.messages) - 1 <= 8
    assert max(len(message.data) for message in part.messages) < 512 * 1024


async def test_an_empty_part_is_a_header_alone(rig: Rig, client: httpx.AsyncClient) -> None:
    part = Part(rig)
    assert (await client.put(f"/api/v1/uploads/{TURN}/parts/0", headers=rig.as_())).status_code == 200
    assert (len(part.messages), part.data) == (1, b"")


async def test_a_part_passes_through_before_it_is_whole(rig: Rig, client: httpx.AsyncClient) -> None:
    part = Part(rig)
    release = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"x" * 600_000
        await release.wait()
        yield b"y"

    sending = asyncio.create_task(client.put(f"/api/v1/uploads/{TURN}/parts/0", content=slowly(), headers=rig.as_()))
    async with asyncio.timeout(120):
        await part.first_bytes.wait()
    release.set()
    assert (await sending).status_code == 200
    assert len(part.data) == 600_001


async def test_a_client_that_leaves_in_the_middle_of_a_part_ends_the_call(rig: Rig, client: httpx.AsyncClient) -> None:
    part = Part(rig)

    async def broken() -> AsyncIterator[bytes]:
        yield b"x" * 600_000
        await part.first_bytes.wait()
        raise RuntimeError("the client dies")

    with pytest.raises(RuntimeError):
        await client.put(f"/api/v1/uploads/{TURN}/parts/0", content=broken(), headers=rig.as_())
    async with asyncio.timeout(120):
        await part.ended.wait()
    assert rig.log.lines == []


@pytest.mark.parametrize("declared", [True, False])
async def test_a_part_that_is_too_large_is_refused(rig: Rig, client: httpx.AsyncClient, declared: bool) -> None:
    part = Part(rig)
    body = b"x" * (1024 * 1024 + 1)

    async def undeclared() -> AsyncIterator[bytes]:
        yield body

    answer = await client.put(
        f"/api/v1/uploads/{TURN}/parts/0", content=body if declared else undeclared(), headers=rig.as_()
    )
    assert_problem(answer, 413, "body_too_large")
    assert len(part.data) <= 1024 * 1024


async def test_a_part_that_ingestion_refuses_early_answers_early_and_the_connection_lives(
    rig: Rig, client: httpx.AsyncClient
) -> None:
    rig.ingestion.answers["PutPart"] = NotFound("unknown_upload", "There is no such upload.")
    for _ in range(2):
        answer = await client.put(f"/api/v1/uploads/{TURN}/parts/0", content=b"x" * 900_000, headers=rig.as_())
        assert_problem(answer, 404, "unknown_upload")


@pytest.mark.parametrize(
    ("digest", "reason"),
    [
        ("sha-256=:abc:", "invalid_content_digest"),
        ("sha-256=:" + "A" * 44 + ":", "invalid_content_digest"),
        ("sha-256=RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=", "invalid_content_digest"),
        ("md5=:abc:", "unsupported_content_digest"),
        ("", "unsupported_content_digest"),
    ],
)
async def test_a_digest_that_cannot_be_checked_is_refused(
    rig: Rig, client: httpx.AsyncClient, digest: str, reason: str
) -> None:
    headers = {**rig.as_(), "content-digest": digest}
    answer = await client.put(f"/api/v1/uploads/{TURN}/parts/0", content=b"x", headers=headers)
    assert_problem(answer, 400, reason)
    assert rig.ingestion.requests == []


async def test_a_body_that_stands_still_is_broken_off(impatient: Rig) -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield b'{"message": '
        await asyncio.Event().wait()

    headers = {**impatient.as_(), "content-type": "application/json"}
    async with served(impatient) as address, httpx.AsyncClient(base_url=address, timeout=120) as client:
        sending = asyncio.create_task(client.post("/api/v1/chat", content=stuck(), headers=headers))
        async with asyncio.timeout(120):
            while not impatient.telemetry.registry.get_sample_value(
                "http_request_seconds_count", {"method": "POST", "route": "/api/v1/chat", "status": "408"}
            ):
                await asyncio.sleep(0.02)
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
    assert impatient.orchestrator.started == []


async def test_an_address_in_no_encoding_is_unknown(rig: Rig, client: httpx.AsyncClient) -> None:
    for path in (b"/api/v1/documents/%ff%fe", b"/api/v1/documents/%00", b"/%c0%ae%c0%ae/"):
        rig.ingestion.answers["GetDocument"] = NotFound("unknown_document", "There is no such document.")
        answer = await client.get(path.decode(), headers=rig.as_())
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
