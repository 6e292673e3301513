"""What this installation is: /about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter

from superagent_gateway.api.models.operations import AboutAnswer
from superagent_gateway.api.routes.common import PREFIX


@dataclass(frozen=True, slots=True)
class Installation:
    """`model` is the name of the language model that answers; empty when none is configured."""

    version: str
    model: str


def about_routes(installation: Installation) -> APIRouter:
    """/about, open to everybody: the page needs it before anybody has logged in."""
    router = APIRouter(prefix=PREFIX, tags=["about"])

    @router.get("/about", response_model=AboutAnswer)
    async def about() -> dict[str, Any]:
        """The version, whether a language model is configured, and who may register."""
        return {
            "version": installation.version,
            "model": {"configured": bool(installation.model), "name": installation.model or None},
            "registration": "open",
        }

    return router
