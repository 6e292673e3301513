"""Composition root of the memory service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from superagent.memory.v1.memory_pb2_grpc import add_MemoryServiceServicer_to_server
from superagent_common import clock
from superagent_common.db import Database, migrate
from superagent_common.runtime import service_core
from superagent_memory.adapters.sql_conversations import SqlConversationStore
from superagent_memory.api import ACCESS, MemoryApi
from superagent_memory.application import Memory
from superagent_memory.settings import Settings


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves memory until the block ends."""
    await migrate(settings.database_url, "superagent_memory")
    async with (
        service_core("memory", settings) as core,
        Database.opened(settings.database_url, tracer=core.telemetry.tracer) as database,
    ):
        api = MemoryApi(Memory(SqlConversationStore(database), clock.now))

        async with core.serve(ACCESS, partial(add_MemoryServiceServicer_to_server, api)):
            yield
