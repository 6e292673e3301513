"""Memory's stores on SQLite; on PostgreSQL and MySQL the same suite runs in tests/real."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer

from superagent_common.db import Database
from tests.support.databases import new_database
from tests.support.memory_conformance import MemoryStoreConformance


class TestSqlite(MemoryStoreConformance):
    @pytest.fixture
    async def database(self, tmp_path: Path) -> AsyncIterator[Database]:
        async with Database.opened(await new_database("superagent_memory", tmp_path), tracer=NoOpTracer()) as database:
            yield database
