"""The golden cases and the inputs they are planned from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from superagent_orchestrator.domain.plan import Budget, MemoryStrategy, PastTurn
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, PlanningInput

_GOLDEN = json.loads((Path(__file__).parent / "golden_plans.json").read_text(encoding="utf-8"))
CATALOGUE = tuple(
    KnowledgeDomain(**{**domain, "sample_titles": tuple(domain["sample_titles"])}) for domain in _GOLDEN["catalogue"]
)


@dataclass(frozen=True)
class Case:
    """A question as asked after `history`, and what its plan must say; only named expectations are checked."""

    kind: str
    question: str
    history: tuple[PastTurn, ...]
    expect: dict[str, Any]


CASES = tuple(
    Case(
        kind=case["kind"],
        question=case["question"],
        history=tuple(
            PastTurn(turn_id=f"turn-{place}", question=question, answer=answer)
            for place, (question, answer) in enumerate(case.get("history", ()))
        ),
        expect=case["expect"],
    )
    for case in _GOLDEN["cases"]
)


def planning_input(question: str, history: tuple[PastTurn, ...] = (), **changes: Any) -> PlanningInput:
    """What the planner sees of `question` with the golden catalogue and nothing requested."""
    given: dict[str, Any] = {
        "question": question,
        "history": history,
        "summary": "",
        "facts": (),
        "catalogue": CATALOGUE,
        "requested_mode": None,
        "requested_domains": (),
        "requested_skill": None,
        "memory_strategy": MemoryStrategy.SUMMARY,
        "time_zone": "Asia/Shanghai",
        "model_available": True,
        "budget": Budget(),
    }
    return PlanningInput(**{**given, **changes})


def said(*questions: str) -> tuple[PastTurn, ...]:
    """Earlier turns without noteworthy answers, oldest first."""
    return tuple(PastTurn(f"turn-{place}", question, "") for place, question in enumerate(questions))
