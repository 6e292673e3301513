"""A turn that this replica runs: numbers its events, writes them to the log, and serves whoever watches here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from superagent.agent_executor.v1.agent_executor_pb2 import ExecutionEvent
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.clock import timestamp
from superagent_common.errors import Unavailable
from superagent_common.llm import estimated_tokens
from superagent_common.logging import Logger
from superagent_orchestrator.application.lease import Lease, TurnLost
from superagent_orchestrator.ports import EventLog, TurnRow

_RETRY_SECONDS = 0.5
_PATIENT = frozenset(("accepted", "stage", "plan", "sources", "usage", "degraded"))
PATIENCE_SECONDS = 0.02
"""How long events that nobody reads word by word wait for others, to be written to the log with them."""
MAX_EVENTS = 20_000
"""Events kept for one turn; a run that makes more is broken off."""


class LiveTurn:
    """The owner's side of a turn's event stream.

    Watchers see an event once the log has it, so that no other replica can give its number to something else. While the
    log is away the owner serves its own watchers from memory and writes the rest when it returns. An owner that may have
    lost the turn to another replica writes and shows nothing until it knows.
    """

    def __init__(
        self,
        row: TurnRow,
        lease: Lease,
        log: EventLog,
        clock: Callable[[], int],
        logger: Logger,
        *,
        events: Sequence[events_pb2.TurnEvent] = (),
        patience_seconds: float = PATIENCE_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.row = row
        self.lease = lease
        self.record = new_record(row)
        self.answer: list[str] = []
        self._tools: dict[str, plan_pb2.ToolUse] = {}
        self._answered_tools: set[str] = set()
        self.cancelled = False
        self.homeless = False
        """Whether its conversation is deleted: it is stopped, and not kept in memory when it is over."""
        self.interrupted = False
        """Whether its first owner died after the first delta: it is ended, not run again."""
        self.begun = False
        """Whether it is stored and runs."""
        self.answered = False
        """Whether the whole answer has gone to its conversation: whatever fails later takes nothing of it back."""
        self.work: asyncio.Task[None] | None = None
        self.calling: events_pb2.Usage | None = None
        """What was used when the model call that is under way began to answer; None while there is none."""
        self._heard: list[str] = []
        self._monotonic = monotonic
        self._began = monotonic()
        self._log = log
        self._logger = logger
        self._clock = clock
        self._events = list(events)
        self._visible = self._written = self._due = len(self._events)
        self._patience_seconds = patience_seconds
        self._patience: asyncio.TimerHandle | None = None
        self._is_log_away = False
        self._changed = asyncio.Event()
        self._wake = asyncio.Event()
        self._ended = False
        self._writer = asyncio.create_task(self._write())

    @property
    def over(self) -> bool:
        """Whether the last event has been emitted."""
        return self._ended

    @property
    def spent_seconds(self) -> float:
        """How long this replica has had the turn; whoever takes it over gives it its whole time again."""
        return self._monotonic() - self._began

    @property
    def said_something(self) -> bool:
        """Whether there is an answer, or a question back."""
        return bool(self.answer) or self.record.HasField("clarify")

    @property
    def usage_when_left(self) -> events_pb2.Usage | None:
        """What was used up to now, with the words and the reasoning of a model call that was left; None when no call was."""
        if self.calling is None:
            return None
        usage = events_pb2.Usage()
        usage.CopyFrom(self.calling)
        usage.output_tokens += round(estimated_tokens("".join(self._heard)))
        return usage

    @property
    def next_sequence(self) -> int:
        """The number the next event gets."""
        return len(self._events) + 1

    def hear(self, event: events_pb2.TurnEvent | ExecutionEvent) -> None:
        """Keeps what is said in an answer and which tools it came by: what memory gets in the end."""
        match event.WhichOneof("payload"):
            case "delta":
                self.answer.append(event.delta.text)
                self._heard.append(event.delta.text)
            case "thinking":
                self._heard.append(event.thinking.text)
            case "usage":
                self.calling = None
                self._heard.clear()
            case "tool_call":
                call = event.tool_call
                self._tools[call.id] = plan_pb2.ToolUse(call_id=call.id, name=call.name, arguments=call.arguments)
            case "tool_result" if used := self._tools.get(event.tool_result.id):
                used.ok, used.result = event.tool_result.ok, event.tool_result.result
                self._answered_tools.add(used.call_id)

    @property
    def tools_used(self) -> list[plan_pb2.ToolUse]:
        """The calls that have a result: memory never keeps one without the other."""
        return [used for call_id, used in self._tools.items() if call_id in self._answered_tools]

    def emit(self, **payload: Any) -> None:
        """Appends an event; the keyword is the payload's field of TurnEvent."""
        self._append(
            events_pb2.TurnEvent(
                turn_id=self.row.turn_id, sequence=self.next_sequence, at=timestamp(self._clock()), **payload
            ),
            patient=payload.keys() <= _PATIENT,
        )

    def emit_end(self) -> None:
        """Appends the event that ends the turn, made from the finished record alone."""
        self._ended = True
        self._append(end_event(self.record), patient=False)

    def _append(self, event: events_pb2.TurnEvent, *, patient: bool) -> None:
        self._events.append(event)
        if not patient:
            self._make_due()
        elif self._patience is None:
            self._patience = asyncio.get_running_loop().call_later(self._patience_seconds, self._make_due)

    def _make_due(self) -> None:
        """Has everything so far written now."""
        if self._patience:
            self._patience.cancel()
            self._patience = None
        self._due = len(self._events)
        self._wake.set()
        if self._is_log_away:
            self._show(self._due)

    def cancel(self) -> None:
        """Stops the run; what was said is kept. Once the turn is over this changes nothing."""
        if not self._ended and not self.cancelled:
            self.cancelled = True
            if self.work:
                self.work.cancel()

    def lose(self) -> None:
        """Another replica has the turn: nothing more is said of it here."""
        self._logger.warning("turn_lost", turn_id=self.row.turn_id)
        self.lease.lost = True
        if self.work:
            self.work.cancel()
        self._show(self._visible)

    async def check_held(self) -> None:
        """Raises TurnLost for a turn that is known to be another replica's."""
        try:
            held = await self.lease.held()
        except Exception as error:  # whoever cannot ask may still be the owner: what is stored once is stored once
            self._logger.warning("lease_not_known", turn_id=self.row.turn_id, exc_info=error)
            return
        if not held:
            self.lose()
            raise TurnLost

    async def follow(self, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        """Events behind a number as they come; ends behind `done` or `error`. Raises Unavailable for a lost turn."""
        position = after
        while True:
            if self.lease.lost:
                raise Unavailable("turn_moved", "Another replica has this turn now.")
            while position < self._visible:
                yield self._events[position]
                position += 1
            if self._ended and position >= len(self._events):
                return
            changed = self._changed
            await changed.wait()

    async def flushed(self) -> None:
        """Waits until the log has everything; only meaningful once the turn is over."""
        await self._writer

    async def close(self) -> None:
        """Stops writing, whatever is left."""
        self._writer.cancel()
        await asyncio.gather(self._writer, return_exceptions=True)

    async def _write(self) -> None:
        while not (self._ended and self._written == len(self._events)):
            await self._wake.wait()
            self._wake.clear()
            while self._written < self._due:
                if not await self._may_write():
                    return
                batch = self._events[self._written :]
                try:
                    await self._log.append(self.row.turn_id, batch)
                except Unavailable as error:
                    self._logger.warning("turn_log_unavailable", turn_id=self.row.turn_id, reason=error.reason)
                    self._is_log_away = True
                    self._show(len(self._events))
                    # A log that comes back may have lost what it had, and skips what it has not.
                    self._written = 0
                    await asyncio.sleep(_RETRY_SECONDS)
                else:
                    self._is_log_away = False
                    self._written += len(batch)
                    self._show(self._written)

    async def _may_write(self) -> bool:
        while True:
            try:
                held = await self.lease.held()
            except Exception as error:  # nothing is known until the store answers
                self._logger.warning("lease_not_known", turn_id=self.row.turn_id, exc_info=error)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if not held and not self.lease.settled:
                self.lose()
            return held

    def _show(self, until: int) -> None:
        self._visible = max(self._visible, until)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def end_event(record: events_pb2.TurnRecord) -> events_pb2.TurnEvent:
    """The event that ends a finished turn: whoever makes it, it is the same."""
    end = events_pb2.TurnEvent(turn_id=record.turn_id, sequence=record.last_sequence, at=record.completed_at)
    if record.HasField("error"):
        end.error.CopyFrom(record.error)
    else:
        end.done.finish_reason = record.finish_reason
    return end


def ends(event: events_pb2.TurnEvent) -> bool:
    """Whether an event is the last of its turn."""
    return event.WhichOneof("payload") in ("done", "error")


def new_record(row: TurnRow) -> events_pb2.TurnRecord:
    """What is known of a turn before anything has happened in it."""
    return events_pb2.TurnRecord(
        turn_id=row.turn_id,
        conversation_id=row.conversation_id,
        user_id=row.principal.user_id,
        state=events_pb2.TURN_STATE_RUNNING,
        started_at=timestamp(row.started_at),
        replaces_turn_id=row.replaces_turn_id,
        replays_turn_id=row.replays_turn_id,
    )


def record_so_far(row: TurnRow, events: Sequence[events_pb2.TurnEvent]) -> events_pb2.TurnRecord:
    """The record of a turn whose owner died, from what it stored and what its stream says."""
    record = row.record or new_record(row)
    record.finish_reason = answered_with(events)
    for repeated in ("stages", "degraded"):
        record.ClearField(repeated)
    for event in events:
        match event.WhichOneof("payload"):
            case "stage" if event.stage.state != events_pb2.STAGE_STATE_STARTED:
                record.stages.append(event.stage)
            case "degraded":
                record.degraded.append(event.degraded)
            case ("usage" | "sources" | "clarify" | "error") as kind:
                getattr(record, kind).CopyFrom(getattr(event, kind))
    return record


def answered_with(events: Sequence[events_pb2.TurnEvent]) -> str:
    """Why the answer of a turn ended that is whole and has gone to its conversation; empty for any other."""
    archived = (event.stage for event in events if event.stage.name == "archive")
    return next((stage.detail["finish_reason"] for stage in archived if "finish_reason" in stage.detail), "")


def record_from(row: TurnRow, events: Sequence[events_pb2.TurnEvent]) -> events_pb2.TurnRecord:
    """The record of a turn whose stream is whole, for when its owner could not store it any more."""
    record = record_so_far(row, events)
    end = events[-1]
    record.last_sequence = end.sequence
    record.completed_at.CopyFrom(end.at)
    record.finish_reason = end.done.finish_reason
    if end.HasField("error"):
        record.state = events_pb2.TURN_STATE_FAILED
    elif record.finish_reason == "cancelled":
        record.state = events_pb2.TURN_STATE_CANCELLED
    else:
        record.state = events_pb2.TURN_STATE_COMPLETED
    return record
