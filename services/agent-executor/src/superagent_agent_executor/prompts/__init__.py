"""Prompts: one Markdown file each, filled with what a plan, its skills and its evidence hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from superagent_agent_executor.domain.evidence import Finding
from superagent_agent_executor.domain.plan import Language, PastTurn, Plan, SubQuestion
from superagent_agent_executor.domain.skills import Skill
from superagent_agent_executor.ports import Skills
from superagent_agent_executor.prompts import rendering
from superagent_common.llm import Message, ModelRequest, ResponseSchema, Tool, ToolCall
from superagent_common.logging import Logger
from superagent_common.prompt_library import Prompt, PromptLibrary

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
_COMPLETION_TOKENS = 200
_COMPLETION_EVIDENCE = 2_500
_COMPLETION_SCHEMA = ResponseSchema(
    "complete_question",
    {
        "type": "object",
        "properties": {"question": {"type": "string"}},
        "required": ["question"],
        "additionalProperties": False,
    },
)


class Prompts:
    """Requests from the prompts of `texts`; those and `skills` are asked each time, for they may change."""

    def __init__(self, texts: PromptLibrary, skills: Skills) -> None:
        self._texts = texts
        self._catalogue = skills

    def chosen_skills(self, plan: Plan) -> tuple[Skill, ...]:
        """The plan's skills that there are, in its order."""
        known = self._catalogue.all()
        return tuple(known[code] for code in plan.skills if code in known)

    def rag(self, plan: Plan, findings: Sequence[Finding]) -> ModelRequest:
        """The answer's prompt: evidence by sub-question, numbered as the answer shall cite it."""
        prompt = self._texts.get("rag.md")
        system = prompt.filled(language=_LANGUAGES[plan.language], context=self._context(plan))
        user = f"{rendering.evidence(findings)}\n\n{rendering.question(plan.question)}"
        if len(findings) > 1:
            user += f"\n\n{rendering.sub_questions(findings)}"
        return _request(plan, prompt, system, user)

    def direct(self, plan: Plan) -> ModelRequest:
        """The model alone."""
        prompt = self._texts.get("direct.md")
        system = prompt.filled(language=_LANGUAGES[plan.language], context=self._context(plan))
        return _request(plan, prompt, system, plan.question, plan.recent_turns)

    def agent(self, plan: Plan, tools: Sequence[Tool]) -> ModelRequest:
        """How an agent's conversation with its tools begins."""
        prompt = self._texts.get("agent.md")
        system = prompt.filled(
            language=_LANGUAGES[plan.language],
            rounds=plan.budget.tool_rounds,
            calls=plan.budget.tool_calls,
            time_zone=plan.time_zone,
            context=self._context(plan),
        )
        return ModelRequest(
            _conversation(system, plan.question, plan.recent_turns, with_tools=bool(tools)),
            "agent",
            tools=tuple(tools),
            max_output_tokens=plan.budget.max_output_tokens,
            prompt=prompt.label,
        )

    def follow_ups(self, plan: Plan, findings: Sequence[Finding]) -> ModelRequest:
        """Three questions to ask next."""
        found = rendering.evidence(findings, _FOLLOW_UP_EVIDENCE)
        prompt = self._texts.get("follow_ups.md")
        system = prompt.filled(language=_LANGUAGES[plan.language])
        return ModelRequest(
            (Message("system", system), Message("user", f"{found}\n\n{rendering.question(plan.question)}")),
            "follow_ups",
            response_schema=_FOLLOW_UP_SCHEMA,
            max_output_tokens=_FOLLOW_UP_TOKENS,
            prompt=prompt.label,
        )

    def complete_question(self, question: SubQuestion, earlier: Sequence[Finding]) -> ModelRequest:
        """What a sub-question asks, from what was found for those it depends on."""
        prompt = self._texts.get("complete_question.md")
        parts = [rendering.earlier(finding, _COMPLETION_EVIDENCE) for finding in earlier]
        user = "\n\n".join((*parts, rendering.question(question.text)))
        return ModelRequest(
            (Message("system", prompt.text.strip()), Message("user", user)),
            "question",
            response_schema=_COMPLETION_SCHEMA,
            max_output_tokens=_COMPLETION_TOKENS,
            prompt=prompt.label,
        )

    @staticmethod
    def read_follow_ups(text: str) -> list[object]:
        """The questions of a model's answer; empty when it is not what was asked for."""
        questions = _object(text).get("questions")
        return questions if isinstance(questions, list) else []

    @staticmethod
    def read_completion(text: str) -> str:
        """The completed question of a model's answer; empty when it is not what was asked for."""
        question = _object(text).get("question")
        return question if isinstance(question, str) else ""

    def _context(self, plan: Plan) -> str:
        skills = self.chosen_skills(plan)
        parts = [rendering.context(plan)]
        if skills:
            prompt = self._texts.get("several_skills.md" if len(skills) > 1 else "skills.md")
            parts.append(prompt.filled(skills=rendering.skill_texts(skills, plan)).strip())
        return "\n\n".join(part for part in parts if part)


def prompt_texts(folder: Path | None, log: Logger) -> PromptLibrary:
    """The shipped prompts and tool descriptions, with those that `folder` has in their place."""
    return PromptLibrary(files(__package__), folder, log)


def tool_description(texts: PromptLibrary, name: str) -> str | None:
    """What a model reads of a tool; None for one that does not ship."""
    prompt = texts.find(f"tools/{name}.md")
    return prompt.text.strip() if prompt else None


def _conversation(
    system: str, user: str, turns: Sequence[PastTurn], *, with_tools: bool = False
) -> tuple[Message, ...]:
    """`with_tools`: the request offers tools, so what was called before may be shown as calls."""
    messages = [Message("system", system)]
    for number, turn in enumerate(turns):
        messages.append(Message("user", turn.question))
        if with_tools:
            messages += _tool_messages(number, turn)
        messages.append(Message("assistant", turn.answer))
    return (*messages, Message("user", user))


def _tool_messages(number: int, turn: PastTurn) -> list[Message]:
    """The calls of a past turn and behind them their results, as the protocol wants them."""
    # Ids of our own: those of two turns may be the same. Nine letters and digits, as Mistral wants them.
    calls = tuple(
        ToolCall(f"past{number:02d}{place:03d}", use.name, use.arguments) for place, use in enumerate(turn.tools)
    )
    results = [
        Message("tool", rendering.past_result(rendering.as_data(use.result)), tool_call_id=call.id)
        for call, use in zip(calls, turn.tools, strict=True)
    ]
    return [Message("assistant", "", tool_calls=calls), *results] if calls else []


def _request(plan: Plan, prompt: Prompt, system: str, user: str, turns: Sequence[PastTurn] = ()) -> ModelRequest:
    return ModelRequest(
        _conversation(system, user, turns),
        "answer",
        max_output_tokens=plan.budget.max_output_tokens,
        prompt=prompt.label,
    )


def _object(text: str) -> Mapping[str, object]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
