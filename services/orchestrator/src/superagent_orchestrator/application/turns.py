"""What people do with turns: ask, ask again, replay, preview, watch, stop, look at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.errors import InvalidInput, NotFound, Unavailable
from superagent_common.identity import current_principal
from superagent_common.ids import new_id
from superagent_common.telemetry import traceparent
from superagent_orchestrator.application.live_turn import end_event, ends, new_record
from superagent_orchestrator.application.own_turns import OwnTurns
from superagent_orchestrator.application.planning import Planning
from superagent_orchestrator.application.preparing import Prepared, Preparing
from superagent_orchestrator.application.requests import (
    check_chat_repeated,
    check_key,
    check_new,
    check_regenerate_repeated,
    check_replay_repeated,
    check_request,
    last_turn,
)
from superagent_orchestrator.application.runner import TurnRunner
from superagent_orchestrator.application.stages import rewrite_stage, stage_message
from superagent_orchestrator.domain.refusals import busy, not_the_last_turn
from superagent_orchestrator.ports import CancelSignal, EventLog, TurnRow, TurnStore

# How long the owner of a turn that is over may take to write its last events.
_OWNER_SECONDS = 10.0


class Turns:
    """Every turn of the caller. Another person's is NotFound, exactly as an unknown one."""

    def __init__(
        self,
        store: TurnStore,
        log: EventLog,
        preparing: Preparing,
        planning: Planning,
        runner: TurnRunner,
        own: OwnTurns,
        cancel_signal: CancelSignal,
        clock: Callable[[], int],
    ) -> None:
        """`clock` gives microseconds since the epoch."""
        self._store = store
        self._log = log
        self._preparing = preparing
        self._planning = planning
        self._runner = runner
        self._own = own
        self._cancel_signal = cancel_signal
        self._clock = clock

    async def start(self, request: orchestrator_pb2.StartTurnRequest) -> TurnRow:
        """Takes a turn."""
        self._own.check_open()
        check_new(request)
        asked_in = request.conversation_id
        if known := await self._known(request.idempotency_key):
            check_chat_repeated(known, request, asked_in)
            return known
        await self._planning.check(request)
        at = self._clock()
        prepared = await self._preparing.question(request)
        try:
            stored = await self._take(request, at, prepared)
        except Exception:
            if not asked_in:
                await self._preparing.discard(request.conversation_id)
            raise
        if not asked_in and stored.conversation_id != request.conversation_id:
            # The same request came twice at the same moment, and the other one was taken.
            await self._preparing.discard(request.conversation_id)
        check_chat_repeated(stored, request, asked_in)
        return stored

    async def regenerate(self, request: orchestrator_pb2.RegenerateTurnRequest) -> TurnRow:
        """Takes a turn in the place of the last one of its conversation: its question again, or another.

        The settings of the question hold. Raises Conflict: `not_the_last_turn`, `conversation_busy`.
        """
        self._own.check_open()
        check_key(request.idempotency_key)
        replaced = await self._row(request.turn_id)
        asked = _asked_again(replaced, request.idempotency_key)
        if request.message:
            asked.message = request.message
        check_request(asked)
        if known := await self._known(request.idempotency_key):
            check_regenerate_repeated(known, asked.message, replaced)
            return known
        newest = await self._store.newest(current_principal().user_id, replaced.conversation_id)
        if newest is None:
            raise _unknown()
        if newest.running:
            raise busy(newest.turn_id)
        last = last_turn(newest)
        if replaced.turn_id not in (newest.turn_id, last):
            raise not_the_last_turn(last)
        await self._planning.check(asked)
        at = self._clock()
        prepared = await self._preparing.question(asked, replaces_turn_id=last)
        stored = await self._take(asked, at, prepared, replaces_turn_id=last, behind=newest.turn_id)
        check_regenerate_repeated(stored, asked.message, replaced)
        return stored

    async def replay(self, turn_id: str, idempotency_key: str) -> TurnRow:
        """Takes a turn that runs the stored plan of another one again, in the same conversation.

        Raises Conflict: `conversation_busy`, `no_plan`, `unsupported_plan_version`.
        """
        self._own.check_open()
        check_key(idempotency_key)
        replayed = await self._row(turn_id)
        if known := await self._known(idempotency_key):
            check_replay_repeated(known, turn_id)
            return known
        if replayed.running:
            raise busy(turn_id)
        at = self._clock()
        prepared = await self._preparing.replay(replayed)
        stored = await self._take(_asked_again(replayed, idempotency_key), at, prepared, replays_turn_id=turn_id)
        check_replay_repeated(stored, turn_id)
        return stored

    async def preview(
        self, request: orchestrator_pb2.StartTurnRequest
    ) -> tuple[plan_pb2.ExecutionPlan, list[events_pb2.Stage]]:
        """The plan a request would get, and the stages of making it; nothing is stored or executed."""
        check_new(request)
        await self._planning.check(request)
        stages: list[events_pb2.Stage] = []
        if request.conversation_id:
            prepared = await self._preparing.question(request)
            memory = prepared.memory
            if prepared.load:
                stages.append(prepared.load)
        else:
            strategy = request.memory_strategy or plan_pb2.MEMORY_STRATEGY_SUMMARY
            memory = plan_pb2.PlanMemory(strategy=strategy, recent_turns=request.history)
        at, began, detail = self._clock(), time.perf_counter(), dict[str, object]()
        draft = await self._planning.draft(request, memory, detail)
        spent_ms = (time.perf_counter() - began) * 1000
        if rewrite := rewrite_stage(draft, at, spent_ms):
            stages.append(rewrite)
        stages.append(stage_message("plan", events_pb2.STAGE_STATE_COMPLETED, at, spent_ms, detail))
        plan = self._runner.plan_of(draft, memory, conversation_id=request.conversation_id, turn_id="")
        return plan, stages

    async def stream(self, turn_id: str, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        """Events of an own turn behind a number, until its end."""
        if after < 0:
            raise InvalidInput("invalid_sequence", "Sequences begin at 1.")
        if live := self._own.of(current_principal().user_id, turn_id):
            events = live.follow(after)
        else:
            row = await self._row(turn_id)
            events = self._log.follow(turn_id, after) if row.running else self._finished(row, after)
        ended = False
        async with aclosing(events):
            async for event in events:
                ended = ends(event)
                yield event
        if not ended and after > (record := await self.record(turn_id)).last_sequence > 0:
            # The viewer saw what the log never got from an owner that died; its turn ended at a lower number.
            yield end_event(record)

    async def cancel(self, turn_id: str) -> None:
        """Stops an own turn, on whatever replica it runs. Stopping twice, or too late, is no error."""
        row = await self._row(turn_id)
        is_here = self._own.cancel_here(turn_id)
        if row.running:
            # Also for this replica's own: it may die before the turn has ended.
            await self._store.ask_to_stop(turn_id)
            if not is_here:
                await self._cancel_signal.send(turn_id)

    async def record(self, turn_id: str) -> events_pb2.TurnRecord:
        """What is known of an own turn so far."""
        if live := self._own.of(current_principal().user_id, turn_id):
            return live.record
        row = await self._row(turn_id)
        return row.record or new_record(row)

    async def running_turns(self, conversation_id: str) -> Sequence[TurnRow]:
        """Own turns that run now, oldest first; only that of one conversation unless it is empty."""
        return await self._store.running(current_principal().user_id, conversation_id)

    async def _take(
        self,
        request: orchestrator_pb2.StartTurnRequest,
        at: int,
        prepared: Prepared,
        *,
        replaces_turn_id: str = "",
        replays_turn_id: str = "",
        behind: str = "",
    ) -> TurnRow:
        row = TurnRow(
            new_id(),
            request.conversation_id,
            current_principal(),
            request,
            at,
            traceparent(),
            replaces_turn_id=replaces_turn_id,
            replays_turn_id=replays_turn_id,
        )
        return await self._own.take(row, prepared, behind=behind)

    async def _known(self, idempotency_key: str) -> TurnRow | None:
        return await self._store.by_key(current_principal().user_id, idempotency_key) if idempotency_key else None

    async def _row(self, turn_id: str) -> TurnRow:
        row = await self._store.get(current_principal().user_id, turn_id)
        if row is None:
            raise _unknown()
        return row

    async def _finished(self, row: TurnRow, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        """Events of a turn that is over, though its owner may still be writing the last of them, or have died before."""
        events = await self._log.read(row.turn_id, 0)
        if not events or row.record is None:
            raise NotFound("events_expired", "The events of this turn are no longer kept.")
        if events[-1].sequence == row.record.last_sequence - 1:
            # The end follows from the record, so it does not matter who writes it.
            end = end_event(row.record)
            await self._log.append(row.turn_id, [end])
            events = [*events, end]
        if events[-1].sequence < row.record.last_sequence:
            try:
                async with aclosing(self._log.follow(row.turn_id, after)) as rest, asyncio.timeout(_OWNER_SECONDS):
                    async for event in rest:
                        yield event
            except TimeoutError as error:
                raise Unavailable("events_incomplete", "The last events of this turn are not to be had.") from error
            return
        for event in events:
            if event.sequence > after:
                yield event


def _asked_again(row: TurnRow, idempotency_key: str) -> orchestrator_pb2.StartTurnRequest:
    request = orchestrator_pb2.StartTurnRequest()
    request.CopyFrom(row.request)
    request.idempotency_key = idempotency_key
    return request


def _unknown() -> NotFound:
    return NotFound("unknown_turn", "There is no such turn.")
