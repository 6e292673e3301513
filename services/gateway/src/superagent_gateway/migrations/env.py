"""Runs the gateway's migrations."""

from superagent_common.db.migrations import run
from superagent_gateway.adapters.tables import metadata

run(metadata)
