"""What becomes of turns that were stored by an earlier version."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Engine, create_engine, text

from superagent_orchestrator.adapters.tables import metadata


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return create_engine(f"sqlite:///{tmp_path}/turns.db")


def upgrade(engine: Engine, revision: str) -> None:
    versions = Path(str(resources.files("superagent_orchestrator"))) / "migrations" / "versions"
    (path,) = versions.glob(f"{revision}_*.py")
    code: dict[str, object] = {}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), code)  # its name begins with a digit: no module to import
    with engine.begin() as connection, Operations.context(MigrationContext.configure(connection)):
        code["upgrade"]()  # type: ignore[operator]


def test_turns_of_each_conversation_are_numbered_in_the_order_of_their_times(engine: Engine) -> None:
    upgrade(engine, "0001")
    with engine.begin() as connection:
        for turn_id, conversation, started_at in (("t3", "a", 3), ("t1", "a", 1), ("t2", "b", 2), ("t0", "a", 3)):
            connection.execute(
                text(
                    "INSERT INTO turns (turn_id, conversation_id, user_id, principal, request, trace_parent, started_at,"
                    " owner, attempts) VALUES (:t, :c, 'u', '{}', '', '', :s, 'o', 1)"
                ),
                {"t": turn_id, "c": conversation, "s": started_at},
            )
    upgrade(engine, "0002")
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT conversation_id, position, turn_id FROM turns ORDER BY 1, 2")).all()
    assert [tuple(row) for row in rows] == [("a", 1, "t1"), ("a", 2, "t0"), ("a", 3, "t3"), ("b", 1, "t2")]


def test_migrations_and_tables_agree(engine: Engine) -> None:
    for revision in ("0001", "0002", "0003", "0004", "0005"):
        upgrade(engine, revision)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
