"""Prompts: one Markdown file each, filled with what a plan and its evidence hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from string import Template

from superagent_agent_executor.domain.evidence import Finding
from superagent_agent_executor.domain.plan import Language, PastTurn, Plan
from superagent_common.llm import Message, ModelRequest, ResponseSchema

_LANGUAGES: dict[Language, str] = {"zh": "Simplified Chinese (简体中文)", "en": "English"}
_FOLLOW_UP_TOKENS = 300
_FOLLOW_UP_EVIDENCE = 1_500
_FOLLOW_UP_SCHEMA = ResponseSchema(
    "follow_ups",
    {
        "type": "object",
        "properties": {"questions": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
        "required": ["questions"],
        "additionalProperties": False,
    },
)


class Prompts:
    """The shipped prompts, read once."""

    def __init__(self) -> None:
        self._rag = _read("rag.md")
        self._direct = _read("direct.md")
        self._follow_ups = _read("follow_ups.md")

    def rag(self, plan: Plan, findings: Sequence[Finding]) -> ModelRequest:
        """The answer's prompt: evidence by sub-question, numbered as the answer shall cite it."""
        system = self._rag.substitute(language=_LANGUAGES[plan.language], context=_context(plan))
        user = f"{_evidence(findings)}\n\n<question>\n{plan.question}\n</question>"
        if len(findings) > 1:
            listed = "\n".join(f"{finding.question.index}. {finding.question.text}" for finding in findings)
            user += f"\n\n<sub_questions>\n{listed}\n</sub_questions>"
        return _request(plan, system, user)

    def direct(self, plan: Plan) -> ModelRequest:
        """The model alone."""
        system = self._direct.substitute(language=_LANGUAGES[plan.language], context=_context(plan))
        return _request(plan, system, plan.question, plan.recent_turns)

    def follow_ups(self, plan: Plan, findings: Sequence[Finding]) -> ModelRequest:
        """Three questions to ask next."""
        evidence = _evidence(findings)[:_FOLLOW_UP_EVIDENCE]
        system = self._follow_ups.substitute(language=_LANGUAGES[plan.language])
        return ModelRequest(
            (Message("system", system), Message("user", f"{evidence}\n\n<question>\n{plan.question}\n</question>")),
            "follow_ups",
            response_schema=_FOLLOW_UP_SCHEMA,
            max_output_tokens=_FOLLOW_UP_TOKENS,
        )

    @staticmethod
    def read_follow_ups(text: str) -> list[object]:
        """The questions of a model's answer; empty when it is not what was asked for."""
        try:
            answer = json.loads(text)
        except ValueError:
            return []
        questions = answer.get("questions") if isinstance(answer, dict) else None
        return questions if isinstance(questions, list) else []


def _request(plan: Plan, system: str, user: str, turns: Sequence[PastTurn] = ()) -> ModelRequest:
    history = [
        message for turn in turns for message in (Message("user", turn.question), Message("assistant", turn.answer))
    ]
    return ModelRequest(
        (Message("system", system), *history, Message("user", user)),
        "answer",
        max_output_tokens=plan.budget.max_output_tokens,
    )


def _evidence(findings: Sequence[Finding]) -> str:
    parts = []
    shown: set[int] = set()
    for finding in findings:
        for passage in finding.passages:
            if passage.citation_id in shown:
                continue
            shown.add(passage.citation_id)
            place = " > ".join((passage.title, *passage.heading_path))
            page = f", page {passage.page_from}" if passage.page_from else ""
            parts.append(f"[{passage.citation_id}] ({place}{page})\n{passage.text}")
    return "<evidence>\n" + "\n\n".join(parts) + "\n</evidence>"


def _context(plan: Plan) -> str:
    parts = []
    if plan.summary:
        parts.append(f"Summary of the conversation so far:\n{plan.summary}")
    if plan.facts:
        parts.append("Facts to keep in mind:\n" + "\n".join(f"- {fact}" for fact in plan.facts))
    return "\n\n".join(parts)


def _read(name: str) -> Template:
    return Template((files(__package__) / name).read_text(encoding="utf-8"))
