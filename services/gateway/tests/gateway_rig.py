"""The gateway's application on a real database file, with fakes where other services are."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
from fastapi import FastAPI
from google.protobuf.timestamp_pb2 import Timestamp
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from services.gateway.tests.gateway_app import app_of
from services.gateway.tests.gateway_fakes import (
    TURN,
    Clock,
    FakeOrchestrator,
    FakeService,
    RememberingLog,
    SilentSignal,
)
from superagent.orchestrator.v1 import events_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import (
    StreamTurnRequest,
)
from superagent_common.db import Database, migrate
from superagent_common.identity import (
    USER_KEY_ID,
    KeySet,
    Principal,
    SigningKey,
    TokenVerifier,
    UserTokens,
    ensure_keys,
)
from superagent_common.telemetry import Telemetry
from superagent_gateway.adapters.argon2_passwords import Argon2Passwords
from superagent_gateway.adapters.local_rate_limits import LocalRateLimits
from superagent_gateway.adapters.sql_configuration import SqlConfigurationStore, SqlDomainStore, SqlOrgTree
from superagent_gateway.adapters.sql_sessions import SqlSessionStore
from superagent_gateway.adapters.sql_users import SqlUserStore
from superagent_gateway.api.app import Fleet, Own
from superagent_gateway.api.chat_socket import ChatSockets
from superagent_gateway.api.edge import refusal
from superagent_gateway.api.event_stream import EventStreams
from superagent_gateway.api.persons import Door
from superagent_gateway.application.accounts import Accounts
from superagent_gateway.application.configuration import CurrentConfiguration
from superagent_gateway.application.knowledge_domains import KnowledgeDomains
from superagent_gateway.application.limits import EdgeLimits, EdgeRules
from superagent_gateway.application.organisation import Organisation
from superagent_gateway.application.people import People
from superagent_gateway.domain import RateRule, User
from superagent_gateway.http_server import serve_http
from superagent_gateway.ports import RateLimits

ANNA = Principal("01990000-0000-7000-8000-00000000000a", "anna", ("user",), ("sales",))
ROOT = Principal("01990000-0000-7000-8000-0000000000ff", "root", ("user", "admin"), ())
AT = Timestamp(seconds=1_769_846_400)
AT_TEXT = "2026-01-31T08:00:00.000000Z"
GENEROUS = EdgeRules(RateRule("registration", 1000, 600), RateRule("login", 1000, 60), RateRule("chat", 1000, 60))


class Rig:
    """The application, its parts and a client."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        rules: EdgeRules,
        shared: RateLimits | None,
        model: str,
        static_dir: Path | None,
        body_seconds: float,
    ) -> None:
        self.clock = Clock()
        self.keys = folder / "keys"
        self.spans = InMemorySpanExporter()
        self.telemetry = Telemetry("gateway", exporter=self.spans)
        self.log = RememberingLog()
        self.signal = SilentSignal()
        self.orchestrator = FakeOrchestrator()
        self.executor, self.memory, self.retrieval, self.ingestion, self.trace = (FakeService() for _ in range(5))
        self.dead_letters = {name: FakeService() for name in ("ingestion", "memory", "orchestrator", "trace")}
        self.serving = {"orchestrator": True, "memory": True}
        clock = self.clock.microseconds
        self.users = SqlUserStore(database)
        self.configuration = CurrentConfiguration(SqlConfigurationStore(database), self.signal, clock)
        self.user_tokens = UserTokens(SigningKey.load(self.keys, USER_KEY_ID), self.clock.seconds)
        self.accounts = Accounts(
            self.users, SqlSessionStore(database), Argon2Passwords(), self.user_tokens, self.configuration, clock
        )
        self.people = People(self.users, self.configuration, clock)
        self.verifier = TokenVerifier(KeySet.load(self.keys), self.clock.seconds)
        own_limits = LocalRateLimits(self.clock.seconds)
        self.streams = EventStreams(0.05, self.configuration.check)
        door = Door(self.verifier, self.configuration, self.accounts)
        limits = EdgeLimits(rules, shared or own_limits, own_limits)
        self.sockets = ChatSockets(
            self.orchestrator,
            limits,
            door,
            self.telemetry,
            self.log,  # type: ignore[arg-type]
            heartbeat_seconds=0.05,
        )
        own = Own(
            self.accounts,
            self.people,
            Organisation(SqlOrgTree(database), self.configuration),
            KnowledgeDomains(SqlDomainStore(database), self.configuration),
            limits,
            door,
            self.streams,
            self.sockets,
        )
        fleet = Fleet(
            self.orchestrator,
            self.executor,
            self.memory,
            self.retrieval,
            self.ingestion,
            self.trace,
            self.dead_letters,
            self._serving,
        )
        self.app: FastAPI = app_of(fleet, own, self.telemetry, self.log, model, static_dir, body_seconds)
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app, raise_app_exceptions=False), base_url="http://gateway"
        )

    async def _serving(self) -> dict[str, bool]:
        return self.serving

    def token(self, principal: Principal = ANNA, version: int = 1) -> str:
        return self.user_tokens.issue(principal, version)

    def as_(self, principal: Principal = ANNA) -> dict[str, str]:
        """Headers of that person's requests."""
        return {"authorization": f"Bearer {self.token(principal)}"}


async def make_template(folder: Path) -> None:
    """An empty database and a set of keys: made once, as migrations take their time."""
    await migrate(f"sqlite:///{folder}/gateway.db", "superagent_gateway")
    ensure_keys(folder / "keys")


@asynccontextmanager
async def gateway_rig(
    template: Path,
    folder: Path,
    rules: EdgeRules = GENEROUS,
    shared: RateLimits | None = None,
    model: str = "",
    static_dir: Path | None = None,
    body_seconds: float = 30,
) -> AsyncIterator[Rig]:
    """The gateway on a copy of `template` (see `make_template`) in `folder`; one at a time, see `gateway_app`."""
    shutil.copytree(template, folder, dirs_exist_ok=True)
    url = f"sqlite:///{folder}/gateway.db"
    telemetry = Telemetry("gateway")
    async with Database.opened(url, tracer=telemetry.tracer) as database:
        rig = Rig(folder, database, rules, shared, model, static_dir, body_seconds)
        # Administration asks the database who somebody is.
        await rig.users.add(User(ROOT.user_id, ROOT.username, ROOT.roles, ROOT.org_tags, 1, 0), "no hash")
        await rig.configuration.reload()
        try:
            yield rig
        finally:
            await rig.http.aclose()
            await rig.telemetry.close()


def frames(text: str) -> list[tuple[str, int, str]]:
    """Events of a stream as (name, id, data); comments and what is no event of the turn are left out."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if "id" in lines:
            found.append((lines["event"], int(lines["id"]), lines["data"]))
    return found


class Feed:
    """Events handed out one at a time."""

    def __init__(self, rig: Rig) -> None:
        self.waiting: asyncio.Queue[events_pb2.TurnEvent] = asyncio.Queue()
        self.left = asyncio.Event()
        rig.orchestrator.events[TURN] = []
        rig.orchestrator.following = self.following  # type: ignore[method-assign]

    async def following(self, request: StreamTurnRequest) -> AsyncIterator[events_pb2.TurnEvent]:
        try:
            while True:
                yield await self.waiting.get()
        finally:
            self.left.set()


@asynccontextmanager
async def served(rig: Rig, *, port: int = 0, stall_seconds: float = 30, grace_seconds: float = 1) -> AsyncIterator[str]:
    """The application behind a real door; gives its base URL."""
    async with serve_http(
        rig.app,
        f"127.0.0.1:{port}",
        trusted_proxies="",
        refusal=partial(refusal, rig.telemetry),
        stall_seconds=stall_seconds,
        heartbeat_seconds=0.05,
        message_bytes=64 * 1024,
        grace_seconds=grace_seconds,
        end_streams=rig.streams.end,
    ) as address:
        yield f"http://{address}"
