"""What is remembered of the caller across conversations: /me/memory."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Response

from superagent.memory.v1 import memory_pb2 as pb
from superagent_gateway.api.models.memory import MyMemoryAnswer, MyMemoryChangeBody
from superagent_gateway.api.persons import Door
from superagent_gateway.api.presenters.memory import my_memory_json
from superagent_gateway.api.routes.common import PREFIX


def my_memory_routes(memory: Any, door: Door) -> APIRouter:
    """`memory` is a stub of MemoryService."""
    router = APIRouter(prefix=f"{PREFIX}/me/memory", tags=["memory"], dependencies=[Depends(door.person)])

    @router.get("", response_model=MyMemoryAnswer)
    async def remembered() -> dict[str, Any]:
        """What is remembered; off until the person switches it on."""
        answer = await memory.GetUserMemory(pb.GetUserMemoryRequest())
        return my_memory_json(answer.enabled, answer.items)

    @router.patch("", response_model=MyMemoryAnswer)
    async def change(body: MyMemoryChangeBody) -> dict[str, Any]:
        """Switches it on or off, which keeps the items, and adds one."""
        answer = await memory.UpdateUserMemory(pb.UpdateUserMemoryRequest(enabled=body.enabled, add=body.add or ""))
        return my_memory_json(answer.enabled, answer.items)

    @router.delete("", status_code=204)
    async def forget_all() -> Response:
        """Forgets everything."""
        await memory.DeleteUserMemory(pb.DeleteUserMemoryRequest())
        return Response(status_code=204)

    @router.delete("/{item_id}", status_code=204)
    async def forget(item_id: str) -> Response:
        """Forgets one item."""
        await memory.DeleteUserMemory(pb.DeleteUserMemoryRequest(item_id=item_id))
        return Response(status_code=204)

    return router
