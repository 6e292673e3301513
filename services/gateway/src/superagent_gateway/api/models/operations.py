"""Liveness, readiness, and what this installation is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from superagent_gateway.api.models.base import Answer


class AliveAnswer(Answer):
    status: Literal["alive"]


class ReadyAnswer(Answer):
    status: Literal["ready", "not_ready"]
    services: dict[str, Literal["SERVING", "NOT_SERVING"]]


class ModelAnswer(Answer):
    configured: bool = Field(description="without a model answers are quotes with their citations")
    name: str | None


class AboutAnswer(Answer):
    version: str
    model: ModelAnswer
    registration: Literal["open"] = Field(description="`open`: anybody may make an account")
