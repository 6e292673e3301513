"""The golden cases and the inputs they are planned from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from superagent_agent_executor.adapters.skill_library import SkillLibrary
from superagent_common.logging import get_logger
from superagent_orchestrator.domain.plan import Budget, MemoryStrategy, PastTurn
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, PlanningInput, SkillDefinition

_GOLDEN = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
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

    @property
    def language(self) -> str:
        """`zh` when the question holds a Chinese character, else `en`."""
        return "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in self.question) else "en"


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


@cache
def shipped_skills() -> tuple[SkillDefinition, ...]:
    """The skills that come with the executor, as planning reads them."""
    skills = SkillLibrary(None, get_logger("evals")).all().values()
    return tuple(
        SkillDefinition(
            skill.code,
            skill.titles["zh"],
            skill.description,
            skill.when_to_use,
            skill.keywords,
            skill.domains,
            skill.tools,
            skill.fallback,
        )
        for skill in skills
    )


def planning_input(question: str, history: tuple[PastTurn, ...] = (), **changes: Any) -> PlanningInput:
    """What a planner sees of `question` with the golden catalogue and nothing requested."""
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
