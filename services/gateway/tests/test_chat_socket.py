"""Asking and watching over the WebSocket: the same events as over SSE, several turns at once, and every way it can end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN, a_turn
from services.gateway.tests.gateway_rig import ANNA, GENEROUS, Feed, Rig, frames, gateway_rig, served
from services.gateway.tests.socket_steps import ended, joined, said, say
from superagent.orchestrator.v1 import events_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import (
    CancelTurnRequest,
    CancelTurnResponse,
    RegenerateTurnRequest,
    RegenerateTurnResponse,
    StartTurnRequest,
    StartTurnResponse,
    StreamTurnRequest,
)
from superagent_common.errors import Conflict, Unavailable
from superagent_gateway.api.chat_socket import MAX_TURNS
from superagent_gateway.domain import RateRule

OTHER = "01990000-0000-7000-8000-0000000000ab"


async def test_a_turn_has_the_same_numbers_and_bytes_as_over_sse(rig: Rig, address: str) -> None:
    rig.orchestrator.events[TURN] = a_turn("Mi", 'n"IO', " 你好")
    async with httpx.AsyncClient(base_url=address, timeout=60) as http:
        streamed = frames((await http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())).text)
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="hi", request_id="r1", conversation_id=CONVERSATION, mode="DIRECT")
        ready, started = await said(socket, 2)
        assert (ready["type"], ready["user_id"]) == ("ready", ANNA.user_id)
        assert started == {"type": "started", "request_id": "r1", "turn_id": TURN, "conversation_id": CONVERSATION}
        texts = [str(await socket.recv()) for _ in streamed]
    assert texts == [f'{{"type":"{name}",{data[1:]}' for name, _, data in streamed]
    sent = rig.orchestrator.started[-1]
    assert (sent.message, sent.conversation_id, bool(sent.idempotency_key)) == ("hi", CONVERSATION, True)


@pytest.mark.parametrize("after", [0, 1, 3, 4])
async def test_a_turn_is_taken_up_behind_any_number(rig: Rig, address: str, after: int) -> None:
    rig.orchestrator.events[TURN] = a_turn("a", "b", "c")
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.resume", turn_id=TURN, after=after)
        _, *events = await said(socket, 6 - after)
    assert [event["sequence"] for event in events] == list(range(after + 1, 6))


async def test_nothing_behind_a_number_is_said(rig: Rig, address: str) -> None:
    rig.orchestrator.events[TURN] = a_turn("a")
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.resume", turn_id=TURN, after=3, request_id="r")
        _, over = await said(socket, 2)
    assert over == {"type": "over", "request_id": "r", "turn_id": TURN, "after": 3}


async def test_several_turns_come_over_one_socket(rig: Rig, address: str) -> None:
    waiting: dict[str, asyncio.Queue[events_pb2.TurnEvent]] = {TURN: asyncio.Queue(), OTHER: asyncio.Queue()}
    rig.orchestrator.events = {TURN: [], OTHER: []}

    async def following(request: StreamTurnRequest) -> AsyncIterator[events_pb2.TurnEvent]:
        while True:
            yield await waiting[request.turn_id].get()

    rig.orchestrator.following = following  # type: ignore[method-assign]
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.resume", turn_id=TURN)
        await say(socket, "chat.resume", turn_id=OTHER)
        await said(socket, 1)
        order = []
        for one, other in zip(a_turn("x", turn_id=TURN), a_turn("y", turn_id=OTHER), strict=True):
            for event in (one, other):
                waiting[event.turn_id].put_nowait(event)
                order += await said(socket, 1)
    expected = [(turn_id, number) for number in (1, 2, 3) for turn_id in (TURN, OTHER)]
    assert [(event["turn_id"], event["sequence"]) for event in order] == expected


async def test_resuming_a_turn_that_is_followed_replaces_what_was_followed(rig: Rig, address: str) -> None:
    feed = Feed(rig)
    events = a_turn("one", "two")
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.resume", turn_id=TURN)
        feed.waiting.put_nowait(events[0])
        await said(socket, 2)
        await say(socket, "chat.resume", turn_id=TURN, after=1)
        async with asyncio.timeout(120):
            await feed.left.wait()
        for event in events:
            feed.waiting.put_nowait(event)
        assert [event["sequence"] for event in await said(socket, 3)] == [2, 3, 4]


async def test_a_connection_follows_a_bounded_number_of_turns(rig: Rig, address: str) -> None:
    Feed(rig)
    async with joined(address, rig.as_()) as socket:
        await said(socket, 1)
        for number in range(MAX_TURNS + 1):
            rig.orchestrator.events[str(number)] = []
            await say(socket, "chat.resume", turn_id=str(number))
        (problem,) = await said(socket, 1)
        assert (problem["status"], problem["reason"]) == (429, "too_many_turns")
        await say(socket, "chat.resume", turn_id="0", after=1)
        await say(socket, "ping")
        assert (await said(socket, 1))[0]["type"] == "pong"


async def test_stop_and_regenerate_reach_the_orchestrator(rig: Rig, address: str) -> None:
    rig.orchestrator.answers["CancelTurn"] = CancelTurnResponse()
    rig.orchestrator.answers["RegenerateTurn"] = RegenerateTurnResponse(turn_id=OTHER, conversation_id=CONVERSATION)
    rig.orchestrator.events[OTHER] = a_turn("again", turn_id=OTHER)
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.stop", turn_id=TURN, request_id="s")
        await say(socket, "chat.regenerate", turn_id=TURN, message="Better?", idempotency_key="k", request_id="g")
        _, stopping, started, *events = await said(socket, 6)
    assert stopping == {"type": "stopping", "request_id": "s", "turn_id": TURN}
    assert (started["type"], started["request_id"], started["turn_id"]) == ("started", "g", OTHER)
    assert [event["type"] for event in events] == ["accepted", "delta", "done"]
    assert rig.orchestrator.requests[0] == CancelTurnRequest(turn_id=TURN)
    again = RegenerateTurnRequest(turn_id=TURN, message="Better?", idempotency_key="k")
    assert rig.orchestrator.requests[1] == again


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "malformed_json"),
        ("[]", "invalid_message"),
        ('{"type": "chat.shout"}', "invalid_message"),
        ('{"message": "hi"}', "invalid_message"),
        ('{"type": "chat.resume", "turn_id": "x", "after": -1}', "invalid_message"),
        ('{"type": "chat.send"}', "invalid_message"),
        ('{"type": "chat.send", "message": "\\ud800"}', "malformed_json"),
        ("[" * 30_000, "malformed_json"),
        ('{"type": "chat.resume", "turn_id": "x", "after": ' + "9" * 5_000 + "}", "malformed_json"),
        ('{"type": ["ping"]}', "invalid_message"),
        ("null", "invalid_message"),
        ("", "malformed_json"),
        (b"\x00\x01", "text_only"),
    ],
)
async def test_what_is_no_command_is_a_problem_and_not_the_end(
    rig: Rig, address: str, text: str | bytes, reason: str
) -> None:
    async with joined(address, rig.as_()) as socket:
        await socket.send(text)
        await say(socket, "ping", request_id="p")
        _, problem, pong = await said(socket, 3)
    assert (problem["type"], problem["status"], problem["reason"]) == ("problem", 400, reason)
    assert problem["detail"] and problem["trace_id"] and pong == {"type": "pong", "request_id": "p"}


async def test_refusals_name_their_request_and_what_http_would_say(rig: Rig, address: str) -> None:
    rig.orchestrator.answers["StartTurn"] = Conflict("conversation_busy", "A turn is running.", turn_id=TURN)
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="hi", request_id="r1")
        await say(socket, "chat.resume", turn_id="nothing", request_id="r2")
        _, busy, unknown = await said(socket, 3)
    assert (busy["request_id"], busy["status"], busy["reason"]) == ("r1", 409, "conversation_busy")
    assert busy["turn_id"] == TURN and busy["trace_id"] and unknown["trace_id"]
    assert (unknown["request_id"], unknown["status"], unknown["reason"]) == ("r2", 404, "unknown_turn")


async def test_a_fault_says_nothing_of_itself(rig: Rig, address: str) -> None:
    rig.orchestrator.answers["StartTurn"] = RuntimeError("secret text of a fault")
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="hi")
        _, problem = await said(socket, 2)
    assert (problem["status"], problem["reason"]) == (500, "internal_error")
    assert "secret" not in json.dumps(problem)
    assert [event for event, _ in rig.log.lines] == ["command_failed"]


async def test_a_stream_that_breaks_is_taken_up_without_gap_or_repeat(rig: Rig, address: str) -> None:
    rig.orchestrator.events[TURN] = a_turn("a", "b", "c")
    rig.orchestrator.interruptions = {2: Unavailable("service_unavailable")}
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="hi")
        _, _, *events = await said(socket, 7)
    assert [event["sequence"] for event in events] == [1, 2, 3, 4, 5]


async def test_a_client_that_leaves_ends_only_the_calls_for_its_streams(rig: Rig, address: str) -> None:
    feed = Feed(rig)
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="hi")
        await said(socket, 2)
    async with asyncio.timeout(120):
        await feed.left.wait()
    assert not [request for request in rig.orchestrator.requests if "Cancel" in type(request).__name__]


async def test_a_server_that_stops_says_so_and_clients_resume_elsewhere(rig: Rig) -> None:
    feed = Feed(rig)
    async with asyncio.timeout(120), served(rig, grace_seconds=60) as address:
        socket = await connect(address.replace("http", "ws") + "/api/v1/ws", additional_headers=rig.as_(), proxy=None)
        await say(socket, "chat.send", message="hi")
        await said(socket, 2)
        closing = asyncio.create_task(ended(socket))
    assert (await closing)[0] == 1012
    assert feed.left.is_set()


async def test_a_message_that_is_too_large_ends_the_connection(rig: Rig, address: str) -> None:
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="x" * 70_000)
        assert (await ended(socket))[0] == 1009
    assert not rig.orchestrator.started


async def test_asking_too_often_says_how_long_to_wait(gateway_template: Path, tmp_path: Path) -> None:
    once = replace(GENEROUS, chat=RateRule("chat", 1, 60))
    async with gateway_rig(gateway_template, tmp_path, once) as rig, served(rig) as address:
        rig.orchestrator.events[TURN] = a_turn()
        async with joined(address, rig.as_()) as socket:
            for _ in range(2):
                await say(socket, "chat.send", message="hi")
            *_, problem = await said(socket, 3)
            while problem["type"] != "problem":
                (problem,) = await said(socket, 1)
    assert (problem["status"], problem["reason"], problem["retry_after"]) == (429, "rate_limited", 60)


async def test_each_command_is_a_span_of_its_own_without_what_was_said(rig: Rig, address: str) -> None:
    rig.orchestrator.events[TURN] = a_turn("a")
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="a secret question")
        await said(socket, 5)
        await say(socket, "chat.resume", turn_id="nothing")
        (problem,) = await said(socket, 1)
    await rig.telemetry.close()
    spans = [span for span in rig.spans.get_finished_spans() if span.name.startswith("WS ")]
    assert [span.name for span in spans] == ["WS chat.send", "WS chat.resume"]
    assert "secret" not in "".join(span.to_json() for span in spans)
    assert problem["trace_id"]


async def test_many_commands_come_in_their_order(rig: Rig, address: str) -> None:
    rig.orchestrator.answers["StartTurn"] = lambda request: StartTurnResponse(
        turn_id=request.message, conversation_id=CONVERSATION
    )
    async with joined(address, rig.as_()) as socket:
        for number in range(20):
            rig.orchestrator.events[str(number)] = a_turn("x", turn_id=str(number))
            await say(socket, "chat.send", message=str(number))
        _, *messages = await said(socket, 81)
    asked = [request.message for request in rig.orchestrator.requests if isinstance(request, StartTurnRequest)]
    assert asked == [str(number) for number in range(20)]
    for number in asked:
        events = [message for message in messages if message["turn_id"] == number]
        assert [event["type"] for event in events] == ["started", "accepted", "delta", "done"]
