"""Alembic's entry."""

from superagent_common.db.migrations import run
from superagent_ingestion.adapters.tables import metadata

run(metadata)
