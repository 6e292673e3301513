"""Holds a model's proposal against what is allowed and known, and makes a draft of it.

What the client decided wins, limits and tools are ours, identifiers survive, and whatever is set aside is said in the steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from superagent_orchestrator.domain.plan import Mode, Planner, PlannerKind, Rewrite, SkillChoice
from superagent_orchestrator.domain.planning.ambiguity import choices_from
from superagent_orchestrator.domain.planning.drafting import (
    BETWEEN,
    Steps,
    budget_for,
    narrow_step,
    sub_questions,
    union_of_domains,
)
from superagent_orchestrator.domain.planning.identifiers import lost_identifiers
from superagent_orchestrator.domain.planning.language import question_language
from superagent_orchestrator.domain.planning.narrow import Narrowing, narrow, requested_domains
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput, PlanningUsage, StepRecord
from superagent_orchestrator.domain.planning.reply import ProposedPlan
from superagent_orchestrator.domain.planning.rewrite import RECENT_TURNS
from superagent_orchestrator.domain.planning.route import KNOWLEDGE_SEARCH, OPEN_TOOLS, Route, requested_route
from superagent_orchestrator.domain.planning.shown import LONGEST_QUESTION
from superagent_orchestrator.domain.planning.skills import (
    SkillPlan,
    fallback_plan,
    requested_skill,
    skill_plan,
    tools_with_skills,
)
from superagent_orchestrator.domain.planning.split import Part

# A completion adds names, not paragraphs.
_MOST_ADDED = 500
_UNKNOWN_SHOWN = 60


def plan_by_model(planning: PlanningInput, ruled: PlanDraft, proposed: ProposedPlan, usage: PlanningUsage) -> PlanDraft:
    """The draft of a proposal for the question that the rules drafted as `ruled`; `usage` is what planning has cost."""
    question = ruled.original_question
    steps = Steps()
    steps.records += [step for step in ruled.steps if step.name in ("language", "fast_path")]
    rewritten, rewrite = _rewritten(planning, question, proposed)
    before = [turn.question for turn in planning.history[-RECENT_TURNS:]] if rewrite.applied else []
    steps.add("rewrite", " → ".join([*before, question]), rewritten, rewrite.reason)

    route = _route(planning, ruled, proposed, rewritten)
    asked_back = proposed.clarification if route.mode is Mode.CLARIFY else None
    if asked_back is not None and not asked_back.choices:
        asked_back = replace(asked_back, choices=choices_from(question, planning.catalogue))
    missing = f"missing: {asked_back.missing}" if asked_back else "says enough"
    steps.add("clarify", rewritten, asked_back.question if asked_back else "clear", missing)

    divided = _divided(proposed, rewritten, route)
    steps.add("split", rewritten, BETWEEN.join(part.text for part in divided.parts), divided.reason)
    steps.add("route", rewritten, route.mode, route.reason)
    skills = _skills(planning, proposed, route)
    steps.add("skills", rewritten, skills.said, skills.reason)
    narrowings = tuple(_narrowing(planning, route, codes) for codes in divided.domains)
    steps.add(*narrow_step(divided.parts, narrowings))
    steps.add("planner", question, PlannerKind.MODEL, f"{usage.model}, {_calls(usage)}")

    subs = sub_questions(planning, divided.parts, narrowings, use_knowledge=route.use_knowledge)
    budget = budget_for(planning.budget, route.mode, use_knowledge=route.use_knowledge, questions=len(subs))
    return replace(
        ruled,
        mode=route.mode,
        rewritten_question=rewritten,
        rewrite=rewrite,
        sub_questions=subs,
        knowledge_domains=union_of_domains(subs),
        clarification=asked_back,
        skills=skills.skills,
        use_knowledge=route.use_knowledge,
        tools_allowed=tools_with_skills(route, skills.skills, planning.skills),
        budget=replace(budget, model_calls=max(budget.model_calls - usage.model_calls, 0)),
        planner=Planner(PlannerKind.MODEL, usage.model, route.confidence, route.reason, ""),
        steps=tuple(steps.records),
        usage=usage,
    )


def fallen_back(ruled: PlanDraft, cause: str, detail: str, usage: PlanningUsage) -> PlanDraft:
    """The rules' draft where a model should have spoken: `cause` is a reason code, `detail` what went wrong."""
    said = ": ".join(filter(None, (cause, detail)))
    why = f"the model planner did not ({said}); {_calls(usage)}"
    step = StepRecord("planner", ruled.steps[-1].input, PlannerKind.RULES, why)
    return replace(
        ruled,
        budget=replace(ruled.budget, model_calls=max(ruled.budget.model_calls - usage.model_calls, 0)),
        planner=replace(ruled.planner, fallback_cause=cause),
        steps=(*ruled.steps[:-1], step),
        usage=usage,
    )


def _calls(usage: PlanningUsage) -> str:
    return f"{usage.model_calls} model call{'' if usage.model_calls == 1 else 's'}"


def _rewritten(planning: PlanningInput, question: str, proposed: ProposedPlan) -> tuple[str, Rewrite]:
    """The question to go on with; the model's wording only where it completes and loses nothing (PLAN-2)."""
    text = proposed.rewritten_question or question
    if text == question:
        return question, Rewrite(False, proposed.rewrite_reason or "stands alone", 0)
    objection = ""
    if lost := lost_identifiers(question, (text,)):
        objection = f"it would lose {', '.join(lost)}"
    elif not planning.history and not planning.summary:
        objection = "there is no history to complete it from"
    elif len(question) > LONGEST_QUESTION or len(text) > len(question) + _MOST_ADDED:
        objection = "it is too long for a completion"
    elif _in_another_language(question, text):
        objection = "it is in another language"
    if objection:
        return question, Rewrite(False, f"the model's rewriting was not taken: {objection}", 0)
    used = min(len(planning.history), RECENT_TURNS)
    return text, Rewrite(True, proposed.rewrite_reason or "completed by the model", used)


def _route(planning: PlanningInput, ruled: PlanDraft, proposed: ProposedPlan, rewritten: str) -> Route:
    if planning.requested_mode is not None:
        return requested_route(planning.requested_mode)
    mode, confidence, reason = proposed.mode, proposed.confidence, proposed.reason
    if planning.requested_domains and mode is not Mode.CLARIFY:
        return Route(Mode.RAG_CHAT, 1.0, "the client chose the domains to search", True, ())
    if mode is Mode.REACT_AGENT:
        tools = ruled.tools_allowed if ruled.mode is Mode.REACT_AGENT else OPEN_TOOLS
        if not proposed.use_knowledge:
            tools = tuple(tool for tool in tools if tool != KNOWLEDGE_SEARCH)
        return Route(mode, confidence, reason, proposed.use_knowledge, tools)
    if mode is Mode.DIRECT and (spoken_of := narrow(rewritten, planning.catalogue).domains):
        # What documents may answer is not answered without them.
        why = f"the model would answer without documents, but {', '.join(spoken_of)} may hold the answer"
        return Route(Mode.RAG_CHAT, min(confidence, 0.5), why, True, ())
    return Route(mode, confidence, reason, mode is Mode.RAG_CHAT, ())


@dataclass(frozen=True, slots=True)
class _Divided:
    """The parts, the domain codes proposed for each, and why there are so many."""

    parts: tuple[Part, ...]
    domains: tuple[tuple[str, ...], ...]
    reason: str


def _divided(proposed: ProposedPlan, rewritten: str, route: Route) -> _Divided:
    given = proposed.questions
    everywhere = not given or any(not question.domains for question in given)
    union = () if everywhere else tuple(dict.fromkeys(code for question in given for code in question.domains))
    whole = (Part(rewritten),)
    if route.mode in (Mode.CLARIFY, Mode.DIRECT) or not given:
        return _Divided(whole, ((),), "a single question")
    texts = tuple(question.part.text for question in given)
    if texts in (("",), (proposed.rewritten_question,)):
        return _Divided(whole, (union,), "a single question")
    if lost := lost_identifiers(rewritten, texts):
        return _Divided(whole, (union,), f"the model's parts were not taken: they would lose {', '.join(lost)}")
    if any(_in_another_language(rewritten, text) for text in texts):
        return _Divided(whole, (union,), "the model's parts were not taken: they are in another language")
    reason = "a single question" if len(given) == 1 else f"{len(given)} questions"
    return _Divided(tuple(question.part for question in given), tuple(q.domains for q in given), reason)


def _narrowing(planning: PlanningInput, route: Route, codes: tuple[str, ...]) -> Narrowing:
    if not route.use_knowledge:
        return Narrowing((), "not searched")
    if planning.requested_domains:
        return requested_domains(planning.requested_domains, planning.catalogue)
    if not codes:
        return Narrowing((), "the model names no domain: everything readable is searched")
    filled = {domain.code for domain in planning.catalogue if domain.document_count > 0}
    known = tuple(code for code in codes if code in filled)
    wrong = ", ".join(code[:_UNKNOWN_SHOWN] for code in codes if code not in filled)
    if not known:
        return Narrowing((), f"the model names unknown or empty domains ({wrong}): everything readable is searched")
    return Narrowing(known, "chosen by the model" + (f"; unknown or empty: {wrong}" if wrong else ""))


def _skills(planning: PlanningInput, proposed: ProposedPlan, route: Route) -> SkillPlan:
    if planning.requested_skill:
        return skill_plan((requested_skill(planning.requested_skill, planning.skills),), "the client asked for it")
    if planning.skills is None:
        return skill_plan((), "the skills are not known")
    if route.mode in (Mode.CLARIFY, Mode.DIRECT):
        return skill_plan((), f"{route.mode} needs no skill")
    known = {skill.code for skill in planning.skills}
    reasons = {skill.code: skill.reason for skill in proposed.skills}
    chosen = tuple(SkillChoice(code, why, proposed.confidence) for code, why in reasons.items() if code in known)
    wrong = ", ".join(code[:_UNKNOWN_SHOWN] for code in reasons if code not in known)
    plan = skill_plan(chosen, "chosen by the model") if chosen else fallback_plan(route, planning.skills)
    return replace(plan, reason=f"{plan.reason}; unknown: {wrong}") if wrong else plan


def _in_another_language(one: str, other: str) -> bool:
    languages = question_language(one), question_language(other)
    return None not in languages and languages[0] is not languages[1]
