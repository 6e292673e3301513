"""What a turn needs from the outside. Events and plans are contract messages: relaying them is what this service does."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from superagent.agent_executor.v1 import agent_executor_pb2
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.identity import Principal
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, PlanDraft, PlanningInput, SkillDefinition


class Conversations(Protocol):
    """The memory service, for the person in the current identity."""

    async def create(
        self, conversation_id: str, question: str, strategy: int, *, unlisted: bool = False
    ) -> plan_pb2.PlanMemory:
        """Makes a conversation with this id; its memory is empty."""

    async def load(self, conversation_id: str, strategy: int, without_turn_id: str = "") -> plan_pb2.PlanMemory:
        """What a turn may see, leaving out the one it replaces. Raises NotFound for anything but an own conversation."""

    async def append(self, request: memory_pb2.AppendTurnRequest) -> None:
        """Stores a turn once."""

    async def discard(self, conversation_id: str) -> None:
        """Deletes a conversation."""


@dataclass(frozen=True, slots=True)
class UnstoredTurn:
    """A turn that memory could not take when it ended, and whose it is."""

    request: memory_pb2.AppendTurnRequest
    principal: Principal


class UnstoredTurns(Protocol):
    """Turns that wait for memory, in the orchestrator's own database."""

    async def keep(self, turn: UnstoredTurn) -> None:
        """Keeps a turn until it is forgotten; keeping it again changes nothing."""

    async def waiting(self, conversation_id: str) -> Sequence[UnstoredTurn]:
        """In the order they were kept, at most 100; only those of one conversation unless it is empty."""

    async def forget(self, turn_id: str) -> None:
        """Memory has it now."""


class Catalogue(Protocol):
    """The knowledge domains that the person in the current identity may read."""

    async def domains(self) -> tuple[KnowledgeDomain, ...]:
        """Raises Unavailable when retrieval does not answer."""


class SkillCatalogue(Protocol):
    """The skills that the executor has."""

    async def skills(self) -> tuple[SkillDefinition, ...]:
        """Raises Unavailable or Timeout when the executor does not answer, Unimplemented when it has no skills."""


class Planner(Protocol):
    """Makes a draft of a plan."""

    async def plan(self, planning: PlanningInput) -> PlanDraft:
        """Raises InvalidInput for questions that no plan can be made for."""


class Executor(Protocol):
    """Runs plans for the person in the current identity."""

    def run(
        self, plan: plan_pb2.ExecutionPlan, seconds: float
    ) -> AsyncGenerator[agent_executor_pb2.ExecutionEvent, None]:
        """Events of a run of at most `seconds`; closing the generator stops it. Raises error kinds."""


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn as the store keeps it. Times are microseconds since the epoch."""

    turn_id: str
    conversation_id: str
    principal: Principal
    request: orchestrator_pb2.StartTurnRequest
    started_at: int
    trace_parent: str
    attempts: int = 1
    record: events_pb2.TurnRecord | None = None
    running: bool = True
    replaces_turn_id: str = ""
    replays_turn_id: str = ""
    stop_asked: bool = False


class TurnStore(Protocol):
    """Turns in the database; the leases of running ones go by the store's clock."""

    async def add(self, turn: TurnRow, owner: str, *, behind: str = "") -> TurnRow:
        """Stores a running turn, or returns the one with the same idempotency key of this person.

        Raises Conflict: `conversation_busy`, with the running `turn_id`, when the conversation has a running turn;
        `not_the_last_turn` when `behind` is given and is not the newest turn of the conversation any more.
        """

    async def get(self, user_id: str, turn_id: str) -> TurnRow | None: ...

    async def by_key(self, user_id: str, idempotency_key: str) -> TurnRow | None: ...

    async def newest(self, user_id: str, conversation_id: str) -> TurnRow | None:
        """The turn of a conversation that was added last, whatever became of it."""

    async def running(self, user_id: str, conversation_id: str) -> Sequence[TurnRow]:
        """This person's running turns, oldest first; only that of one conversation unless it is empty."""

    async def save_record(self, record: events_pb2.TurnRecord, owner: str) -> None:
        """Keeps what is known of a running turn, if it is still this owner's."""

    async def finish(self, record: events_pb2.TurnRecord, owner: str) -> bool:
        """Ends a turn and, in the same transaction, writes `turn.completed` to the outbox.

        False, and nothing is changed, when the turn is not this owner's any more.
        """

    async def ask_to_stop(self, turn_id: str) -> None:
        """Notes that a running turn shall stop, for its owner or whoever takes it over."""

    async def renew(self, owner: str, turn_ids: Sequence[str]) -> Mapping[str, bool]:
        """Renews the leases of those of the turns that run and are still this owner's: whether each shall stop."""

    async def take_over(self, owner: str) -> Sequence[TurnRow]:
        """Running turns whose lease has run out; they belong to `owner` now, with one attempt more."""


class DeletedConversations(Protocol):
    """Conversations that memory has deleted, and what is left of them in the orchestrator's own database."""

    async def due(self) -> Sequence[str]:
        """Some of which something may be left."""

    async def ended(self, conversation_id: str) -> Sequence[str]:
        """Ids of a conversation's turns that are over."""

    async def remove(self, conversation_id: str, turn_ids: Sequence[str]) -> None:
        """Removes these turns and what waits for memory; while others are left the conversation is due again, later."""

    async def forget(self, before: int) -> None:
        """Forgets deletions before a time of which nothing is left."""


class EventLog(Protocol):
    """The event streams of turns, shared by all replicas. Events are numbered from 1 without gaps."""

    @property
    def available(self) -> bool:
        """Whether the last write reached the log."""

    async def append(self, turn_id: str, events: Sequence[events_pb2.TurnEvent]) -> None:
        """Appends events with their numbers; those that are there already are left alone. Raises Unavailable."""

    async def read(self, turn_id: str, after: int) -> Sequence[events_pb2.TurnEvent]:
        """Events behind a number. Raises Unavailable."""

    async def remove(self, turn_ids: Sequence[str]) -> None:
        """Removes whole streams. Raises Unavailable."""

    def follow(self, turn_id: str, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        """Events behind a number as they come; ends behind `done` or `error`, even one that the number is ahead of."""


class CancelSignal(Protocol):
    """Tells every replica at once that a turn shall stop; the store tells its owner a little later in any case."""

    async def send(self, turn_id: str) -> None:
        """Never fails: what gets lost is only the haste."""
