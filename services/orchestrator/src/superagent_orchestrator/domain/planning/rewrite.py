"""Completes a question from the recent turns (PLAN-2)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from superagent_orchestrator.domain.plan import Language, PastTurn, Rewrite
from superagent_orchestrator.domain.planning import reference_en, reference_zh, topic_en, topic_zh
from superagent_orchestrator.domain.planning.fast_path import fast_path
from superagent_orchestrator.domain.planning.found_en import found_in, is_looking
from superagent_orchestrator.domain.planning.identifiers import lost_identifiers
from superagent_orchestrator.domain.planning.language import is_unread, question_language
from superagent_orchestrator.domain.planning.reference import (
    NOTHING_SAID,
    Context,
    Missing,
    Resolution,
    listed_items,
)
from superagent_orchestrator.domain.planning.reference_en import is_remark

# As many turns as memory keeps verbatim (MEM-2): planning costs the same in a long conversation.
RECENT_TURNS = 4
# Longer text explains itself; what it refers to stands in it.
LONGEST_REWRITTEN = 500
_LONGEST_REMEMBERED = 300
_LONGEST_ANSWER = 4_000
_MOST_NAMES = 8


_FIRST_SENTENCE = re.compile(r"(?P<head>[^?？!！。\n]{1,60}[?？!！。\n])\s*(?P<rest>\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RewrittenQuestion:
    """The question as it is to be understood; `missing` and `words` say what stayed open."""

    text: str
    rewrite: Rewrite
    missing: Missing | None
    words: str


def rewrite(question: str, history: tuple[PastTurn, ...]) -> RewrittenQuestion:
    """`question` with pronouns and ellipses completed from the newest turns of `history` (oldest first).

    Only ever adds to the question or puts a name in a pronoun's place; a result that would lose an identifier is
    thrown away.
    """
    context = said_before(history)
    if len(question) > LONGEST_REWRITTEN:
        return unchanged(question, "too long to depend on what was said before")
    resolution = _resolve_whole(question, context)
    lost = lost_identifiers(question, (resolution.text,))
    if lost:
        return unchanged(question, f"rewriting would lose {', '.join(lost)}")
    if not resolution.applied:
        reason = resolution.reason if history else f"no history; {resolution.reason}"
        return replace(unchanged(question, reason), missing=resolution.missing, words=resolution.words)
    used = Rewrite(applied=True, reason=resolution.reason, history_turns_used=max(context.turns_back, 1))
    return RewrittenQuestion(resolution.text, used, None, "")


def _resolve_whole(question: str, context: Context) -> Resolution:
    """The question completed; of several sentences the first, from which the others are understood."""
    whole = resolve(question, context)
    first = _FIRST_SENTENCE.match(question)
    if whole.applied or whole.missing is not None or first is None:
        return whole
    head = resolve(first["head"], context)
    if not head.applied:
        return whole
    return replace(head, text=f"{head.text} {first['rest']}")


def unchanged(question: str, reason: str) -> RewrittenQuestion:
    """`question` as it stands, and why."""
    return RewrittenQuestion(question, Rewrite(False, reason, 0), None, "")


def said_before(history: tuple[PastTurn, ...]) -> Context:
    """What the newest turns leave to refer to; each is understood from those before it."""
    context = NOTHING_SAID
    looking = False
    for turn in history[-RECENT_TURNS:]:
        question = turn.question[:_LONGEST_REMEMBERED].strip()
        context = replace(
            context, turns_back=context.turns_back + 1, listed=listed_items(turn.answer[:_LONGEST_ANSWER])
        )
        if question and fast_path(question) is None and not is_remark(question):
            context = _after(question, context)
        # What was looked for may be found a turn later, when the answer asked back first.
        looking = looking or is_looking(question)
        if looking and (found := found_in(turn.answer)):
            context = replace(context, found=found, turns_back=1)
        looking = looking and turn.answer.rstrip().endswith("?")
        context = replace(context, answer=turn.answer[:_LONGEST_REMEMBERED])
    return context


def context_of(question: str, before: Context) -> Context:
    """`before` with a complete `question` as the newest thing said."""
    grammar = topic_zh if _is_chinese(question) else topic_en
    topic = grammar.topic_of(question)
    if not topic:
        return replace(before, question=question, pending="")
    if before.found and before.found in question:
        topic = before.found
    plural = topic_en.topic_of(question, plural=True) if grammar is topic_en else topic
    return Context(
        topic=topic,
        plural=plural,
        person=grammar.person_of(question),
        action=grammar.action_of(question),
        question=question,
        listed=before.listed,
        turns_back=1,
        earlier=before.topic if before.topic != topic else before.earlier,
        found=before.found if before.found and before.found in question else "",
        answer=before.answer,
        names=tuple(dict.fromkeys((*grammar.names_in(question), *before.names)))[:_MOST_NAMES],
    )


def resolve(question: str, context: Context) -> Resolution:
    """`question` completed from `context` by the rules of the language it is written in."""
    if is_unread(question):
        return Resolution(question, "in a language that the rules do not read: taken as it stands")
    if _is_chinese(question):
        return reference_zh.resolve(question, context)
    return reference_en.resolve(question, context)


def _after(question: str, context: Context) -> Context:
    resolution = resolve(question, context)
    if resolution.missing is not None:
        return replace(context, pending=question)
    return context_of(resolution.text, context)


def _is_chinese(question: str) -> bool:
    return question_language(question) is Language.CHINESE
