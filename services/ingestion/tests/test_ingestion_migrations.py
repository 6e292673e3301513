"""The migrations make exactly the tables that the code works on."""

from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from superagent_common.db import migrate
from superagent_ingestion.adapters.tables import metadata


async def test_migrations_and_tables_agree(tmp_path: Path) -> None:
    await migrate(f"sqlite:///{tmp_path}/ingestion.db", "superagent_ingestion")
    engine = create_engine(f"sqlite:///{tmp_path}/ingestion.db")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
