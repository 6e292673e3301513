"""The migrations make exactly the tables that the code works on."""

from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from superagent_gateway.adapters.tables import metadata


def test_migrations_and_tables_agree(gateway_template: Path) -> None:
    engine = create_engine(f"sqlite:///{gateway_template}/gateway.db")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
