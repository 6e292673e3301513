"""Figures of turns."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_orchestrator.domain.planning.proposal import PlanDraft

_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180)


class TurnMetrics:
    """Turns by mode and state, their duration, the time to the first delta, and who planned."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._turns = Counter("turns_total", "Turns that ended.", ("mode", "state"), registry=registry)
        self._seconds = Histogram("turn_seconds", "Duration of turns.", ("mode",), registry=registry, buckets=_SECONDS)
        self._first_delta = Histogram(
            "turn_first_delta_seconds", "Time to the first delta.", ("mode",), registry=registry, buckets=_SECONDS
        )

        self._plans = Counter(
            "plans_total",
            "Plans by planner, and why another did not speak.",
            ("planner", "fallback"),
            registry=registry,
        )

    def planned(self, draft: PlanDraft) -> None:
        """Counts a plan."""
        self._plans.labels(draft.planner.kind.value, draft.planner.fallback_cause).inc()

    def finished(self, record: events_pb2.TurnRecord, seconds: float) -> None:
        """Counts a turn that is over and took `seconds`."""
        mode = plan_pb2.Mode.Name(record.plan.mode).removeprefix("MODE_")
        state = events_pb2.TurnState.Name(record.state).removeprefix("TURN_STATE_")
        self._turns.labels(mode, state).inc()
        self._seconds.labels(mode).observe(seconds)
        if record.first_delta_ms:
            self._first_delta.labels(mode).observe(record.first_delta_ms / 1000)
