"""Takes turns, streams them, stops them, and takes over those whose owner died."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from zoneinfo import ZoneInfo

from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.errors import Conflict, InvalidInput, NotFound, Unavailable
from superagent_common.identity import Identity, acting_as, current_identity, current_principal
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.telemetry import traceparent
from superagent_orchestrator.application.live_turn import LiveTurn, end_event, ends, record_from
from superagent_orchestrator.application.messages import plan_message
from superagent_orchestrator.application.planning import Planning
from superagent_orchestrator.application.runner import TurnRunner, stage_message
from superagent_orchestrator.domain.planning.cleaning import clean_question
from superagent_orchestrator.domain.planning.proposal import plan_from_draft
from superagent_orchestrator.ports import CancelSignal, Conversations, EventLog, TurnRow, TurnStore

RENEW_SECONDS = 5.0
"""How often leases are renewed and lapsed ones looked for; a lease lasts three times as long."""
_KEEP_SECONDS = 30.0
"""How long a finished turn is served from memory."""
_MAX_ATTEMPTS = 2
_MAX_HISTORY = 50
# How long the owner of a turn that is over may take to write its last events.
_OWNER_SECONDS = 10.0


class Turns:
    """The turns of this replica. Another person's turn is NotFound, exactly as an unknown one."""

    def __init__(
        self,
        store: TurnStore,
        log: EventLog,
        conversations: Conversations,
        runner: TurnRunner,
        cancel_signal: CancelSignal,
        logger: Logger,
        clock: Callable[[], int],
        planning: Planning,
        *,
        grace_seconds: float,
    ) -> None:
        """`clock` gives microseconds since the epoch; `grace_seconds` is what running turns get when this stops."""
        self._store = store
        self._log = log
        self._conversations = conversations
        self._runner = runner
        self._planning = planning
        self._cancel_signal = cancel_signal
        self._logger = logger
        self._clock = clock
        self._grace = grace_seconds
        self._owner = new_id()
        self._live: dict[str, LiveTurn] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False

    async def start(self, request: orchestrator_pb2.StartTurnRequest) -> tuple[str, str]:
        """Takes a turn; gives its id and its conversation's."""
        if self._stopping or not self._log.available:
            raise Unavailable("turns_unavailable", "No new turns can be taken right now. Please try again shortly.")
        principal = current_principal()
        _check(request)
        asked_in = request.conversation_id
        if request.history and (request.conversation_id or len(request.history) > _MAX_HISTORY):
            raise InvalidInput(
                "invalid_history", f"A history of up to {_MAX_HISTORY} turns goes with a new conversation."
            )
        if request.idempotency_key and (known := await self._store.by_key(principal.user_id, request.idempotency_key)):
            _check_repeated(known, request.message, asked_in)
            return known.turn_id, known.conversation_id
        await self._planning.check(request)
        at, began = self._clock(), time.perf_counter()
        if request.conversation_id:
            memory = await self._conversations.load(request.conversation_id, request.memory_strategy)
        else:
            request.conversation_id = new_id()
            memory = await self._conversations.create(request.conversation_id, request.message, request.memory_strategy)
            memory.recent_turns.extend(request.history)
        load = _load_stage(memory, at, (time.perf_counter() - began) * 1000)
        row = TurnRow(new_id(), request.conversation_id, principal, request, at, traceparent())
        stored = await self._store.add(row, self._owner)
        if stored.turn_id == row.turn_id:
            live = LiveTurn(row, self._log, self._clock, self._logger)
            live.emit(accepted=events_pb2.Accepted(turn_id=row.turn_id, conversation_id=row.conversation_id))
            self._begin(live, current_identity(), memory, load)
        else:
            _check_repeated(stored, request.message, asked_in)
        return stored.turn_id, stored.conversation_id

    async def stream(self, turn_id: str, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        """Events of an own turn behind a number, until its end."""
        if after < 0:
            raise InvalidInput("invalid_sequence", "Sequences begin at 1.")
        principal = current_principal()
        live = self._live.get(turn_id)
        if live is not None and live.row.principal.user_id == principal.user_id:
            events = live.follow(after)
        else:
            row = await self._own(turn_id)
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
        row = await self._own(turn_id)
        if turn_id in self._live:
            self.cancel_here(turn_id)
        elif row.running:
            await self._cancel_signal.send(turn_id)

    def cancel_here(self, turn_id: str) -> None:
        """Stops a turn if this replica runs it."""
        if live := self._live.get(turn_id):
            live.cancel()

    async def record(self, turn_id: str) -> events_pb2.TurnRecord:
        """What is known of an own turn so far."""
        live = self._live.get(turn_id)
        if live is not None and live.row.principal.user_id == current_principal().user_id:
            return live.record
        row = await self._own(turn_id)
        return row.record or events_pb2.TurnRecord(
            turn_id=row.turn_id,
            conversation_id=row.conversation_id,
            user_id=row.principal.user_id,
            state=events_pb2.TURN_STATE_RUNNING,
        )

    async def running_turns(self, conversation_id: str) -> Sequence[TurnRow]:
        """Own turns that run now, oldest first; only that of one conversation unless it is empty."""
        return await self._store.running(current_principal().user_id, conversation_id)

    async def preview(
        self, request: orchestrator_pb2.StartTurnRequest
    ) -> tuple[plan_pb2.ExecutionPlan, list[events_pb2.Stage]]:
        """The plan a request would get, and its planning stages; nothing is stored or executed."""
        _check(request)
        await self._planning.check(request)
        memory = plan_pb2.PlanMemory(strategy=request.memory_strategy)
        if request.conversation_id:
            memory = await self._conversations.load(request.conversation_id, request.memory_strategy)
        row = TurnRow("", request.conversation_id, current_principal(), request, self._clock(), "")
        scratch = _Scratch(row)
        draft = await self._runner.draft(scratch, memory)
        plan = plan_from_draft(
            draft, plan_id=new_id(), conversation_id=request.conversation_id, turn_id="", created_at=self._clock()
        )
        return plan_message(plan), list(scratch.record.stages)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps leases and takes over lapsed turns while the block runs; afterwards gives running turns their grace."""
        keeper = asyncio.create_task(self._keep_leases())
        try:
            yield
        finally:
            self._stopping = True
            keeper.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=self._grace)
            for live in self._live.values():
                if live.work and not live.over:
                    live.work.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=1.0)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(keeper, *self._tasks, return_exceptions=True)

    def _begin(self, live: LiveTurn, identity: Identity, memory: plan_pb2.PlanMemory, load: events_pb2.Stage) -> None:
        self._live[live.row.turn_id] = live

        async def run() -> None:
            try:
                await self._runner.run(live, identity, memory, load)
                await live.flushed()
            finally:
                await live.close()
                asyncio.get_running_loop().call_later(_KEEP_SECONDS, self._live.pop, live.row.turn_id, None)

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _own(self, turn_id: str) -> TurnRow:
        row = await self._store.get(current_principal().user_id, turn_id)
        if row is None:
            raise NotFound("unknown_turn", "There is no such turn.")
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

    async def _keep_leases(self) -> None:
        while True:
            try:
                if held := [turn_id for turn_id, live in self._live.items() if not live.over]:
                    await self._store.renew(self._owner, held)
                lapsed = await self._store.take_over(self._owner)
            except Exception as error:  # the next round may succeed; without rounds turns would be nobody's
                self._logger.warning("leases_not_kept", exc_info=error)
            else:
                await asyncio.gather(*map(self._try_take_over, lapsed))
            await asyncio.sleep(RENEW_SECONDS)

    async def _try_take_over(self, row: TurnRow) -> None:
        try:
            await self._take_over(row)
        except Exception as error:  # its lease runs out again, and whoever is able to takes it over then
            self._logger.warning("turn_not_taken_over", turn_id=row.turn_id, exc_info=error)

    async def _take_over(self, row: TurnRow) -> None:
        """A turn whose owner died: executed again before its first delta, otherwise ended with what was said."""
        if (running := self._live.get(row.turn_id)) and not running.over:
            return  # this replica's own, whose lease could not be renewed in time
        events = await self._log.read(row.turn_id, 0)
        if events and ends(events[-1]):
            await self._store.finish(record_from(row, events))
            return
        live = LiveTurn(row, self._log, self._clock, self._logger, events=events)
        if not events:
            live.emit(accepted=events_pb2.Accepted(turn_id=row.turn_id, conversation_id=row.conversation_id))
        live.answer.extend(event.delta.text for event in events if event.WhichOneof("payload") == "delta")
        self._logger.warning("turn_taken_over", turn_id=row.turn_id, attempts=row.attempts, spoke=bool(live.answer))
        identity = Identity(row.principal)
        at, began = self._clock(), time.perf_counter()
        live.interrupted = bool(live.answer) or row.attempts > _MAX_ATTEMPTS
        memory = plan_pb2.PlanMemory(strategy=row.request.memory_strategy)
        if not live.interrupted:
            try:
                with acting_as(identity):
                    memory = await self._conversations.load(row.conversation_id, row.request.memory_strategy)
                memory.recent_turns.extend(row.request.history)
            except NotFound:
                live.interrupted = True  # deleted meanwhile
        self._begin(live, identity, memory, _load_stage(memory, at, (time.perf_counter() - began) * 1000))


class _Scratch(LiveTurn):
    """A turn that is only planned: collects stages, writes nothing."""

    def __init__(self, row: TurnRow) -> None:
        self.row = row
        self.record = events_pb2.TurnRecord()

    def emit(self, **payload: object) -> None:
        pass


def _load_stage(memory: plan_pb2.PlanMemory, at: int, spent_ms: float) -> events_pb2.Stage:
    detail = {
        "strategy": plan_pb2.MemoryStrategy.Name(memory.strategy).removeprefix("MEMORY_STRATEGY_"),
        "turns": len(memory.recent_turns),
        "summary_characters": len(memory.summary),
    }
    return stage_message("load_memory", events_pb2.STAGE_STATE_COMPLETED, at, spent_ms, detail)


def _check(request: orchestrator_pb2.StartTurnRequest) -> None:
    """Cleans the question. Raises InvalidInput for what no plan can be made of."""
    request.message = clean_question(request.message)
    if request.mode in (plan_pb2.MODE_CLARIFY, plan_pb2.MODE_WORKFLOW):
        raise InvalidInput("mode_not_requestable", "This mode is not a client's to choose.")
    if request.time_zone:
        try:
            ZoneInfo(request.time_zone)
        except (ValueError, OSError, KeyError) as error:
            raise InvalidInput("unknown_time_zone", "Give an IANA time zone, for example Asia/Shanghai.") from error


def _check_repeated(known: TurnRow, message: str, conversation_id: str) -> None:
    """Raises Conflict when a request with the key of a known turn asks for something else."""
    if known.request.message != message or conversation_id not in ("", known.conversation_id):
        raise Conflict("idempotency_key_reused", "This idempotency key asked another question.", turn_id=known.turn_id)
