"""Liveness and readiness."""

from __future__ import annotations

from typing import Literal

from superagent_gateway.api.models.base import Answer


class AliveAnswer(Answer):
    status: Literal["alive"]


class ReadyAnswer(Answer):
    status: Literal["ready", "not_ready"]
    services: dict[str, Literal["SERVING", "NOT_SERVING"]]
