"""Alembic's entry."""

from superagent_common.db.migrations import run
from superagent_trace.adapters.tables import metadata

run(metadata)
