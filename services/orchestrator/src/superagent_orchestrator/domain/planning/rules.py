"""The bilingual rule planner: a question in, a plan out, each step recorded. Also what a failing model planner falls back to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from superagent_common.errors import InvalidInput
from superagent_orchestrator.domain.plan import (
    Budget,
    Clarification,
    MemoryStrategy,
    Mode,
    PlanMemory,
    Planner,
    PlannerKind,
    QuestionFilters,
    Rewrite,
    SkillChoice,
    SubQuestion,
)
from superagent_orchestrator.domain.planning.ambiguity import ambiguity_of, clarification
from superagent_orchestrator.domain.planning.cleaning import clean_question
from superagent_orchestrator.domain.planning.fast_path import FastPathMatch, fast_path
from superagent_orchestrator.domain.planning.language import LanguageChoice, answer_language
from superagent_orchestrator.domain.planning.narrow import Narrowing, narrow, requested_domains
from superagent_orchestrator.domain.planning.needs import Need, is_about_conversation, need_of
from superagent_orchestrator.domain.planning.outline import asks_outline
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput, StepRecord
from superagent_orchestrator.domain.planning.rewrite import RECENT_TURNS, RewrittenQuestion, rewrite, unchanged
from superagent_orchestrator.domain.planning.route import Route, requested_route, route
from superagent_orchestrator.domain.planning.split import Part, Split, split

_REQUESTABLE = frozenset({Mode.RAG_CHAT, Mode.REACT_AGENT, Mode.DIRECT})
# The trace keeps the whole question once; each step shows its beginning.
_SHOWN = 200
_MODE_CHOSEN = "the client chose the mode"


def plan_by_rules(planning: PlanningInput) -> PlanDraft:
    """The plan for `planning.question`.

    What the client asks for explicitly wins; nothing in the question's text can change limits. Raises InvalidInput:
    `empty_question`, `question_too_long`, `mode_not_requestable` (CLARIFY and WORKFLOW are not a client's to choose).
    """
    if planning.requested_mode is not None and planning.requested_mode not in _REQUESTABLE:
        raise InvalidInput("mode_not_requestable", f"{planning.requested_mode} cannot be requested.")
    question = clean_question(planning.question)
    if planning.memory_strategy is MemoryStrategy.NONE:
        planning = replace(planning, history=(), summary="", facts=())
    steps = _Steps()
    language = answer_language(
        question,
        tuple(turn.question for turn in planning.history[-RECENT_TURNS:]),
        tuple(domain.name for domain in planning.catalogue),
    )
    steps.add("language", question, language.language, language.reason)
    at_once = None if planning.requested_mode else fast_path(question)
    steps.add("fast_path", question, at_once.code if at_once else "none", _fast_path_reason(planning, at_once))
    if at_once is not None:
        return _draft(planning, question, language, _at_once(at_once, question), steps)
    return _draft(planning, question, language, _considered(planning, question, language, steps), steps)


class _Steps:
    """The steps taken so far."""

    def __init__(self) -> None:
        self.records: list[StepRecord] = []

    def add(self, name: str, given: str, output: str, reason: str) -> None:
        self.records.append(StepRecord(name, given[:_SHOWN], output, reason))


@dataclass(frozen=True, slots=True)
class _Decision:
    """What the steps decided, before it is put together."""

    rewritten: str
    rewrite: Rewrite
    route: Route
    parts: tuple[Part, ...]
    narrowings: tuple[Narrowing, ...]
    clarification: Clarification | None
    kind: PlannerKind


def _at_once(match: FastPathMatch, question: str) -> _Decision:
    route_taken = Route(Mode.DIRECT, 1.0, match.code, False, ())
    skipped = Rewrite(False, "fast path", 0)
    return _Decision(
        question, skipped, route_taken, (Part(question),), (Narrowing((), "fast path"),), None, PlannerKind.FAST_PATH
    )


def _considered(planning: PlanningInput, question: str, language: LanguageChoice, steps: _Steps) -> _Decision:
    rewritten = _rewrite(planning, question)
    steps.add("rewrite", _with_history(question, planning, rewritten), rewritten.text, rewritten.rewrite.reason)

    asked_back = None if planning.requested_mode else _ask_back(planning, question, rewritten, language)
    if asked_back is None:
        steps.add("ambiguity", rewritten.text, "clear", _MODE_CHOSEN if planning.requested_mode else "says enough")
    else:
        steps.add("ambiguity", rewritten.text, asked_back.question, f"missing: {asked_back.missing}")
        undecided = Route(Mode.CLARIFY, 0.9, f"too little to go on: {asked_back.missing}", False, ())
        return _Decision(
            rewritten.text,
            rewritten.rewrite,
            undecided,
            (Part(rewritten.text),),
            (Narrowing((), "not searched"),),
            asked_back,
            PlannerKind.RULES,
        )

    divided = split(rewritten.text)
    steps.add("split", rewritten.text, " | ".join(part.text for part in divided.parts), divided.reason)

    chosen = _route(planning, divided)
    steps.add("route", rewritten.text, chosen.mode, chosen.reason)

    narrowings = tuple(_narrow(planning, chosen, part) for part in divided.parts)
    steps.add(
        "narrow",
        " | ".join(part.text for part in divided.parts),
        " | ".join(", ".join(narrowing.domains) or "all" for narrowing in narrowings),
        " | ".join(narrowing.reason for narrowing in narrowings),
    )
    return _Decision(rewritten.text, rewritten.rewrite, chosen, divided.parts, narrowings, None, PlannerKind.RULES)


def _rewrite(planning: PlanningInput, question: str) -> RewrittenQuestion:
    if is_about_conversation(question, has_history=bool(planning.history)):
        return unchanged(question, "about the conversation itself")
    return rewrite(question, planning.history)


def _ask_back(
    planning: PlanningInput, question: str, rewritten: RewrittenQuestion, language: LanguageChoice
) -> Clarification | None:
    if rewritten.rewrite.applied:
        return None
    found = ambiguity_of(question, missing=rewritten.missing, words=rewritten.words)
    if found is None:
        return None
    need = need_of(question, catalogue_words="", has_history=bool(planning.history))
    if need.need is not Need.KNOWLEDGE:  # "what time is it?" names nothing and lacks nothing
        return None
    chosen = set(planning.requested_domains)
    offered = tuple(domain for domain in planning.catalogue if not chosen or domain.code in chosen)
    return clarification(found, question, offered, language.language)


def _route(planning: PlanningInput, divided: Split) -> Route:
    if planning.requested_mode is not None:
        return requested_route(planning.requested_mode)
    if planning.requested_domains:
        return Route(Mode.RAG_CHAT, 1.0, "the client chose the domains to search", True, ())
    names = " ".join(domain.name for domain in planning.catalogue).lower()
    needs = tuple(
        need_of(part.text, catalogue_words=names, has_history=bool(planning.history)) for part in divided.parts
    )
    chosen = route(needs)
    if chosen.mode is not Mode.RAG_CHAT and not planning.model_available:
        return replace(chosen, reason=f"{chosen.reason}; needs a model and none is configured")
    return chosen


def _narrow(planning: PlanningInput, chosen: Route, part: Part) -> Narrowing:
    if not chosen.use_knowledge:
        return Narrowing((), "not searched")
    if planning.requested_domains:
        return requested_domains(planning.requested_domains, planning.catalogue)
    return narrow(part.text, planning.catalogue)


def _draft(
    planning: PlanningInput, question: str, language: LanguageChoice, decided: _Decision, steps: _Steps
) -> PlanDraft:
    numbered = enumerate(zip(decided.parts, decided.narrowings, strict=True), start=1)
    sub_questions = tuple(
        SubQuestion(
            index=index,
            text=part.text,
            domains=narrowing.domains,
            filters=QuestionFilters(),
            use_outline=decided.route.use_knowledge and asks_outline(part.text),
            depends_on=part.depends_on,
            domains_requested=bool(planning.requested_domains and narrowing.domains),
        )
        for index, (part, narrowing) in numbered
    )
    everywhere = any(not sub_question.domains for sub_question in sub_questions)
    union = () if everywhere else tuple(dict.fromkeys(code for sub in sub_questions for code in sub.domains))
    skill = planning.requested_skill
    return PlanDraft(
        mode=decided.route.mode,
        original_question=question,
        rewritten_question=decided.rewritten,
        rewrite=decided.rewrite,
        sub_questions=sub_questions,
        knowledge_domains=union,
        clarification=decided.clarification,
        skills=(SkillChoice(skill, "requested by the client", 1.0),) if skill else (),
        use_knowledge=decided.route.use_knowledge,
        tools_allowed=decided.route.tools_allowed,
        budget=_budget(planning.budget, decided, len(sub_questions)),
        memory=PlanMemory(planning.memory_strategy, planning.summary, planning.history, planning.facts),
        time_zone=planning.time_zone,
        answer_language=language.language,
        planner=Planner(
            kind=decided.kind,
            model="",
            confidence=decided.route.confidence,
            reason=decided.route.reason,
            fallback_cause="" if planning.model_available else "no_model_configured",
        ),
        steps=tuple(steps.records),
    )


def _budget(limits: Budget, decided: _Decision, questions: int) -> Budget:
    """The configured limits, less what the mode has no use for: an executor cannot spend what was not planned."""
    agent = decided.route.mode is Mode.REACT_AGENT
    models = decided.kind is not PlannerKind.FAST_PATH and decided.route.mode is not Mode.CLARIFY
    evidence = limits.evidence_chars if decided.route.use_knowledge else 0
    return replace(
        limits,
        model_calls=limits.model_calls if models else 0,
        tool_rounds=limits.tool_rounds if agent else 0,
        web_searches=limits.web_searches if agent else 0,
        tool_calls=limits.tool_calls if agent else 0,
        evidence_chars=evidence,
        evidence_chars_per_question=min(evidence, limits.evidence_chars_per_question) if questions > 1 else evidence,
    )


def _fast_path_reason(planning: PlanningInput, match: FastPathMatch | None) -> str:
    if match is not None:
        return "nothing but a pleasantry or command"
    return _MODE_CHOSEN if planning.requested_mode else "asks something"


def _with_history(question: str, planning: PlanningInput, rewritten: RewrittenQuestion) -> str:
    used = rewritten.rewrite.history_turns_used
    before = [turn.question[:_SHOWN] for turn in planning.history[-used:]] if used else []
    return " → ".join([*before, question])
