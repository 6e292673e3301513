"""Alembic's entry."""

from superagent_common.db.migrations import run
from superagent_orchestrator.adapters.tables import metadata

run(metadata)
