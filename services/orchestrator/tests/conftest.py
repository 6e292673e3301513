"""Fixtures of turns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer

from services.orchestrator.tests.fakes import (
    FakeConversations,
    FakeEventLog,
)
from services.orchestrator.tests.turns_rig import Rig
from superagent_common.db import Database
from tests.support.databases import new_database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database.opened(await new_database("superagent_orchestrator", tmp_path), tracer=NoOpTracer()) as opened:
        yield opened


@pytest.fixture
async def rig(database: Database) -> AsyncIterator[Rig]:
    made = Rig(database, FakeEventLog(), FakeConversations())
    async with made.own.running():
        yield made
