"""What the executor asks of retrieval, and what it reads of the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from superagent.orchestrator.v1 import events_pb2
from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent_agent_executor.adapters.grpc_retrieval import GrpcEvidence
from superagent_agent_executor.domain.evidence import Hints
from superagent_agent_executor.domain.plan import SubQuestion


class Door:
    """A channel behind which every method answers the same."""

    def __init__(self, answer: pb.SearchResponse) -> None:
        self.asked: list[pb.SearchRequest] = []
        self._answer = answer

    def __getattr__(self, _: str) -> Callable[..., Callable[..., Awaitable[Any]]]:
        async def call(request: pb.SearchRequest, timeout: float) -> pb.SearchResponse:
            self.asked.append(request)
            return self._answer

        return lambda *_args, **_more: call


@pytest.mark.parametrize("question", ["短", "x" * 8_000, "first? " + "filling " * 3_000 + "last?"])
async def test_a_question_is_searched_by_as_much_of_it_as_retrieval_takes(question: str) -> None:
    door = Door(pb.SearchResponse())
    await GrpcEvidence(door, 1.0).find(SubQuestion(1, question), 100, Hints())  # type: ignore[arg-type]
    searched = door.asked[0].question
    assert len(searched) <= 8_000
    assert searched == question or (searched.startswith("first? ") and searched.endswith("last?"))


@pytest.mark.parametrize(
    ("told", "mode"),
    [
        (events_pb2.RETRIEVAL_MODE_NONE, "none"),
        (events_pb2.RETRIEVAL_MODE_TEXT_ONLY, "text_only"),
        (events_pb2.RETRIEVAL_MODE_VECTOR_ONLY, "vector_only"),
    ],
)
async def test_a_missing_channel_is_read_where_nothing_was_found(told: Any, mode: str) -> None:
    evidence = GrpcEvidence(Door(pb.SearchResponse(retrieval_mode=told)), 1.0)  # type: ignore[arg-type]
    found = await evidence.find(SubQuestion(1, "?"), 100, Hints())
    assert (found.passages, found.mode) == ((), mode)
