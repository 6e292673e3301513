"""Writes a service's next Alembic revision from the difference between its tables and its migrations.

Usage: python -m dev.make_migration <service> <what_it_does>
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from alembic.autogenerate import produce_migrations, render_python_code
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from superagent_common.db import migrate

_TEMPLATE = '''"""{title}."""

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = {down}


def upgrade() -> None:
    {up}


def downgrade() -> None:
    {down_code}
'''


def write(service: str, what: str) -> Path:
    package = f"superagent_{service.replace('-', '_')}"
    metadata = import_module(f"{package}.adapters.tables").metadata
    versions = Path(import_module(package).__path__[0]) / "migrations" / "versions"
    previous = sorted(path.name[:4] for path in versions.glob("[0-9]*.py"))
    revision = f"{len(previous) + 1:04d}"
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/new.db"
        if previous:
            asyncio.run(migrate(url, package))
        with create_engine(url).connect() as connection:
            context = MigrationContext.configure(connection, opts={"target_metadata": metadata})
            difference = produce_migrations(context, metadata)
    path = versions / f"{revision}_{what}.py"
    code = _TEMPLATE.format(
        title=what.replace("_", " ").capitalize(),
        revision=revision,
        down=f'"{previous[-1]}"' if previous else None,
        up=render_python_code(difference.upgrade_ops, migration_context=context),
        down_code=render_python_code(difference.downgrade_ops, migration_context=context),
    )
    path.write_text("".join(line for line in code.splitlines(True) if "### " not in line))
    return path


if __name__ == "__main__":
    print(write(*sys.argv[1:3]))
