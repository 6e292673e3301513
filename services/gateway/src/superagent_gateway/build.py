"""Composition root of the gateway."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path

from redis.asyncio import Redis

from superagent.agent_executor.v1.agent_executor_pb2_grpc import ExecutorServiceStub
from superagent.common.v1.common_pb2_grpc import DeadLetterServiceStub
from superagent.gateway.v1.gateway_pb2_grpc import add_ConfigServiceServicer_to_server
from superagent.ingestion.v1.ingestion_pb2_grpc import IngestionServiceStub
from superagent.memory.v1.memory_pb2_grpc import MemoryServiceStub
from superagent.orchestrator.v1.orchestrator_pb2_grpc import OrchestratorServiceStub
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from superagent.trace.v1.trace_pb2_grpc import TraceServiceStub
from superagent_common import clock
from superagent_common.db import Database, migrate
from superagent_common.identity import USER_KEY_ID, SigningKey, UserTokens
from superagent_common.private_file import write_private
from superagent_common.redis_client import opened_redis
from superagent_common.runtime import ServiceCore, service_core
from superagent_common.tasks import repeating, running
from superagent_gateway.adapters.argon2_passwords import Argon2Passwords
from superagent_gateway.adapters.fleet_health import FleetHealth
from superagent_gateway.adapters.local_rate_limits import LocalRateLimits
from superagent_gateway.adapters.redis_rate_limits import RedisRateLimits
from superagent_gateway.adapters.redis_signal import RedisConfigurationSignal
from superagent_gateway.adapters.sql_configuration import SqlConfigurationStore, SqlDomainStore, SqlOrgTree
from superagent_gateway.adapters.sql_sessions import SqlSessionStore
from superagent_gateway.adapters.sql_users import SqlUserStore
from superagent_gateway.api.app import Fleet, Own, make_app
from superagent_gateway.api.chat_socket import ChatSockets
from superagent_gateway.api.config_service import ACCESS, ConfigApi
from superagent_gateway.api.edge import refusal
from superagent_gateway.api.event_stream import EventStreams
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.about import Installation
from superagent_gateway.application.accounts import Accounts
from superagent_gateway.application.configuration import CurrentConfiguration
from superagent_gateway.application.knowledge_domains import KnowledgeDomains
from superagent_gateway.application.limits import EdgeLimits, EdgeRules
from superagent_gateway.application.organisation import Organisation
from superagent_gateway.application.people import People
from superagent_gateway.domain import RateRule
from superagent_gateway.http_server import serve_http
from superagent_gateway.settings import Settings

_DISTRIBUTION = "superagent"
_REDIS_SECONDS = 0.5


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves the gateway until the block ends."""
    await migrate(settings.database_url, "superagent_gateway")
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(service_core("gateway", settings))
        database = await stack.enter_async_context(Database.opened(settings.database_url, tracer=core.telemetry.tracer))
        # No waiting for a Redis that is gone: what it does here has a tier below.
        redis = await stack.enter_async_context(opened_redis(settings.redis_url, give_up_seconds=_REDIS_SECONDS))
        subscriber = Redis.from_url(settings.redis_url, socket_connect_timeout=_REDIS_SECONDS)
        stack.push_async_callback(subscriber.aclose)

        signal = RedisConfigurationSignal(redis, subscriber, core.log)
        configuration = CurrentConfiguration(SqlConfigurationStore(database), signal, clock.now)
        users = SqlUserStore(database)
        accounts = Accounts(
            users,
            SqlSessionStore(database),
            Argon2Passwords(),
            UserTokens(SigningKey.load(settings.keys_dir, USER_KEY_ID)),
            configuration,
            clock.now,
        )
        await accounts.ensure_administrator(_announcer(settings.admin_password_file))
        await configuration.reload()

        streams = EventStreams(settings.heartbeat_seconds, configuration.check)
        door = Door(core.verifier, configuration, accounts)
        limits = EdgeLimits(_rules(settings), RedisRateLimits(redis, core.log), LocalRateLimits())
        fleet = await _fleet(settings, core, stack)
        own = Own(
            accounts,
            People(users, configuration, clock.now),
            Organisation(SqlOrgTree(database), configuration),
            KnowledgeDomains(SqlDomainStore(database), configuration),
            limits,
            door,
            streams,
            ChatSockets(
                fleet.orchestrator, limits, door, core.telemetry, core.log, heartbeat_seconds=settings.heartbeat_seconds
            ),
        )
        app = make_app(
            fleet,
            own,
            Installation(version(_DISTRIBUTION), settings.llm_model),
            core.telemetry,
            core.log,
            body_bytes=settings.body_bytes,
            completion_bytes=settings.completion_bytes,
            part_bytes=settings.part_bytes,
            body_seconds=settings.body_seconds,
            static_dir=settings.static_dir,
        )
        api = ConfigApi(configuration)
        await stack.enter_async_context(core.serve(ACCESS, partial(add_ConfigServiceServicer_to_server, api)))
        for work in (
            signal.follow(configuration.reload),
            # For what the signal missed.
            repeating(configuration.reload, settings.configuration_seconds, core.log, "configuration_not_read"),
        ):
            await stack.enter_async_context(running(work))
        await stack.enter_async_context(
            serve_http(
                app,
                settings.http_listen,
                trusted_proxies=settings.trusted_proxies,
                refusal=partial(refusal, core.telemetry),
                stall_seconds=settings.body_seconds,
                heartbeat_seconds=settings.heartbeat_seconds,
                message_bytes=settings.body_bytes,
                grace_seconds=settings.stop_grace_seconds,
                end_streams=streams.end,
            )
        )
        yield


async def _fleet(settings: Settings, core: ServiceCore, stack: AsyncExitStack) -> Fleet:
    health = FleetHealth(
        {
            "orchestrator": settings.orchestrator_address,
            "agent-executor": settings.agent_executor_address,
            "memory": settings.memory_address,
            "retrieval": settings.retrieval_address,
            "ingestion": settings.ingestion_address,
            "trace": settings.trace_address,
        }
    )
    stack.push_async_callback(health.close)
    orchestrator, ingestion, memory, trace = map(
        core.channel,
        (settings.orchestrator_address, settings.ingestion_address, settings.memory_address, settings.trace_address),
    )
    return Fleet(
        OrchestratorServiceStub(orchestrator),
        ExecutorServiceStub(core.channel(settings.agent_executor_address)),
        MemoryServiceStub(memory),
        RetrievalServiceStub(core.channel(settings.retrieval_address)),
        IngestionServiceStub(ingestion),
        TraceServiceStub(trace),
        {
            "ingestion": DeadLetterServiceStub(ingestion),
            "memory": DeadLetterServiceStub(memory),
            "orchestrator": DeadLetterServiceStub(orchestrator),
            "trace": DeadLetterServiceStub(trace),
        },
        health.serving,
    )


def _rules(settings: Settings) -> EdgeRules:
    return EdgeRules(
        RateRule("registration", settings.registrations_per_10_minutes, 600),
        RateRule("login", settings.logins_per_minute, 60),
        RateRule("chat", settings.chats_per_minute, 60),
    )


def _announcer(file: Path | None) -> Callable[[str, str], None]:
    """How the first administrator's password reaches a person: a file only its owner reads, or one line, once."""

    def write(username: str, password: str) -> None:
        if file is None:
            sys.stderr.write(f"First administrator: {username} / {password}\n")
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, f"{username}\n{password}\n")

    return write
