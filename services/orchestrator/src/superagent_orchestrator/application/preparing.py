"""What a turn begins with: the conversation's memory, or the stored plan that it runs again."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.errors import Conflict, ServiceError, Timeout, Unavailable
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_orchestrator.application.archive import Archive
from superagent_orchestrator.application.plan_versions import current
from superagent_orchestrator.application.stages import stage_message
from superagent_orchestrator.ports import Conversations, TurnRow, TurnStore

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Prepared:
    """`load` is the stage that loaded `memory`; absent when a turn is only to be ended. `plan` is one to run again."""

    memory: plan_pb2.PlanMemory
    load: events_pb2.Stage | None
    plan: plan_pb2.ExecutionPlan | None = None


class Preparing:
    """Loads what turns begin with, for the person in the current identity.

    Without memory no turn can be taken: Unavailable(memory_unavailable). An answer that knows nothing of the
    conversation would be a wrong one, and could not be told from a right one.
    """

    def __init__(
        self,
        conversations: Conversations,
        archive: Archive,
        store: TurnStore,
        logger: Logger,
        clock: Callable[[], int],
    ) -> None:
        """`clock` gives microseconds since the epoch."""
        self._conversations = conversations
        self._archive = archive
        self._store = store
        self._logger = logger
        self._clock = clock

    async def question(self, request: orchestrator_pb2.StartTurnRequest, replaces_turn_id: str = "") -> Prepared:
        """For a question; one without a conversation gets a new one, whose id is put into the request."""
        at, began = self._clock(), time.perf_counter()
        strategy = request.memory_strategy
        if request.conversation_id:
            memory = await self._load(request.conversation_id, strategy, replaces_turn_id)
        else:
            conversation_id = new_id()
            created = self._conversations.create(conversation_id, request.message, strategy, unlisted=request.unlisted)
            memory = await _from_memory(created)
            request.conversation_id = conversation_id
        memory.recent_turns.extend(request.history)
        spent_ms = (time.perf_counter() - began) * 1000
        detail = {
            "strategy": plan_pb2.MemoryStrategy.Name(memory.strategy).removeprefix("MEMORY_STRATEGY_"),
            "turns": len(memory.recent_turns),
            "summary_characters": len(memory.summary),
        }
        return Prepared(memory, stage_message("load_memory", events_pb2.STAGE_STATE_COMPLETED, at, spent_ms, detail))

    async def discard(self, conversation_id: str) -> None:
        """Takes back a new conversation in which no turn was taken."""
        try:
            await self._conversations.discard(conversation_id)
        except ServiceError as error:
            # It stays behind empty.
            self._logger.warning("conversation_not_discarded", conversation_id=conversation_id, reason=error.reason)

    async def replay(self, replayed: TurnRow) -> Prepared:
        """For the plan of a turn that is over. Raises Conflict: `no_plan`, `unsupported_plan_version`."""
        if replayed.record is None or not replayed.record.HasField("plan"):
            raise Conflict("no_plan", "This turn ended before it had a plan.")
        plan = current(replayed.record.plan)
        at, began = self._clock(), time.perf_counter()
        # Only to know that the conversation is still there.
        await self._load(replayed.conversation_id, plan_pb2.MEMORY_STRATEGY_NONE, "")
        spent_ms = (time.perf_counter() - began) * 1000
        detail = {"reason": "the stored plan has its memory with it", "turns": len(plan.memory.recent_turns)}
        load = stage_message("load_memory", events_pb2.STAGE_STATE_SKIPPED, at, spent_ms, detail)
        return Prepared(plan.memory, load, plan)

    async def again(self, row: TurnRow) -> Prepared:
        """For a turn whose owner died. Raises as the others do."""
        if not row.replays_turn_id:
            request = orchestrator_pb2.StartTurnRequest()
            request.CopyFrom(row.request)
            return await self.question(request, row.replaces_turn_id)
        replayed = await self._store.get(row.principal.user_id, row.replays_turn_id)
        if replayed is None:
            raise Conflict("no_plan", "The turn whose plan was to be run again is gone.")
        return await self.replay(replayed)

    async def _load(self, conversation_id: str, strategy: int, without_turn_id: str) -> plan_pb2.PlanMemory:
        await _from_memory(self._archive.catch_up(conversation_id))
        return await _from_memory(self._conversations.load(conversation_id, strategy, without_turn_id))


async def _from_memory(asked: Awaitable[_T]) -> _T:
    try:
        return await asked
    except (Unavailable, Timeout) as error:
        raise Unavailable(
            "memory_unavailable", "Conversations cannot be read right now. Please try again shortly."
        ) from error
