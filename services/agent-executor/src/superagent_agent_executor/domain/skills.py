"""Skills: points of view that an answer takes, as a `SKILL.md` describes them (SKL-1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from superagent_agent_executor.domain.plan import Language
from superagent_common.errors import InvalidInput

_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TOOL = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_FIELDS = frozenset({"name", "title", "description", "when_to_use", "keywords", "domains", "tools", "fallback"})
_TITLE_CHARACTERS = 60
_DESCRIPTION_CHARACTERS = 1_000
_WORD_CHARACTERS = 60
_LIST_LENGTH = 100
INSTRUCTION_CHARACTERS = 4_000
"""Per language: more would crowd out the evidence."""
# A body may say the same in both languages; then only the answer's language goes into the prompt.
_PARTS: dict[str, Language] = {"# 中文": "zh", "# English": "en"}


@dataclass(frozen=True, slots=True)
class Skill:
    """Empty `domains` and `tools` mean all; `fallback` takes what fits no other skill."""

    code: str
    titles: Mapping[Language, str]
    description: str
    when_to_use: str
    keywords: tuple[str, ...]
    domains: tuple[str, ...]
    tools: tuple[str, ...]
    fallback: bool
    instructions: Mapping[Language, str]


def checked_skill(fields: Mapping[str, object], body: str) -> Skill:
    """A skill from the front matter and the body of its `SKILL.md`. Raises InvalidInput that says what is wrong with it."""
    if unknown := sorted(fields.keys() - _FIELDS):
        raise _invalid(f"unknown field {unknown[0]}; known are {', '.join(sorted(_FIELDS))}")
    code = _string(fields, "name", 64)
    if not _CODE.fullmatch(code):
        raise _invalid("name must be lower-case words joined by hyphens")
    return Skill(
        code=code,
        titles=_titles(fields.get("title", code)),
        description=_string(fields, "description", _DESCRIPTION_CHARACTERS),
        when_to_use=_string(fields, "when_to_use", _DESCRIPTION_CHARACTERS),
        keywords=_words(fields, "keywords"),
        domains=_words(fields, "domains"),
        tools=_tools(fields),
        fallback=_flag(fields, "fallback"),
        instructions=_instructions(body),
    )


def merged(shipped: Mapping[str, Skill], own: Mapping[str, Skill]) -> dict[str, Skill]:
    """Both by code, in order of code; an own skill stands in for the shipped one, and an own fallback for its part in it."""
    if any(skill.fallback for skill in own.values()):
        shipped = {code: replace(skill, fallback=False) for code, skill in shipped.items()}
    return dict(sorted({**shipped, **own}.items()))


def _titles(value: object) -> dict[Language, str]:
    both = {"zh": value, "en": value} if isinstance(value, str) else value
    if not isinstance(both, dict) or set(both) != {"zh", "en"}:
        raise _invalid("title must be a text, or hold zh and en")
    titles: dict[Language, str] = {"zh": str(both["zh"]), "en": str(both["en"])}
    if any(not title or len(title) > _TITLE_CHARACTERS for title in titles.values()):
        raise _invalid(f"a title has 1 to {_TITLE_CHARACTERS} characters")
    return titles


def _instructions(body: str) -> dict[Language, str]:
    parts: dict[Language, list[str]] = {}
    language: Language | None = None
    for line in body.splitlines():
        if line.strip() in _PARTS:
            language = _PARTS[line.strip()]
            parts[language] = []
        elif language:
            parts[language].append(line)
    whole = {name: "\n".join(lines).strip() for name, lines in parts.items()}
    texts: dict[Language, str] = {"zh": whole["zh"], "en": whole["en"]} if len(whole) == 2 else {"zh": body, "en": body}
    if not all(texts.values()):
        raise _invalid("the instructions below the front matter are missing")
    if any(len(text) > INSTRUCTION_CHARACTERS for text in texts.values()):
        raise _invalid(f"instructions have at most {INSTRUCTION_CHARACTERS} characters per language")
    return texts


def _string(fields: Mapping[str, object], name: str, longest: int) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _invalid(f"{name} must be a text")
    if len(value) > longest:
        raise _invalid(f"{name} has at most {longest} characters")
    return value


def _words(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = fields.get(name, [])
    if not isinstance(value, list):
        raise _invalid(f"{name} must be a list")
    if len(value) > _LIST_LENGTH or any(not _is_word(word) for word in value):
        raise _invalid(f"{name}: at most {_LIST_LENGTH} items of 1 to {_WORD_CHARACTERS} characters")
    return tuple(dict.fromkeys(value))


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= _WORD_CHARACTERS


def _tools(fields: Mapping[str, object]) -> tuple[str, ...]:
    tools = _words(fields, "tools")
    if bad := next((tool for tool in tools if not _TOOL.fullmatch(tool)), None):
        raise _invalid(f"{bad} cannot be the name of a tool")
    return tools


def _flag(fields: Mapping[str, object], name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise _invalid(f"{name} must be true or false")
    return value


def _invalid(why: str) -> InvalidInput:
    return InvalidInput("invalid_skill", why)
