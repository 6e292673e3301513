"""Asking and watching over HTTP: what reaches the orchestrator, what comes back, where a stream is taken up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, MutableMapping
from typing import Any

import pytest

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN, FakeOrchestrator, a_turn
from services.gateway.tests.gateway_rig import ANNA, Rig, frames
from services.gateway.tests.test_http_problems import assert_problem
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import (
    CancelTurnRequest,
    CancelTurnResponse,
    StartTurnRequest,
    StartTurnResponse,
    StreamTurnRequest,
)
from superagent_common.errors import Conflict, Internal, ServiceError, Unavailable
from superagent_common.identity import Identity, acting_as
from superagent_gateway.api import turn_feed
from superagent_gateway.api.event_stream import EventStreams
from superagent_gateway.api.models.events import InterruptedEvent


@pytest.fixture
def turn(rig: Rig) -> list[events_pb2.TurnEvent]:
    events = a_turn("Mi", "nIO", " [1]")
    rig.orchestrator.events[TURN] = events
    return events


async def test_a_chat_streams_the_new_turn(rig: Rig, turn: list[events_pb2.TurnEvent]) -> None:
    answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    assert answer.status_code == 200
    headers = answer.headers
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-cache, no-transform"
    assert headers["x-accel-buffering"] == "no"
    received = frames(answer.text)
    assert [(name, number) for name, number, _ in received] == [
        ("accepted", 1),
        ("delta", 2),
        ("delta", 3),
        ("delta", 4),
        ("done", 5),
    ]
    data = [json.loads(text) for _, _, text in received]
    assert data[0] == {"turn_id": TURN, "sequence": 1, "at": data[0]["at"], "conversation_id": CONVERSATION}
    assert "".join(event["text"] for event in data[1:4]) == "MinIO [1]"
    assert all(event["at"].endswith("Z") for event in data)


async def test_a_chat_hands_over_all_that_was_asked(rig: Rig, turn: list[events_pb2.TurnEvent]) -> None:
    body = {
        "message": "MinIO 怎么配置?",
        "conversation_id": CONVERSATION,
        "time_zone": "Asia/Shanghai",
        "memory_strategy": "SLIDING_WINDOW",
        "domains": ["ops"],
        "skill": "product",
        "mode": "RAG_CHAT",
        "something_new": 1,
    }
    headers = {**rig.as_(), "idempotency-key": "once"}
    assert (await rig.http.post("/api/v1/chat", json=body, headers=headers)).status_code == 200
    assert rig.orchestrator.started == [
        StartTurnRequest(
            message="MinIO 怎么配置?",
            conversation_id=CONVERSATION,
            time_zone="Asia/Shanghai",
            memory_strategy=plan_pb2.MEMORY_STRATEGY_SLIDING_WINDOW,
            domains=["ops"],
            skill="product",
            mode=plan_pb2.MODE_RAG_CHAT,
            idempotency_key="once",
        )
    ]
    assert {identity and identity.principal for identity in rig.orchestrator.identities} == {ANNA}
    assert all(identity and identity.subject_token for identity in rig.orchestrator.identities)


async def test_a_busy_conversation_names_its_running_turn(rig: Rig) -> None:
    rig.orchestrator.answers["StartTurn"] = Conflict("conversation_busy", "A turn is running.", turn_id=TURN)
    answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    assert assert_problem(answer, 409, "conversation_busy")["turn_id"] == TURN


@pytest.mark.parametrize(
    ("query", "header", "first"),
    [("", None, 1), ("?after=2", None, 3), ("", "3", 4), ("?after=1", "4", 5), ("?after=0", "0", 1)],
)
async def test_a_stream_is_taken_up_behind_any_number_with_the_same_bytes(
    rig: Rig, turn: list[events_pb2.TurnEvent], query: str, header: str | None, first: int
) -> None:
    whole = frames((await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())).text)
    headers = {**rig.as_(), **({"last-event-id": header} if header else {})}
    answer = await rig.http.get(f"/api/v1/turns/{TURN}/events{query}", headers=headers)
    assert frames(answer.text) == whole[first - 1 :]


async def test_a_turn_without_further_events_tells_the_browser_not_to_come_again(
    rig: Rig, turn: list[events_pb2.TurnEvent]
) -> None:
    answer = await rig.http.get(f"/api/v1/turns/{TURN}/events?after=5", headers=rig.as_())
    assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.parametrize("number", ["x", "-1", "1.5", str(2**64)])
async def test_a_number_that_is_none_is_a_bad_request(rig: Rig, number: str) -> None:
    headers = {**rig.as_(), "last-event-id": number}
    answer = await rig.http.get(f"/api/v1/turns/{TURN}/events", headers=headers)
    assert_problem(answer, 400, "invalid_request")


async def test_an_unknown_turn_is_a_problem_and_no_stream(rig: Rig) -> None:
    assert_problem(await rig.http.get("/api/v1/turns/nothing/events", headers=rig.as_()), 404, "unknown_turn")


async def test_cancelling_reaches_the_orchestrator(rig: Rig) -> None:
    rig.orchestrator.answers["CancelTurn"] = CancelTurnResponse()
    answer = await rig.http.post(f"/api/v1/turns/{TURN}/cancel", headers=rig.as_())
    assert (answer.status_code, rig.orchestrator.requests) == (204, [CancelTurnRequest(turn_id=TURN)])


async def test_a_stream_that_breaks_is_taken_up_without_gap_or_repeat(
    rig: Rig, turn: list[events_pb2.TurnEvent]
) -> None:
    rig.orchestrator.interruptions = {2: Unavailable("service_unavailable"), 4: Internal("internal_error")}
    answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    assert [number for _, number, _ in frames(answer.text)] == [1, 2, 3, 4, 5]
    assert [request.after_sequence for request in rig.orchestrator.streamed] == [0, 2, 4]


async def test_events_that_come_again_are_not_passed_on_again(rig: Rig, turn: list[events_pb2.TurnEvent]) -> None:
    rig.orchestrator.events[TURN] = [turn[0], turn[0], turn[1], turn[0], *turn[2:]]
    answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    assert [number for _, number, _ in frames(answer.text)] == [1, 2, 3, 4, 5]


async def test_a_turn_that_has_been_heard_gets_the_time_that_another_orchestrator_needs(
    rig: Rig, turn: list[events_pb2.TurnEvent]
) -> None:
    rig.orchestrator.events[TURN] = turn[:2]
    received: list[int] = []
    with pytest.raises(Unavailable):
        async for event in turn_feed.follow_turn(rig.orchestrator, TURN, 0, first_pause_seconds=0):
            received.append(event.sequence)
    assert received == [1, 2]
    assert [request.after_sequence for request in rig.orchestrator.streamed] == [0, *[2] * 25]


class Absent(FakeOrchestrator):
    """One that is started again: the first streams end before they begin, each in another way."""

    def __init__(self, absences: list[ServiceError | None]) -> None:
        super().__init__()
        self.absences = absences

    async def following(self, request: StreamTurnRequest) -> AsyncIterator[events_pb2.TurnEvent]:
        if self.absences:
            if absence := self.absences.pop(0):
                raise absence
            return
        async for event in super().following(request):
            yield event


async def test_a_new_turn_whose_owner_died_before_its_first_event_is_waited_for(
    turn: list[events_pb2.TurnEvent],
) -> None:
    absent = Absent([Unavailable("service_unavailable")] * 8 + [Internal("internal_error"), None])
    absent.events[TURN] = turn
    feed = turn_feed.follow_turn(absent, TURN, 0, is_new=True, first_pause_seconds=0)
    assert [event.sequence async for event in feed] == [1, 2, 3, 4, 5]


async def test_a_turn_of_which_nothing_is_known_is_given_up_after_five_tries(
    turn: list[events_pb2.TurnEvent],
) -> None:
    absent = Absent([Unavailable("service_unavailable")] * 6)
    absent.events[TURN] = turn
    with pytest.raises(Unavailable):
        await anext(turn_feed.follow_turn(absent, TURN, 3, first_pause_seconds=0))
    assert len(absent.streamed) == 6


@pytest.mark.parametrize("heard", [0, 2])
async def test_a_stream_whose_source_is_lost_says_where_the_rest_of_the_turn_is(rig: Rig, heard: int) -> None:
    async def lost() -> AsyncGenerator[events_pb2.TurnEvent, None]:
        for event in a_turn("Mi")[:heard]:
            yield event
        raise Unavailable("service_unavailable")

    sent: list[bytes] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message.get("body", b""))

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    with acting_as(Identity(ANNA, subject_version=1)):
        stream = rig.streams.of_new_turn(TURN, lost())
    await stream({}, receive, send)
    *told, last, end = b"".join(sent).decode().split("\n\n")
    assert (len(told), end) == (heard, "")
    name, data = last.split("\n")
    assert name == "event: interrupted"
    said = json.loads(data.removeprefix("data: "))
    assert (said["turn_id"], said["sequence"], said["after"]) == (TURN, 0, heard)
    InterruptedEvent.model_validate_json(data.removeprefix("data: "), strict=True)


@pytest.mark.parametrize(
    ("method", "path"),
    [("StartTurn", "/chat"), ("RegenerateTurn", f"/turns/{TURN}/regenerate"), ("ReplayPlan", f"/turns/{TURN}/replay")],
)
async def test_the_head_of_a_new_turns_stream_says_where_its_events_are(
    rig: Rig, turn: list[events_pb2.TurnEvent], method: str, path: str
) -> None:
    rig.orchestrator.answers[method] = StartTurnResponse(turn_id=TURN, conversation_id=CONVERSATION)
    answer = await rig.http.post(f"/api/v1{path}", json={"message": "hi"}, headers=rig.as_())
    assert "content-length" not in answer.headers
    rest = await rig.http.get(answer.headers["content-location"], headers=rig.as_())
    assert frames(rest.text) == frames(answer.text)


async def test_a_question_without_a_key_gets_one_so_that_a_lost_answer_asks_nothing_twice(
    rig: Rig, turn: list[events_pb2.TurnEvent]
) -> None:
    for _ in range(2):
        await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    one, other = (request.idempotency_key for request in rig.orchestrator.started)
    assert one and other and one != other


async def test_the_first_event_may_be_late(rig: Rig, turn: list[events_pb2.TurnEvent]) -> None:
    """The stream begins before the event: the answer is held back for a moment only."""
    release = asyncio.Event()

    class Late(FakeOrchestrator):
        async def following(self, request: object) -> AsyncIterator[events_pb2.TurnEvent]:
            await release.wait()
            for event in turn:
                yield event

    late = Late()
    late.events[TURN] = turn
    with acting_as(Identity(ANNA, subject_version=1)):
        streams = EventStreams(0.05, rig.configuration.check, first_event_seconds=0.05)
        stream = await streams.behind_first(TURN, 0, turn_feed.follow_turn(late, TURN, 0))
    assert not release.is_set()
    sent: list[bytes] = []
    heartbeat = asyncio.Event()

    async def send(message: MutableMapping[str, Any]) -> None:
        body = message.get("body", b"")
        sent.append(body)
        if body.startswith(b": heartbeat"):
            heartbeat.set()

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    serving = asyncio.create_task(stream({}, receive, send))
    await heartbeat.wait()
    release.set()
    await serving
    assert [number for _, number, _ in frames(b"".join(sent).decode())] == [1, 2, 3, 4, 5]
    assert late.calls_ended == 1


async def test_a_viewer_ahead_of_its_turn_is_told_the_end_under_its_own_number(
    rig: Rig, turn: list[events_pb2.TurnEvent]
) -> None:
    # The orchestrator gives the end behind any number that is higher.
    rig.orchestrator.following = _only(turn[-1])  # type: ignore[method-assign]
    answer = await rig.http.get(f"/api/v1/turns/{TURN}/events?after=30", headers=rig.as_())
    assert [(name, number) for name, number, _ in frames(answer.text)] == [("done", 5)]


def _only(event: events_pb2.TurnEvent) -> Callable[[StreamTurnRequest], AsyncIterator[events_pb2.TurnEvent]]:
    async def following(_: StreamTurnRequest) -> AsyncIterator[events_pb2.TurnEvent]:
        yield event

    return following
