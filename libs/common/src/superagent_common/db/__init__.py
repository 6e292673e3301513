"""A service's relational store: one `Database` per service, short transactions, migrations at start."""

from superagent_common.db.connection import Connection
from superagent_common.db.database import Database
from superagent_common.db.migrations import migrate

__all__ = ["Connection", "Database", "migrate"]
