"""What the scripted model answers to a planning request that nothing scripts: the plan of the rules, in a model's words."""

from __future__ import annotations

import json
from typing import Any

from superagent_orchestrator.domain.plan import MemoryStrategy, PastTurn
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, PlanDraft, PlanningInput, SkillDefinition
from superagent_orchestrator.domain.planning.rules import plan_by_rules

PLAN = "plan"
"""The purpose of planning requests."""


def sane_plan(raw_body: str) -> str:
    """The JSON of a plan for what a planning request shows."""
    messages = json.loads(raw_body)["messages"]
    return json.dumps(_plan(json.loads(messages[1]["content"])), ensure_ascii=False)


def plan_json(question: str, mode: str = "RAG_CHAT", **changes: Any) -> str:
    """A plan that takes the question as it is, with fields of the schema set otherwise."""
    plan: dict[str, Any] = {
        "rewritten_question": question,
        "rewrite_reason": "stands alone",
        "mode": mode,
        "confidence": 0.8,
        "reason": "as scripted",
        "use_knowledge": mode == "RAG_CHAT",
        "clarification": None,
        "sub_questions": [{"text": question, "domains": [], "depends_on": []}],
        "skills": [],
    }
    return json.dumps({**plan, **changes}, ensure_ascii=False)


def _plan(seen: dict[str, Any]) -> dict[str, Any]:
    draft = plan_by_rules(_input(seen))
    asked_back = draft.clarification
    plan: dict[str, Any] = json.loads(plan_json(draft.rewritten_question, draft.mode))
    return plan | {
        "rewrite_reason": draft.rewrite.reason,
        "confidence": draft.planner.confidence,
        "reason": draft.planner.reason,
        "use_knowledge": draft.use_knowledge,
        "clarification": asked_back
        and {"question": asked_back.question, "choices": asked_back.choices, "missing": asked_back.missing},
        "sub_questions": _sub_questions(draft),
        "skills": [{"code": skill.code, "reason": skill.reason} for skill in draft.skills],
    }


def _sub_questions(draft: PlanDraft) -> list[dict[str, Any]]:
    return [{"text": sub.text, "domains": sub.domains, "depends_on": sub.depends_on} for sub in draft.sub_questions]


def _input(seen: dict[str, Any]) -> PlanningInput:
    return PlanningInput(
        question=seen["question"],
        history=tuple(PastTurn("", turn["question"], turn["answer"]) for turn in seen["recent_turns"]),
        summary=seen["summary"],
        facts=(),
        catalogue=tuple(
            KnowledgeDomain(
                domain["code"],
                domain["name"],
                domain["description"],
                domain["documents"],
                tuple(domain["sample_titles"]),
            )
            for domain in seen["domains"]
        ),
        requested_mode=None,
        requested_domains=(),
        requested_skill=None,
        memory_strategy=MemoryStrategy.SUMMARY,
        time_zone="UTC",
        model_available=True,
        skills=tuple(
            SkillDefinition(skill["code"], skill["name"], "", skill["when_to_use"], (), (), (), False)
            for skill in seen["skills"]
        ),
    )
