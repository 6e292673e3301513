"""Fakes of what turns need from the outside."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from superagent.agent_executor.v1 import agent_executor_pb2
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.errors import NotFound, ServiceError, Unavailable
from superagent_common.identity import current_principal
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, SkillDefinition


class FakeConversations:
    """Keeps turns per conversation and owner; `failing` makes appends fail, `absent` everything."""

    def __init__(self) -> None:
        self.owners: dict[str, str] = {}
        self.unlisted: set[str] = set()
        self.stored: dict[str, list[memory_pb2.StoredTurn]] = defaultdict(list)
        self.failing: ServiceError | None = None
        self.absent: ServiceError | None = None
        self.loaded: list[tuple[str, int]] = []

    async def create(
        self, conversation_id: str, question: str, strategy: int, *, unlisted: bool = False
    ) -> plan_pb2.PlanMemory:
        self._check()
        self.owners[conversation_id] = current_principal().user_id
        self.unlisted |= {conversation_id} if unlisted else set()
        return plan_pb2.PlanMemory(strategy=plan_pb2.MEMORY_STRATEGY_SUMMARY)

    async def load(self, conversation_id: str, strategy: int, without_turn_id: str = "") -> plan_pb2.PlanMemory:
        self._check()
        if self.owners.get(conversation_id) != current_principal().user_id:
            raise NotFound("unknown_conversation", "There is no such conversation.")
        self.loaded.append((without_turn_id, strategy))
        return plan_pb2.PlanMemory(
            strategy=plan_pb2.MEMORY_STRATEGY_SUMMARY,
            recent_turns=[
                plan_pb2.PastTurn(turn_id=turn.turn_id, question=turn.question, answer=turn.answer, tools=turn.tools)
                for turn in self.stored[conversation_id]
                if turn.turn_id != without_turn_id
            ],
        )

    async def append(self, request: memory_pb2.AppendTurnRequest) -> None:
        self._check()
        if self.failing:
            raise self.failing
        if self.owners.get(request.conversation_id) != current_principal().user_id:
            raise NotFound("unknown_conversation", "There is no such conversation.")
        turns = self.stored[request.conversation_id]
        if request.turn.turn_id in {stored.turn_id for stored in turns}:
            return
        if request.replaces_turn_id:
            assert turns.pop().turn_id == request.replaces_turn_id
        turns.append(request.turn)

    async def discard(self, conversation_id: str) -> None:
        self._check()
        del self.owners[conversation_id]

    def _check(self) -> None:
        if self.absent:
            raise self.absent


class FakeCatalogue:
    """Fixed domains, or a failure."""

    def __init__(self, *domains: KnowledgeDomain, failing: ServiceError | None = None) -> None:
        self.known = domains
        self.failing = failing

    async def domains(self) -> tuple[KnowledgeDomain, ...]:
        if self.failing:
            raise self.failing
        return self.known


class FakeSkillCatalogue:
    """Fixed skills, or a failure."""

    def __init__(self, *skills: SkillDefinition, failing: ServiceError | None = None) -> None:
        self.known = skills
        self.failing = failing

    async def skills(self) -> tuple[SkillDefinition, ...]:
        if self.failing:
            raise self.failing
        return self.known


class FakeExecutor:
    """Streams fixed events; an exception among them is raised there, an asyncio.Event is waited for."""

    def __init__(self, *events: Any) -> None:
        self.events: Sequence[Any] = events
        self.plans: list[plan_pb2.ExecutionPlan] = []
        self.closed = 0

    async def run(
        self, plan: plan_pb2.ExecutionPlan, seconds: float
    ) -> AsyncGenerator[agent_executor_pb2.ExecutionEvent, None]:
        self.plans.append(plan)
        try:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                if isinstance(event, asyncio.Event):
                    await event.wait()
                else:
                    yield event
        finally:
            self.closed += 1


class FakeEventLog:
    """`EventLog` in memory; `available` False makes it fail as a lost Redis does."""

    def __init__(self) -> None:
        self.available = True
        self.streams: dict[str, list[events_pb2.TurnEvent]] = defaultdict(list)
        self._changed = asyncio.Event()

    async def append(self, turn_id: str, events: Sequence[events_pb2.TurnEvent]) -> None:
        self._check()
        stream = self.streams[turn_id]
        for event in events:
            if event.sequence == len(stream) + 1:
                stream.append(event)
            elif event.sequence > len(stream) + 1:
                raise Unavailable("turn_log_unavailable")
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def read(self, turn_id: str, after: int) -> Sequence[events_pb2.TurnEvent]:
        self._check()
        return self.streams[turn_id][after:]

    async def remove(self, turn_ids: Sequence[str]) -> None:
        self._check()
        for turn_id in turn_ids:
            self.streams.pop(turn_id, None)

    async def follow(self, turn_id: str, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        while True:
            changed = self._changed
            stream = self.streams[turn_id]
            for event in stream[after:]:
                after = event.sequence
                yield event
            if stream and stream[-1].WhichOneof("payload") in ("done", "error"):
                return
            await changed.wait()

    def _check(self) -> None:
        if not self.available:
            raise Unavailable("turn_log_unavailable")


class FakeCancelSignal:
    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send(self, turn_id: str) -> None:
        self.sent.append(turn_id)


def execution(**payload: Any) -> agent_executor_pb2.ExecutionEvent:
    """One event of a run; the keyword is the payload's field."""
    return agent_executor_pb2.ExecutionEvent(**payload)


def delta(text: str) -> agent_executor_pb2.ExecutionEvent:
    return execution(delta=events_pb2.Delta(text=text))


def answered(reason: str = "stop") -> agent_executor_pb2.ExecutionEvent:
    return execution(answered=events_pb2.Done(finish_reason=reason))
