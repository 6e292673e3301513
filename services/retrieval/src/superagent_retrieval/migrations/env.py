"""Alembic's entry."""

from superagent_common.db.migrations import run
from superagent_retrieval.adapters.tables import metadata

run(metadata)
