"""Runs one turn: plan, execute, relay, store, finish; each a stage."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from opentelemetry.trace import use_span

from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.clock import timestamp
from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable, internal_error
from superagent_common.identity import Identity, acting_as
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.telemetry import PROPAGATOR, Telemetry, current_trace_id, fail
from superagent_orchestrator.application.archive import Archive
from superagent_orchestrator.application.lease import TurnLost
from superagent_orchestrator.application.live_turn import MAX_EVENTS, LiveTurn
from superagent_orchestrator.application.messages import plan_message, stored_turn, usage_message
from superagent_orchestrator.application.metrics import TurnMetrics
from superagent_orchestrator.application.planning import Planning
from superagent_orchestrator.application.preparing import Prepared
from superagent_orchestrator.application.stages import Stages, rewrite_stage, stage_message
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningUsage, plan_from_draft
from superagent_orchestrator.ports import Executor, TurnStore

_CALL_TOO_LONG = "deadline_exceeded"
"""Reason of a call that had all of the time it was given; any other `Timeout` is one behind it that hung."""
_RETRYABLE = (Unavailable, Timeout, Exhausted)


class TurnRunner:
    """Runs turns to their end: exactly one `done` or `error`, whatever happens, unless another replica has taken over."""

    def __init__(
        self,
        archive: Archive,
        planning: Planning,
        executor: Executor,
        store: TurnStore,
        telemetry: Telemetry,
        metrics: TurnMetrics,
        logger: Logger,
        clock: Callable[[], int],
    ) -> None:
        self._archive = archive
        self._planning = planning
        self._executor = executor
        self._store = store
        self._stages = Stages(telemetry, clock)
        self._telemetry = telemetry
        self._metrics = metrics
        self._logger = logger
        self._clock = clock

    async def run(self, turn: LiveTurn, identity: Identity, prepared: Prepared) -> None:
        """Runs an accepted turn for `identity`."""
        parent = PROPAGATOR.extract({"traceparent": turn.row.trace_parent})
        span = self._telemetry.tracer.start_span("turn", parent, attributes={"superagent.turn_id": turn.row.turn_id})
        with acting_as(identity), use_span(span, end_on_exit=True, record_exception=False):
            turn.record.trace_id = current_trace_id()
            if prepared.load:
                self._stages.emit(turn, prepared.load)
            turn.work = asyncio.create_task(self._work(turn, prepared))
            if turn.cancelled:
                turn.work.cancel()
            try:
                error = await self._outcome(turn.work, turn)
                if error:
                    fail(span, error)
                await self._end(turn, error)
            except TurnLost:
                span.set_attribute("superagent.turn_lost", True)
                return
            self._metrics.finished(turn.record, turn.spent_seconds)
            self._logger.info(
                "turn_finished",
                turn_id=turn.row.turn_id,
                mode=plan_pb2.Mode.Name(turn.record.plan.mode),
                state=events_pb2.TurnState.Name(turn.record.state),
                reason=turn.record.finish_reason or turn.record.error.reason,
                model_calls=turn.record.usage.model_calls,
            )

    async def _outcome(self, work: asyncio.Task[None], turn: LiveTurn) -> ServiceError | None:
        """Waits for the work: what it failed with."""
        error: ServiceError | None = None
        try:
            await work
        except TurnLost:
            raise
        except asyncio.CancelledError:
            if turn.lease.lost:
                raise TurnLost from None
            if not turn.cancelled:
                error = _interrupted()
        except ServiceError as failure:
            error = failure
        except Exception as failure:
            self._logger.error("turn_failed", turn_id=turn.row.turn_id, exc_info=failure)
            error = internal_error()
        if error and turn.answered:
            # Follow-up questions and the like: the answer is whole, and stored as that.
            self._logger.warning("turn_broke_off_behind_its_answer", turn_id=turn.row.turn_id, reason=error.reason)
            return None
        return error

    async def _work(self, turn: LiveTurn, prepared: Prepared) -> None:
        if turn.interrupted:
            raise _interrupted()
        if prepared.plan:
            plan, planned = self._replayed(turn, prepared.plan), PlanningUsage()
        else:
            plan, planned = await self._planned(turn, prepared.memory)
        turn.record.plan.CopyFrom(plan)
        if planned.model_calls:
            turn.record.usage.CopyFrom(usage_message(planned, events_pb2.Usage(limits=plan.budget)))
        turn.emit(plan=plan)
        await self._store.save_record(turn.record, turn.lease.owner)
        seconds = plan.budget.deadline_ms / 1000 - turn.spent_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._relay(turn, plan, seconds, planned)
        except (TimeoutError, Timeout) as late:
            if turn.answered:
                return
            if isinstance(late, Timeout) and late.reason != _CALL_TOO_LONG:
                raise  # a model or a service that hangs is a failure, no limit of the turn
            if not turn.answer:
                raise Timeout("turn_deadline", "The turn took too long.") from late
            # AGT-1: the best answer so far, and which limit was reached.
            turn.record.finish_reason = "limit"
            await self._store_answer(turn, events_pb2.TURN_STATE_COMPLETED)

    async def _planned(
        self, turn: LiveTurn, memory: plan_pb2.PlanMemory
    ) -> tuple[plan_pb2.ExecutionPlan, PlanningUsage]:
        """A new plan, with the stages `rewrite` and `plan`."""
        with self._stages.told(turn, "plan") as said:
            began, at = time.perf_counter(), self._clock()
            with self._stages.shown_when_long(turn, "plan", at):
                draft = await self._planning.draft(turn.row.request, memory, said.detail)
            if rewrite := rewrite_stage(draft, at, (time.perf_counter() - began) * 1000):
                self._stages.emit(turn, rewrite)
        self._metrics.planned(draft)
        row = turn.row
        return self.plan_of(draft, memory, conversation_id=row.conversation_id, turn_id=row.turn_id), draft.usage

    def plan_of(
        self, draft: PlanDraft, memory: plan_pb2.PlanMemory, *, conversation_id: str, turn_id: str
    ) -> plan_pb2.ExecutionPlan:
        """A draft as the plan of a turn."""
        plan = plan_from_draft(
            draft, plan_id=new_id(), conversation_id=conversation_id, turn_id=turn_id, created_at=self._clock()
        )
        return plan_message(plan, memory)

    def _replayed(self, turn: LiveTurn, stored: plan_pb2.ExecutionPlan) -> plan_pb2.ExecutionPlan:
        """The stored plan as this turn's own; nothing is planned."""
        detail = {
            "reason": "a stored plan is run again",
            "replays_turn_id": turn.row.replays_turn_id,
            "replays_plan_id": stored.plan_id,
        }
        self._stages.emit(turn, stage_message("plan", events_pb2.STAGE_STATE_SKIPPED, self._clock(), 0, detail))
        plan = plan_pb2.ExecutionPlan()
        plan.CopyFrom(stored)
        plan.plan_id, plan.turn_id = new_id(), turn.row.turn_id
        plan.created_at.CopyFrom(timestamp(self._clock()))
        return plan

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
                        record.first_delta_ms = turn.spent_seconds * 1000
                    turn.hear(event)
                    turn.emit(delta=event.delta)
                elif kind == "answered":
                    record.finish_reason = event.answered.finish_reason
                    await self._store_answer(turn, events_pb2.TURN_STATE_COMPLETED)
                    turn.answered = True
                elif kind == "stage":
                    self._stages.emit(turn, event.stage)
                elif kind == "calling":
                    turn.calling = usage_message(planned, event.calling)
                elif kind is not None:
                    told = usage_message(planned, event.usage) if kind == "usage" else getattr(event, kind)
                    self._keep(record, kind, told)
                    turn.hear(event)
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

    async def _store_answer(self, turn: LiveTurn, state: events_pb2.TurnState) -> None:
        """Puts the turn into its conversation. One that says nothing takes no other's place: the old answer stays."""
        replaces = turn.row.replaces_turn_id
        await turn.check_held()
        with self._stages.told(turn, "archive") as said:
            if replaces and not turn.said_something:
                said.state = events_pb2.STAGE_STATE_SKIPPED
                said.detail["reason"] = "nothing was said: the answer before it stays"
                return
            stored = stored_turn(turn.row, turn.record, "".join(turn.answer), turn.tools_used, state)
            said.detail["characters"] = len(stored.answer)
            if state == events_pb2.TURN_STATE_COMPLETED:
                # For whoever takes the turn over: only its end is missing then.
                said.detail["finish_reason"] = turn.record.finish_reason
            request = memory_pb2.AppendTurnRequest(
                conversation_id=turn.row.conversation_id, turn=stored, replaces_turn_id=replaces
            )
            if kept := await self._archive.add(request):
                said.state = events_pb2.STAGE_STATE_FAILED
                said.detail |= {"error": kept, "reason": "kept until memory answers again"}

    async def _end(self, turn: LiveTurn, error: ServiceError | None) -> None:
        record = turn.record
        if error:
            record.state = events_pb2.TURN_STATE_FAILED
            record.finish_reason = ""
            record.error.CopyFrom(_turn_error(error))
        elif turn.cancelled and not turn.answered:
            record.state = events_pb2.TURN_STATE_CANCELLED
            record.finish_reason = "cancelled"
        else:
            record.state = events_pb2.TURN_STATE_COMPLETED
        if record.state != events_pb2.TURN_STATE_COMPLETED and not turn.homeless:
            await self._store_broken(turn)
        if left := turn.usage_when_left:
            record.usage.CopyFrom(left)
            turn.emit(usage=left)
        record.completed_at.CopyFrom(timestamp(self._clock()))
        record.last_sequence = turn.next_sequence
        await self._finish(turn)
        turn.emit_end()

    async def _store_broken(self, turn: LiveTurn) -> None:
        """Keeps the question and the partial answer of a turn that broke off; storing a stored turn changes nothing."""
        try:
            await self._store_answer(turn, turn.record.state)
        except ServiceError as error:
            self._logger.error("turn_not_archived", turn_id=turn.row.turn_id, reason=error.reason)

    async def _finish(self, turn: LiveTurn) -> None:
        lease = turn.lease
        lease.settled = True
        try:
            finished = await self._store.finish(turn.record, lease.owner)
        except Exception as error:
            lease.settled = False
            self._logger.error("turn_not_finished", turn_id=turn.row.turn_id, exc_info=error)
            return
        if not finished:
            turn.lose()
            raise TurnLost


def _turn_error(error: ServiceError) -> events_pb2.TurnError:
    told = events_pb2.TurnError(reason=error.reason, message=error.message, retryable=isinstance(error, _RETRYABLE))
    if isinstance(error, Exhausted):
        told.retry_after_seconds = error.retry_after_seconds
    return told


def _interrupted() -> Unavailable:
    return Unavailable("interrupted", "The turn was interrupted. Please ask again.")
