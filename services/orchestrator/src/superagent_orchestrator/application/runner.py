"""Runs one turn: plan, execute, relay, store, finish; each a stage."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any

from google.protobuf.struct_pb2 import Struct
from opentelemetry.trace import use_span

from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.clock import timestamp
from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable, internal_error
from superagent_common.identity import Identity, acting_as
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.telemetry import PROPAGATOR, Telemetry, current_trace_id, fail
from superagent_orchestrator.application.live_turn import MAX_EVENTS, LiveTurn
from superagent_orchestrator.application.messages import plan_message, usage_message
from superagent_orchestrator.application.metrics import TurnMetrics
from superagent_orchestrator.application.planning import Planning
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningUsage, plan_from_draft
from superagent_orchestrator.ports import Conversations, Executor, TurnStore

_RETRYABLE = (Unavailable, Timeout, Exhausted)
_LONG_SECONDS = 0.15


class TurnRunner:
    """Runs turns to their end: exactly one `done` or `error`, whatever happens."""

    def __init__(
        self,
        conversations: Conversations,
        planning: Planning,
        executor: Executor,
        store: TurnStore,
        telemetry: Telemetry,
        metrics: TurnMetrics,
        logger: Logger,
        clock: Callable[[], int],
    ) -> None:
        self._conversations = conversations
        self._planning = planning
        self._executor = executor
        self._store = store
        self._telemetry = telemetry
        self._metrics = metrics
        self._logger = logger
        self._clock = clock

    async def run(
        self, turn: LiveTurn, identity: Identity, memory: plan_pb2.PlanMemory, load: events_pb2.Stage
    ) -> None:
        """Runs an accepted turn for `identity`; `load` is the finished stage that loaded `memory`."""
        parent = PROPAGATOR.extract({"traceparent": turn.row.trace_parent})
        span = self._telemetry.tracer.start_span("turn", parent, attributes={"superagent.turn_id": turn.row.turn_id})
        with acting_as(identity), use_span(span, end_on_exit=True, record_exception=False):
            turn.record.trace_id = current_trace_id()
            self._emit_stage(turn, load)
            turn.work = asyncio.create_task(self._work(turn, memory))
            if turn.cancelled:
                turn.work.cancel()
            error: ServiceError | None = None
            try:
                await turn.work
            except asyncio.CancelledError:
                if not turn.cancelled:
                    error = _interrupted()
            except ServiceError as failure:
                error = failure
            except Exception as failure:
                self._logger.error("turn_failed", turn_id=turn.row.turn_id, exc_info=failure)
                error = internal_error()
            if error:
                fail(span, error)
            await self._end(turn, error)
        self._metrics.finished(turn.record)
        self._logger.info(
            "turn_finished",
            turn_id=turn.row.turn_id,
            mode=plan_pb2.Mode.Name(turn.record.plan.mode),
            state=events_pb2.TurnState.Name(turn.record.state),
            reason=turn.record.finish_reason or turn.record.error.reason,
            model_calls=turn.record.usage.model_calls,
        )

    async def _work(self, turn: LiveTurn, memory: plan_pb2.PlanMemory) -> None:
        if turn.interrupted:
            raise _interrupted()
        draft = await self.draft(turn, memory)
        plan = plan_message(
            plan_from_draft(
                draft,
                plan_id=new_id(),
                conversation_id=turn.row.conversation_id,
                turn_id=turn.row.turn_id,
                created_at=self._clock(),
            )
        )
        turn.record.plan.CopyFrom(plan)
        if draft.usage.model_calls:
            turn.record.usage.CopyFrom(usage_message(draft.usage, events_pb2.Usage(limits=plan.budget)))
        turn.emit(plan=plan)
        await self._store.save_record(turn.record)
        seconds = plan.budget.deadline_ms / 1000 - (self._clock() - turn.row.started_at) / 1e6
        try:
            async with asyncio.timeout(seconds):
                await self._relay(turn, plan, seconds, draft.usage)
        except (TimeoutError, Timeout) as late:
            if not turn.answer:
                raise Timeout("turn_deadline", "The turn took too long.") from late
            # AGT-1: the best answer so far, and which limit was reached.
            turn.record.finish_reason = "limit"
            await self._archive(turn, events_pb2.TURN_STATE_COMPLETED)

    async def draft(self, turn: LiveTurn, memory: plan_pb2.PlanMemory) -> PlanDraft:
        """Plans a turn and emits the stages `rewrite` and `plan`."""
        with self._stage(turn, "plan") as detail:
            began, at = time.perf_counter(), self._clock()
            with self._shown_when_long(turn, "plan", at):
                draft = await self._planning.draft(turn.row.request, memory, detail)
            rewrite = next((step for step in draft.steps if step.name == "rewrite"), None)
            if rewrite:
                done = events_pb2.STAGE_STATE_COMPLETED if draft.rewrite.applied else events_pb2.STAGE_STATE_SKIPPED
                spent = (time.perf_counter() - began) * 1000
                said = {"input": rewrite.input, "output": rewrite.output, "reason": rewrite.reason}
                self._emit_stage(turn, stage_message("rewrite", done, at, spent, said))
        self._metrics.planned(draft)
        return draft

    async def _relay(
        self, turn: LiveTurn, plan: plan_pb2.ExecutionPlan, seconds: float, planned: PlanningUsage
    ) -> None:
        record = turn.record
        events = 0
        async with aclosing(self._executor.run(plan, seconds)) as stream:
            async for event in stream:
                events += 1
                if events > MAX_EVENTS:
                    raise Exhausted("too_many_events", "The answer is too long.")
                kind = event.WhichOneof("payload")
                if kind == "delta":
                    if not turn.answer:
                        record.first_delta_ms = (self._clock() - turn.row.started_at) / 1000
                    turn.answer.append(event.delta.text)
                    turn.emit(delta=event.delta)
                elif kind == "answered":
                    record.finish_reason = event.answered.finish_reason
                    await self._archive(turn, events_pb2.TURN_STATE_COMPLETED)
                elif kind == "stage":
                    self._emit_stage(turn, event.stage)
                elif kind is not None:
                    told = usage_message(planned, event.usage) if kind == "usage" else getattr(event, kind)
                    self._keep(record, kind, told)
                    turn.emit(**{kind: told})
        if not record.finish_reason:
            raise Unavailable("executor_broke_off", "The answer broke off. Please ask again.")

    @staticmethod
    def _keep(record: events_pb2.TurnRecord, kind: str, told: Any) -> None:
        if kind == "degraded":
            record.degraded.append(told)
        elif kind in ("usage", "sources", "clarify"):
            # `clarify` is kept for the stored turn, so that a reload shows the choices again.
            getattr(record, kind).CopyFrom(told)

    async def _archive(self, turn: LiveTurn, state: events_pb2.TurnState) -> None:
        record = turn.record
        with self._stage(turn, "archive") as detail:
            stored = memory_pb2.StoredTurn(
                turn_id=turn.row.turn_id,
                question=turn.row.request.message,
                answer="".join(turn.answer),
                sources=record.sources if record.HasField("sources") else None,
                clarify=record.clarify if record.HasField("clarify") else None,
                state=state,
                mode=record.plan.mode,
                finish_reason=record.finish_reason,
                asked_at=record.started_at,
            )
            await self._conversations.append(turn.row.conversation_id, stored)
            detail["characters"] = len(stored.answer)

    async def _end(self, turn: LiveTurn, error: ServiceError | None) -> None:
        record = turn.record
        if error:
            record.state = events_pb2.TURN_STATE_FAILED
            record.finish_reason = ""
            retryable = isinstance(error, _RETRYABLE)
            record.error.CopyFrom(events_pb2.TurnError(reason=error.reason, message=error.message, retryable=retryable))
        elif turn.cancelled:
            record.state = events_pb2.TURN_STATE_CANCELLED
            record.finish_reason = "cancelled"
        else:
            record.state = events_pb2.TURN_STATE_COMPLETED
        if record.state != events_pb2.TURN_STATE_COMPLETED:
            await self._archive_broken(turn)
        record.completed_at.CopyFrom(timestamp(self._clock()))
        record.last_sequence = turn.next_sequence
        await self._finish(record)
        turn.emit_end()

    async def _archive_broken(self, turn: LiveTurn) -> None:
        """Keeps the question and the partial answer of a turn that broke off; storing a stored turn changes nothing."""
        try:
            await self._archive(turn, turn.record.state)
        except ServiceError as error:
            self._logger.error("turn_not_archived", turn_id=turn.row.turn_id, reason=error.reason)

    async def _finish(self, record: events_pb2.TurnRecord) -> None:
        try:
            await self._store.finish(record)
        except Exception as error:
            self._logger.error("turn_not_finished", turn_id=record.turn_id, exc_info=error)

    def _emit_stage(self, turn: LiveTurn, stage: events_pb2.Stage) -> None:
        if stage.state != events_pb2.STAGE_STATE_STARTED:
            turn.record.stages.append(stage)
        turn.emit(stage=stage)

    @contextmanager
    def _shown_when_long(self, turn: LiveTurn, name: str, at: int) -> Iterator[None]:
        """Tells that a stage has begun once it takes long enough for somebody to wonder."""
        begun = events_pb2.Stage(name=name, state=events_pb2.STAGE_STATE_STARTED, started_at=timestamp(at))
        timer = asyncio.get_running_loop().call_later(_LONG_SECONDS, self._emit_stage, turn, begun)
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def _stage(self, turn: LiveTurn, name: str) -> Iterator[dict[str, Any]]:
        """A span, and one event when the stage is over; the block fills in the detail."""
        detail: dict[str, Any] = {}
        at, began = self._clock(), time.perf_counter()
        state = events_pb2.STAGE_STATE_FAILED
        with self._telemetry.span(f"stage {name}", attributes={"superagent.stage": name}):
            try:
                yield detail
                state = events_pb2.STAGE_STATE_COMPLETED
            except ServiceError as error:
                detail["error"] = error.reason
                raise
            finally:
                spent = (time.perf_counter() - began) * 1000
                self._emit_stage(turn, stage_message(name, state, at, spent, detail))


def stage_message(
    name: str, state: events_pb2.StageState, at: int, spent_ms: float, detail: Mapping[str, Any]
) -> events_pb2.Stage:
    """A finished stage; `at` in microseconds since the epoch."""
    said = Struct()
    said.update(detail)
    return events_pb2.Stage(
        name=name, state=state, started_at=timestamp(at), duration_ms=round(spent_ms, 3), detail=said
    )


def _interrupted() -> Unavailable:
    return Unavailable("interrupted", "The turn was interrupted. Please ask again.")
