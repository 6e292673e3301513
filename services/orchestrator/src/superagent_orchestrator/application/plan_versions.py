"""Stored plans of earlier versions of the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from superagent.orchestrator.v1 import plan_pb2
from superagent_common.errors import Conflict
from superagent_orchestrator.domain.plan import SCHEMA_VERSION

Step = Callable[[plan_pb2.ExecutionPlan], None]
_STEPS: Mapping[int, Step] = {}
"""How a plan of each version becomes one of the next. There has been only one version so far."""


def current(
    stored: plan_pb2.ExecutionPlan, steps: Mapping[int, Step] = _STEPS, version: int = SCHEMA_VERSION
) -> plan_pb2.ExecutionPlan:
    """A copy of a stored plan as a plan of `version`. Raises Conflict(unsupported_plan_version)."""
    plan = plan_pb2.ExecutionPlan()
    plan.CopyFrom(stored)
    while plan.schema_version != version:
        step = steps.get(plan.schema_version)
        if step is None:
            raise Conflict(
                "unsupported_plan_version",
                "This plan cannot be run by this version any more.",
                version=str(stored.schema_version),
            )
        step(plan)
        plan.schema_version += 1
    return plan
