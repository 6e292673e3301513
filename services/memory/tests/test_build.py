"""The service as it is put together."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer

from dev.ports import PortBook
from superagent_common import clock
from superagent_common.bus import Outbox
from superagent_common.db import Database
from superagent_common.identity import ensure_keys
from superagent_common.ids import new_id
from superagent_memory.adapters.sql_conversations import SqlConversationStore
from superagent_memory.adapters.tables import outbox
from superagent_memory.build import build
from superagent_memory.domain.conversations import Conversation
from superagent_memory.settings import Settings
from tests.support.databases import new_database
from tests.support.memory_turns import ANNA


@pytest.mark.parametrize("retention", [True, False])
async def test_inactive_conversations_are_swept_only_when_that_is_wanted(tmp_path: Path, retention: bool) -> None:
    """Without Kafka, too: it waits for it."""
    ensure_keys(tmp_path / "keys")
    url = await new_database("superagent_memory", tmp_path)
    ports = PortBook(tmp_path / "ports.json")
    settings = Settings(
        listen=f"127.0.0.1:{ports.port('memory')}",
        keys_dir=tmp_path / "keys",
        database_url=url,
        kafka_brokers="127.0.0.1:1",
        retention=retention,
        retention_days=7,
    )
    now = clock.now()
    used = Conversation(new_id(), ANNA, "used", False, "summary", now, now)
    left = replace(used, conversation_id=new_id(), title="left", updated_at=now - 8 * 86_400 * clock.SECOND)
    async with Database.opened(url, tracer=NoOpTracer()) as database:
        store = SqlConversationStore(database, Outbox(outbox), lambda: None)
        for each in (used, left):
            await store.create(each)
        async with build(settings), asyncio.timeout(120):
            while retention and len(await store.find(ANNA, "", None, 5)) > 1:
                await asyncio.sleep(0.02)
        assert [each.title for each in await store.find(ANNA, "", None, 5)] == [
            "used",
            *([] if retention else ["left"]),
        ]
    ports.close()
