"""The services behind the gateway as one gRPC server: real wire, real tokens, invented answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN, RememberingLog, a_turn
from superagent.ingestion.v1 import ingestion_pb2
from superagent.ingestion.v1.ingestion_pb2_grpc import (
    IngestionServiceServicer,
    add_IngestionServiceServicer_to_server,
)
from superagent.memory.v1 import memory_pb2
from superagent.memory.v1.memory_pb2_grpc import MemoryServiceServicer, add_MemoryServiceServicer_to_server
from superagent.orchestrator.v1 import orchestrator_pb2
from superagent.orchestrator.v1.orchestrator_pb2_grpc import (
    OrchestratorServiceServicer,
    add_OrchestratorServiceServicer_to_server,
)
from superagent_common.errors import NotFound
from superagent_common.identity import Identity, KeySet, TokenVerifier, current_identity
from superagent_common.rpc.server import CallInterceptor, Readiness, serve
from superagent_common.telemetry import Telemetry
from superagent_gateway.settings import Settings
from tests.support.ports import own_port


class FakeFleet(OrchestratorServiceServicer, MemoryServiceServicer, IngestionServiceServicer):  # type: ignore[misc]
    """Remembers who called."""

    readiness: Readiness

    def __init__(self) -> None:
        self.identities: list[Identity] = []
        self.part = b""
        self.part_began = asyncio.Event()
        self.part_ended = asyncio.Event()

    async def StartTurn(self, request: Any, context: Any) -> orchestrator_pb2.StartTurnResponse:
        self.identities.append(current_identity())
        return orchestrator_pb2.StartTurnResponse(turn_id=TURN, conversation_id=CONVERSATION)

    async def StreamTurn(
        self, request: orchestrator_pb2.StreamTurnRequest, context: Any
    ) -> AsyncIterator[orchestrator_pb2.StreamTurnResponse]:
        if request.turn_id != TURN:
            raise NotFound("unknown_turn", "There is no such turn.")
        for event in a_turn("one", "two"):
            if event.sequence > request.after_sequence:
                yield orchestrator_pb2.StreamTurnResponse(event=event)

    async def ListConversations(self, request: Any, context: Any) -> memory_pb2.ListConversationsResponse:
        self.identities.append(current_identity())
        return memory_pb2.ListConversationsResponse()

    async def PutPart(self, messages: AsyncIterator[Any], context: Any) -> ingestion_pb2.PutPartResponse:
        try:
            async for message in messages:
                self.part += message.data
                if message.data:
                    self.part_began.set()
        finally:
            self.part_ended.set()
        return ingestion_pb2.PutPartResponse(parts_received=[0], parts_total=1)


@asynccontextmanager
async def fake_fleet(keys: Path) -> AsyncIterator[tuple[FakeFleet, str]]:
    """The fleet and its address."""
    fleet = FakeFleet()
    telemetry = Telemetry("fleet")
    access = {
        f"/superagent.{service}/{method}": "user"
        for service, methods in {
            "orchestrator.v1.OrchestratorService": ("StartTurn", "StreamTurn", "GetPlan"),
            "memory.v1.MemoryService": ("ListConversations",),
            "ingestion.v1.IngestionService": ("PutPart",),
        }.items()
        for method in methods
    }

    add_servicers = [
        partial(add, fleet)
        for add in (
            add_OrchestratorServiceServicer_to_server,
            add_MemoryServiceServicer_to_server,
            add_IngestionServiceServicer_to_server,
        )
    ]

    interceptor = CallInterceptor(
        telemetry,
        TokenVerifier(KeySet.load(keys)),
        access,  # type: ignore[arg-type]
        RememberingLog(),  # type: ignore[arg-type]
    )
    address = f"127.0.0.1:{own_port()}"
    async with serve(address, interceptor, add_servicers, reflection=False, grace_seconds=0.1) as readiness:
        fleet.readiness = readiness
        yield fleet, address
    await telemetry.close()


def gateway_settings(folder: Path, fleet_address: str, redis_url: str, **changes: Any) -> Settings:
    """Settings of a gateway whose data lies in `folder`."""
    values: dict[str, Any] = {
        "listen": f"127.0.0.1:{own_port()}",
        "http_listen": f"127.0.0.1:{own_port()}",
        "keys_dir": folder / "keys",
        "database_url": f"sqlite:///{folder}/gateway.db",
        "redis_url": redis_url,
        "admin_password_file": folder / "admin-password",
        "stop_grace_seconds": 0.2,
        "llm_model": "",
        **{
            f"{name}_address": fleet_address
            for name in ("orchestrator", "agent_executor", "memory", "retrieval", "ingestion", "trace")
        },
    }
    return Settings(**{**values, **changes})
