"""Puts what the steps of planning decided together, with the limits and the record of the steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from superagent_orchestrator.domain.plan import (
    Budget,
    Clarification,
    Mode,
    Planner,
    PlannerKind,
    QuestionFilters,
    Rewrite,
    SkillChoice,
    SubQuestion,
)
from superagent_orchestrator.domain.planning.language import LanguageChoice
from superagent_orchestrator.domain.planning.narrow import Narrowing
from superagent_orchestrator.domain.planning.outline import asks_outline
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput, StepRecord
from superagent_orchestrator.domain.planning.route import Route
from superagent_orchestrator.domain.planning.split import Part

# The trace keeps the whole question once; each step shows its beginning.
SHOWN = 200
BETWEEN = " | "


class Steps:
    """The steps taken so far."""

    def __init__(self) -> None:
        self.records: list[StepRecord] = []

    def add(self, name: str, given: str, output: str, reason: str) -> None:
        self.records.append(StepRecord(name, given[:SHOWN], output, reason))


@dataclass(frozen=True, slots=True)
class Decision:
    """What the steps decided, before it is put together; one narrowing for each part."""

    rewritten: str
    rewrite: Rewrite
    route: Route
    parts: tuple[Part, ...]
    narrowings: tuple[Narrowing, ...]
    skills: tuple[SkillChoice, ...]
    clarification: Clarification | None
    kind: PlannerKind


def draft(
    planning: PlanningInput, question: str, language: LanguageChoice, decided: Decision, steps: Steps
) -> PlanDraft:
    """The decision as a draft; the planner's step is added last."""
    subs = sub_questions(planning, decided.parts, decided.narrowings, use_knowledge=decided.route.use_knowledge)
    planner = Planner(
        kind=decided.kind,
        model="",
        confidence=decided.route.confidence,
        reason=decided.route.reason,
        fallback_cause="" if planning.model_available else "no_model_configured",
    )
    steps.add("planner", question, decided.kind, planner.fallback_cause or "rules")
    return PlanDraft(
        mode=decided.route.mode,
        original_question=question,
        rewritten_question=decided.rewritten,
        rewrite=decided.rewrite,
        sub_questions=subs,
        knowledge_domains=union_of_domains(subs),
        clarification=decided.clarification,
        skills=decided.skills,
        use_knowledge=decided.route.use_knowledge,
        tools_allowed=decided.route.tools_allowed,
        budget=budget_for(
            planning.budget,
            decided.route.mode,
            use_knowledge=decided.route.use_knowledge,
            questions=len(subs),
            speaks=decided.kind is not PlannerKind.FAST_PATH,
        ),
        time_zone=planning.time_zone,
        answer_language=language.language,
        planner=planner,
        steps=tuple(steps.records),
        sure=decided.kind is PlannerKind.FAST_PATH or decided.route.sure,
    )


def sub_questions(
    planning: PlanningInput, parts: tuple[Part, ...], narrowings: tuple[Narrowing, ...], *, use_knowledge: bool
) -> tuple[SubQuestion, ...]:
    """Each part with its domains, numbered from 1."""
    return tuple(
        SubQuestion(
            index=index,
            text=part.text,
            domains=narrowing.domains,
            filters=QuestionFilters(),
            use_outline=use_knowledge and asks_outline(part.text),
            depends_on=part.depends_on,
            domains_requested=bool(planning.requested_domains and narrowing.domains),
        )
        for index, (part, narrowing) in enumerate(zip(parts, narrowings, strict=True), start=1)
    )


def union_of_domains(questions: tuple[SubQuestion, ...]) -> tuple[str, ...]:
    """All domains of the questions; empty, which is everything, as soon as one of them needs everything."""
    if any(not question.domains for question in questions):
        return ()
    return tuple(dict.fromkeys(code for question in questions for code in question.domains))


def budget_for(limits: Budget, mode: Mode, *, use_knowledge: bool, questions: int, speaks: bool = True) -> Budget:
    """The configured limits, less what the mode has no use for: an executor cannot spend what was not planned.

    `speaks` False: the answer is a fixed text.
    """
    agent = mode is Mode.REACT_AGENT
    evidence = limits.evidence_chars if use_knowledge else 0
    return replace(
        limits,
        model_calls=limits.model_calls if speaks and mode is not Mode.CLARIFY else 0,
        tool_rounds=limits.tool_rounds if agent else 0,
        web_searches=limits.web_searches if agent else 0,
        tool_calls=limits.tool_calls if agent else 0,
        evidence_chars=evidence,
        evidence_chars_per_question=min(evidence, limits.evidence_chars_per_question) if questions > 1 else evidence,
    )


def narrow_step(parts: tuple[Part, ...], narrowings: tuple[Narrowing, ...]) -> tuple[str, str, str, str]:
    """The step `narrow` as the trace shows it."""
    return (
        "narrow",
        BETWEEN.join(part.text for part in parts),
        BETWEEN.join(", ".join(narrowing.domains) or "all" for narrowing in narrowings),
        BETWEEN.join(narrowing.reason for narrowing in narrowings),
    )
