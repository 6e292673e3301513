"""Databases of their own on a real server, with a service's tables."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from opentelemetry.trace import NoOpTracer
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from superagent_common.db import Database, migrate

POSTGRESQL, MYSQL = "POSTGRESQL_URL", "MYSQL_URL"
EACH = [pytest.param(setting, marks=pytest.mark.real(setting)) for setting in (POSTGRESQL, MYSQL)]
"""Settings that name the servers, as parameters of a test or a fixture."""


@asynccontextmanager
async def new_database(server_url: str) -> AsyncIterator[str]:
    """URL of a new empty database on a server, dropped afterwards."""
    name = f"test_{secrets.token_hex(6)}"
    engine = create_async_engine(server_url, isolation_level="AUTOCOMMIT")
    charset = " CHARACTER SET utf8mb4" if engine.dialect.name == "mysql" else ""
    try:
        async with engine.connect() as connection:
            await connection.execute(text(f"CREATE DATABASE {name}{charset}"))
        yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    finally:
        async with engine.connect() as connection:
            force = " WITH (FORCE)" if engine.dialect.name == "postgresql" else ""
            await connection.execute(text(f"DROP DATABASE IF EXISTS {name}{force}"))
        await engine.dispose()


@asynccontextmanager
async def migrated_database(server_url: str, package: str) -> AsyncIterator[str]:
    """As `new_database`, with the newest tables of a service."""
    async with new_database(server_url) as url:
        await migrate(url, package)
        yield url


@asynccontextmanager
async def opened_database(setting: str, package: str) -> AsyncIterator[Database]:
    """A new database with the newest tables of a service, on the server that a setting names."""
    async with (
        migrated_database(os.environ[setting], package) as url,
        Database.opened(url, tracer=NoOpTracer()) as database,
    ):
        yield database
