"""The bilingual rule planner: a question in, a plan out, each step recorded. Also what a failing model planner falls back to."""

from __future__ import annotations

from dataclasses import replace

from superagent_common.errors import InvalidInput
from superagent_orchestrator.domain.plan import (
    Clarification,
    Language,
    MemoryStrategy,
    Mode,
    PlannerKind,
    Rewrite,
    SkillChoice,
)
from superagent_orchestrator.domain.planning import unnamed_en, unnamed_zh
from superagent_orchestrator.domain.planning.ambiguity import Ambiguity, ambiguity_of, clarification
from superagent_orchestrator.domain.planning.cleaning import clean_question
from superagent_orchestrator.domain.planning.drafting import BETWEEN, SHOWN, Decision, Steps, draft, narrow_step
from superagent_orchestrator.domain.planning.fast_path import FastPathMatch, fast_path
from superagent_orchestrator.domain.planning.language import LanguageChoice, answer_language, question_language
from superagent_orchestrator.domain.planning.narrow import Narrowing, narrow, requested_domains
from superagent_orchestrator.domain.planning.needs import Need, is_about_conversation, need_of
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput
from superagent_orchestrator.domain.planning.reference import Missing
from superagent_orchestrator.domain.planning.rewrite import (
    RECENT_TURNS,
    RewrittenQuestion,
    rewrite,
    said_before,
    unchanged,
)
from superagent_orchestrator.domain.planning.route import Route, requested_route, route
from superagent_orchestrator.domain.planning.skills import (
    domains_of,
    plan_skills,
    requested_skill,
    tools_with_skills,
)
from superagent_orchestrator.domain.planning.split import Part, Split, split

_REQUESTABLE = frozenset({Mode.RAG_CHAT, Mode.REACT_AGENT, Mode.DIRECT})
_MODE_CHOSEN = "the client chose the mode"


def plan_by_rules(planning: PlanningInput) -> PlanDraft:
    """The plan for `planning.question`.

    What the client asks for explicitly wins; nothing in the question's text can change limits. Raises InvalidInput:
    `empty_question`, `question_too_long`, `mode_not_requestable` (CLARIFY and WORKFLOW are not a client's to choose),
    `unknown_skill`.
    """
    if planning.requested_mode is not None and planning.requested_mode not in _REQUESTABLE:
        raise InvalidInput("mode_not_requestable", f"{planning.requested_mode} cannot be requested.")
    question = clean_question(planning.question)
    planning = remembered(planning)
    steps = Steps()
    language = answer_language(
        question,
        tuple(turn.question for turn in planning.history[-RECENT_TURNS:]),
        tuple(domain.name for domain in planning.catalogue),
    )
    steps.add("language", question, language.language, language.reason)
    at_once = None if planning.requested_mode else fast_path(question)
    steps.add("fast_path", question, at_once.code if at_once else "none", _fast_path_reason(planning, at_once))
    asked_for = () if not planning.requested_skill else (requested_skill(planning.requested_skill, planning.skills),)
    if at_once is not None:
        return draft(planning, question, language, _at_once(at_once, question, asked_for), steps)
    return draft(planning, question, language, _considered(planning, question, language, asked_for, steps), steps)


def remembered(planning: PlanningInput) -> PlanningInput:
    """What may be planned with: nothing of the conversation when its strategy is to remember nothing."""
    if planning.memory_strategy is MemoryStrategy.NONE:
        return replace(planning, history=(), summary="", facts=())
    return planning


def _at_once(match: FastPathMatch, question: str, asked_for: tuple[SkillChoice, ...]) -> Decision:
    route_taken = Route(Mode.DIRECT, 1.0, match.code, False, ())
    skipped = Rewrite(False, "fast path", 0)
    parts, narrowings = (Part(question),), (Narrowing((), "fast path"),)
    return Decision(question, skipped, route_taken, parts, narrowings, asked_for, None, PlannerKind.FAST_PATH)


def _considered(
    planning: PlanningInput,
    question: str,
    language: LanguageChoice,
    asked_for: tuple[SkillChoice, ...],
    steps: Steps,
) -> Decision:
    rewritten = _rewrite(planning, question)
    steps.add("rewrite", _with_history(question, planning, rewritten), rewritten.text, rewritten.rewrite.reason)

    asked_back = None if planning.requested_mode else _ask_back(planning, question, rewritten, language)
    if asked_back is None:
        steps.add("clarify", rewritten.text, "clear", _MODE_CHOSEN if planning.requested_mode else "says enough")
    else:
        steps.add("clarify", rewritten.text, asked_back.question, f"missing: {asked_back.missing}")
        return _undecided(rewritten, asked_back, asked_for)

    divided = split(rewritten.text)
    parts = divided.parts
    steps.add("split", rewritten.text, BETWEEN.join(part.text for part in parts), divided.reason)

    chosen = _route(planning, divided)
    steps.add("route", rewritten.text, chosen.mode, chosen.reason)

    plain = tuple(_narrow(planning, chosen, part, frozenset()) for part in parts)
    skills = plan_skills(
        rewritten.text,
        chosen,
        planning.skills,
        requested=planning.requested_skill,
        several_parts=len(parts) > 1,
        spoken_domains=[code for narrowing in plain for code in narrowing.domains],
    )
    steps.add("skills", rewritten.text, skills.said, skills.reason)
    at_home = domains_of(skills.skills, planning.skills)
    narrowings = tuple(_narrow(planning, chosen, part, at_home) for part in parts) if at_home else plain
    steps.add(*narrow_step(parts, narrowings))
    chosen = replace(chosen, tools_allowed=tools_with_skills(chosen, skills.skills, planning.skills))
    return Decision(
        rewritten.text, rewritten.rewrite, chosen, parts, narrowings, skills.skills, None, PlannerKind.RULES
    )


def _undecided(rewritten: RewrittenQuestion, asked_back: Clarification, asked_for: tuple[SkillChoice, ...]) -> Decision:
    nothing_said = asked_back.missing == Missing.QUESTION
    route_taken = Route(Mode.CLARIFY, 0.9, f"too little to go on: {asked_back.missing}", False, (), sure=nothing_said)
    parts, narrowings = (Part(rewritten.text),), (Narrowing((), "not searched"),)
    return Decision(
        rewritten.text, rewritten.rewrite, route_taken, parts, narrowings, asked_for, asked_back, PlannerKind.RULES
    )


def _rewrite(planning: PlanningInput, question: str) -> RewrittenQuestion:
    if is_about_conversation(question, has_history=bool(planning.history)):
        return unchanged(question, "about the conversation itself")
    return rewrite(question, planning.history)


def _ask_back(
    planning: PlanningInput, question: str, rewritten: RewrittenQuestion, language: LanguageChoice
) -> Clarification | None:
    if rewritten.rewrite.applied:
        return None
    found = ambiguity_of(question, missing=rewritten.missing, words=rewritten.words) or _unnamed(planning, question)
    if found is None:
        return None
    need = need_of(question, catalogue_words="", has_history=bool(planning.history))
    if need.need is not Need.KNOWLEDGE:  # "what time is it?" names nothing and lacks nothing
        return None
    chosen = set(planning.requested_domains)
    offered = tuple(domain for domain in planning.catalogue if not chosen or domain.code in chosen)
    return clarification(found, question, offered, language.language, said_before(planning.history).listed)


def _unnamed(planning: PlanningInput, question: str) -> Ambiguity | None:
    """A thing that is pointed at but was never named, in a conversation that could have named it."""
    said = " ".join(text for turn in planning.history[-RECENT_TURNS:] for text in (turn.question, turn.answer))
    own = " ".join(text for domain in planning.catalogue for text in (domain.name, *domain.sample_titles))
    if question_language(question) is Language.CHINESE:
        words = unnamed_zh.unnamed_in(question, f"{planning.summary} {said}", own)
    else:
        words = unnamed_en.unnamed_in(question, f"{planning.summary} {said}", own)
    return Ambiguity(Missing.REFERENT, words) if words else None


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


def _narrow(planning: PlanningInput, chosen: Route, part: Part, at_home: frozenset[str]) -> Narrowing:
    if not chosen.use_knowledge:
        return Narrowing((), "not searched")
    if planning.requested_domains:
        return requested_domains(planning.requested_domains, planning.catalogue)
    return narrow(part.text, planning.catalogue, at_home, asked_for=bool(planning.requested_skill))


def _fast_path_reason(planning: PlanningInput, match: FastPathMatch | None) -> str:
    if match is not None:
        return "nothing but a pleasantry or command"
    return _MODE_CHOSEN if planning.requested_mode else "asks something"


def _with_history(question: str, planning: PlanningInput, rewritten: RewrittenQuestion) -> str:
    used = rewritten.rewrite.history_turns_used
    before = [turn.question[:SHOWN] for turn in planning.history[-used:]] if used else []
    return " → ".join([*before, question])
