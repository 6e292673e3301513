"""A planning model's answer: read strictly, refused with words that the model can mend it by (PLAN-9)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from superagent_orchestrator.domain.plan import Clarification, Mode
from superagent_orchestrator.domain.planning.ambiguity import FEWEST_CHOICES
from superagent_orchestrator.domain.planning.cleaning import readable
from superagent_orchestrator.domain.planning.json_schema import violations
from superagent_orchestrator.domain.planning.split import Part

# A plan of four long questions has a quarter of it.
_LONGEST_REPLY = 16_000
_LONGEST_QUESTION = 1_000
_LONGEST_SHOWN = 300
_LONGEST_CHOICE = 120
# The whole answer in one fence is the answer; text around a fence is prose.
_FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\n(?P<inside>.*?)\n?```", re.DOTALL)


class BadReply(Exception):
    """The answer is no plan; the text says why, for the model and for the trace."""


@dataclass(frozen=True, slots=True)
class ProposedQuestion:
    """A part of the question, with domain codes as the model gave them: they may be unknown.

    The text of a single part may be empty: it is the whole question.
    """

    part: Part
    domains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProposedSkill:
    """A skill the model chose; it may be unknown."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProposedPlan:
    """What a model proposes, well formed but not yet held against what is allowed and known.

    `rewritten_question` is empty when the question stays as it is.
    """

    rewritten_question: str
    rewrite_reason: str
    mode: Mode
    confidence: float
    reason: str
    clarification: Clarification | None
    questions: tuple[ProposedQuestion, ...]
    skills: tuple[ProposedSkill, ...]
    use_knowledge: bool


def read_reply(text: str, schema: Mapping[str, Any]) -> ProposedPlan:
    """The plan in a model's answer. Raises BadReply."""
    document = _document(text)
    found = violations(document, schema)
    if found:
        raise BadReply("; ".join(found))
    mode = Mode(document["mode"])
    given = document["sub_questions"]
    questions = tuple(_question(place, part, alone=len(given) == 1) for place, part in enumerate(given, start=1))
    texts = [question.part.text for question in questions]
    if len(set(texts)) < len(texts):
        raise BadReply("sub_questions must differ from each other")
    return ProposedPlan(
        rewritten_question=readable(document["rewritten_question"]),
        rewrite_reason=readable(document["rewrite_reason"])[:_LONGEST_SHOWN],
        mode=mode,
        confidence=float(document["confidence"]),
        reason=readable(document["reason"])[:_LONGEST_SHOWN],
        clarification=_clarification(document["clarification"]) if mode is Mode.CLARIFY else None,
        questions=questions,
        skills=tuple(
            ProposedSkill(readable(skill["code"]), readable(skill["reason"])[:_LONGEST_SHOWN])
            for skill in document["skills"]
        ),
        use_knowledge=document["use_knowledge"],
    )


def _document(text: str) -> Any:
    text = text.strip()
    fenced = _FENCED.fullmatch(text)
    if fenced and "```" not in fenced["inside"]:
        text = fenced["inside"].strip()
    if len(text) > _LONGEST_REPLY:
        raise BadReply(f"the answer has {len(text)} characters, allowed are {_LONGEST_REPLY}")
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise BadReply("the answer is nested too deep") from None
    except ValueError as error:
        where = f": {error.msg} at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadReply(f"the answer is not one JSON object{where}") from None


def _no_number(name: str) -> NoReturn:
    raise BadReply(f"{name} is no number")


def _question(place: int, given: Mapping[str, Any], *, alone: bool) -> ProposedQuestion:
    text = readable(given["text"])
    if not alone and not 0 < len(text) <= _LONGEST_QUESTION:
        raise BadReply(f"sub_questions[{place - 1}].text must have 1 to {_LONGEST_QUESTION} characters")
    depends_on = tuple(sorted(set(given["depends_on"])))
    if any(not 0 < index < place for index in depends_on):
        raise BadReply(
            f"sub_questions[{place - 1}].depends_on may only name earlier sub-questions, which are counted from 1"
        )
    return ProposedQuestion(Part(text, depends_on), tuple(dict.fromkeys(map(readable, given["domains"]))))


def _clarification(given: Mapping[str, Any] | None) -> Clarification:
    question = readable(given["question"])[:_LONGEST_SHOWN] if given else ""
    if given is None or not question:
        raise BadReply("mode CLARIFY needs clarification.question")
    choices = tuple(dict.fromkeys(filter(None, map(readable, given["choices"]))))
    if len(choices) < FEWEST_CHOICES or any(len(choice) > _LONGEST_CHOICE for choice in choices):
        choices = ()
    return Clarification(question, choices, readable(given["missing"])[:_LONGEST_SHOWN])
