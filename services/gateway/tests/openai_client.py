"""The official client against a gateway that is served, and turns for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai

from services.gateway.tests.gateway_fakes import TURN, a_turn
from superagent.orchestrator.v1 import events_pb2

QUESTION: list[Any] = [{"role": "user", "content": "How long is the warranty?"}]


def a_rich_turn(finish_reason: str = "stop") -> list[events_pb2.TurnEvent]:
    accepted, *deltas, done = a_turn("Two ", "years [1].")
    source = events_pb2.Source(citation_id=1, document_id="d", title="Handbook", heading_path=["X3"], domain="ops")
    events = [
        accepted,
        events_pb2.TurnEvent(degraded=events_pb2.Degraded(tier="text_only", reason="channel_down")),
        *deltas,
        events_pb2.TurnEvent(sources=events_pb2.Sources(sources=[source])),
        events_pb2.TurnEvent(usage=events_pb2.Usage(model="m", input_tokens=10, output_tokens=3)),
        events_pb2.TurnEvent(follow_ups=events_pb2.FollowUps(questions=["And its battery?"])),
        done,
    ]
    done.done.finish_reason = finish_reason
    for number, event in enumerate(events, 1):
        event.turn_id, event.sequence = TURN, number
    return events


def failed_turn(retryable: bool = True) -> list[events_pb2.TurnEvent]:
    events = a_turn("Two ")
    events[-1].error.CopyFrom(events_pb2.TurnError(reason="interrupted", message="Ask again.", retryable=retryable))
    return events


@asynccontextmanager
async def official(address: str, token: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key=token, max_retries=0) as client:
        yield client
