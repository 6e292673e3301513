"""Skills and tools."""

from __future__ import annotations

from pydantic import Field

from superagent_gateway.api.models.base import Answer


class SkillAnswer(Answer):
    code: str
    name: str
    description: str


class SkillsAnswer(Answer):
    skills: list[SkillAnswer]


class ToolAnswer(Answer):
    name: str
    description: str
    risk: str = Field(description="`read`, `write` or `dangerous`")


class ToolsAnswer(Answer):
    tools: list[ToolAnswer]
