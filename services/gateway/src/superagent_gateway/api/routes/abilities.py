"""What the assistant can do: /skills, /tools."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from superagent.agent_executor.v1 import agent_executor_pb2 as pb
from superagent_gateway.api.models.abilities import SkillsAnswer, ToolsAnswer
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.common import PREFIX


def ability_routes(executor: Any, door: Door) -> APIRouter:
    """/skills and /tools; `executor` is a stub of ExecutorService."""
    router = APIRouter(prefix=PREFIX, tags=["abilities"], dependencies=[Depends(door.person)])

    @router.get("/skills", response_model=SkillsAnswer)
    async def skills() -> dict[str, Any]:
        """Skills by code. `skill` of a chat takes a code; without one the planner chooses."""
        answer = await executor.ListSkills(pb.ListSkillsRequest())
        return {
            "skills": [
                {"code": skill.code, "name": skill.name, "description": skill.description} for skill in answer.skills
            ]
        }

    @router.get("/tools", response_model=ToolsAnswer)
    async def tools() -> dict[str, Any]:
        """Tools that an agent may call, by name."""
        answer = await executor.ListTools(pb.ListToolsRequest())
        return {
            "tools": [{"name": tool.name, "description": tool.description, "risk": tool.risk} for tool in answer.tools]
        }

    return router
