"""What stands in for the services behind the gateway, for its clock, its log and its signal."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from typing import Any

from superagent.orchestrator.v1 import events_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import (
    StartTurnRequest,
    StartTurnResponse,
    StreamTurnRequest,
    StreamTurnResponse,
)
from superagent_common.errors import NotFound, ServiceError
from superagent_common.identity import (
    Identity,
)
from superagent_common.identity.context import identity_or_none

TURN = "01990000-0000-7000-8000-0000000000aa"
CONVERSATION = "01990000-0000-7000-8000-0000000000cc"


class Clock:
    """A clock that stands still until it is told otherwise; seconds inside, both units outside."""

    def __init__(self, seconds: float = 1_800_000_000) -> None:
        self.at = seconds

    def seconds(self) -> float:
        return self.at

    def microseconds(self) -> int:
        return int(self.at * 1_000_000)


class FakeService:
    """A stub whose answers are set by method name: a message, an exception, or a function of the request."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.requests: list[Any] = []
        self.identities: list[Identity | None] = []

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)

        async def call(request: Any, timeout: float | None = None) -> Any:
            self.requests.append(request)
            self.identities.append(identity_or_none())
            answer = self.answers[method]
            if callable(answer) and not isinstance(answer, type):
                answer = answer(request)
                if inspect.isawaitable(answer):
                    answer = await answer
            if isinstance(answer, BaseException):
                raise answer
            return answer

        return call


class FakeOrchestrator(FakeService):
    """Turns as lists of events; `interruptions` are raised once each, behind the event of that number."""

    def __init__(self) -> None:
        super().__init__()
        self.events: dict[str, list[events_pb2.TurnEvent]] = {}
        self.interruptions: dict[int, ServiceError] = {}
        self.calls_ended = 0
        self.answers["StartTurn"] = StartTurnResponse(turn_id=TURN, conversation_id=CONVERSATION)

    @property
    def started(self) -> list[StartTurnRequest]:
        return [request for request in self.requests if isinstance(request, StartTurnRequest)]

    @property
    def streamed(self) -> list[StreamTurnRequest]:
        return [request for request in self.requests if isinstance(request, StreamTurnRequest)]

    async def StreamTurn(
        self, request: StreamTurnRequest, timeout: float | None = None
    ) -> AsyncIterator[StreamTurnResponse]:
        self.requests.append(request)
        self.identities.append(identity_or_none())
        if request.turn_id not in self.events:
            raise NotFound("unknown_turn", "There is no such turn.")
        try:
            async for event in self.following(request):
                yield StreamTurnResponse(event=event)
                if interruption := self.interruptions.pop(event.sequence, None):
                    raise interruption
        finally:
            self.calls_ended += 1

    async def following(self, request: StreamTurnRequest) -> AsyncIterator[events_pb2.TurnEvent]:
        for event in self.events[request.turn_id]:
            if event.sequence > request.after_sequence:
                yield event


def a_turn(*texts: str, turn_id: str = TURN) -> list[events_pb2.TurnEvent]:
    """accepted, one delta per text, done."""
    payloads: list[dict[str, Any]] = [
        {"accepted": events_pb2.Accepted(turn_id=turn_id, conversation_id=CONVERSATION)},
        *({"delta": events_pb2.Delta(text=text)} for text in texts),
        {"done": events_pb2.Done(finish_reason="stop")},
    ]
    events = []
    for sequence, payload in enumerate(payloads, 1):
        event = events_pb2.TurnEvent(turn_id=turn_id, sequence=sequence, **payload)
        event.at.FromSeconds(1_800_000_000 + sequence)
        events.append(event)
    return events


class RememberingLog:
    """Keeps lines instead of writing them."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, Any]]] = []

    def error(self, event: str, **fields: Any) -> None:
        self.lines.append((event, fields))

    warning = info = error


class SilentSignal:
    """`ConfigurationSignal` that remembers."""

    def __init__(self) -> None:
        self.published: list[int] = []

    async def publish(self, version: int) -> None:
        self.published.append(version)
