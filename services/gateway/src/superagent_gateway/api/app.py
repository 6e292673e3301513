"""The HTTP application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import WebSocketRoute
from starlette.types import Scope

from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_gateway.api.chat_socket import ChatSockets
from superagent_gateway.api.edge import Edge
from superagent_gateway.api.event_stream import EventStreams
from superagent_gateway.api.models.dead_letters import Consumer
from superagent_gateway.api.openapi import TITLE, VERSION, describe, docs_page
from superagent_gateway.api.page import Page
from superagent_gateway.api.persons import Door
from superagent_gateway.api.problems import render_failures
from superagent_gateway.api.routes.abilities import ability_routes
from superagent_gateway.api.routes.about import Installation, about_routes
from superagent_gateway.api.routes.accounts import account_routes
from superagent_gateway.api.routes.administration import administration_routes
from superagent_gateway.api.routes.common import PREFIX, PROBLEMS
from superagent_gateway.api.routes.conversation_memory import conversation_memory_routes
from superagent_gateway.api.routes.conversations import conversation_routes
from superagent_gateway.api.routes.dead_letters import dead_letter_routes
from superagent_gateway.api.routes.documents import document_routes
from superagent_gateway.api.routes.domain_administration import domain_administration_routes
from superagent_gateway.api.routes.my_memory import my_memory_routes
from superagent_gateway.api.routes.openai_face import COMPLETIONS, openai_routes
from superagent_gateway.api.routes.operations import operation_routes
from superagent_gateway.api.routes.retrieval import retrieval_routes
from superagent_gateway.api.routes.turns import trace_routes, turn_routes
from superagent_gateway.application.accounts import Accounts
from superagent_gateway.application.knowledge_domains import KnowledgeDomains
from superagent_gateway.application.limits import EdgeLimits
from superagent_gateway.application.organisation import Organisation
from superagent_gateway.application.people import People


@dataclass(frozen=True, slots=True)
class Fleet:
    """Generated stubs of the services behind the gateway, and which of them serve."""

    orchestrator: Any
    executor: Any
    memory: Any
    retrieval: Any
    ingestion: Any
    trace: Any
    dead_letters: Mapping[Consumer, Any]
    serving: Callable[[], Awaitable[dict[str, bool]]]


@dataclass(frozen=True, slots=True)
class Own:
    """The gateway's own use cases."""

    accounts: Accounts
    people: People
    organisation: Organisation
    domains: KnowledgeDomains
    limits: EdgeLimits
    door: Door
    streams: EventStreams
    sockets: ChatSockets


def make_app(
    fleet: Fleet,
    own: Own,
    installation: Installation,
    telemetry: Telemetry,
    log: Logger,
    *,
    body_bytes: int,
    completion_bytes: int,
    part_bytes: int,
    body_seconds: float,
    static_dir: Path | None,
) -> FastAPI:
    """Everything under /api/v1, the operators' paths, the description, and the page at /.

    Bodies are taken up to `body_bytes`, those of chat completions, which bring their history along, up to
    `completion_bytes`, those of parts up to `part_bytes`; one that stands still for `body_seconds` is broken off.
    """
    app = FastAPI(title=TITLE, version=VERSION, openapi_url=None, redirect_slashes=False)

    def body_limit(scope: Scope) -> int:
        if scope["path"] == COMPLETIONS:
            return completion_bytes
        return part_bytes if scope["method"] == "PUT" and "/parts/" in scope["path"] else body_bytes

    app.add_middleware(Edge, telemetry=telemetry, log=log, body_limit=body_limit, body_seconds=body_seconds)
    render_failures(app)
    for routes in (
        about_routes(installation),
        account_routes(own.accounts, own.organisation, own.limits, own.door),
        turn_routes(fleet.orchestrator, own.streams, own.limits, own.door),
        conversation_routes(fleet.memory, own.door),
        conversation_memory_routes(fleet.memory, own.limits, own.door),
        my_memory_routes(fleet.memory, own.door),
        document_routes(fleet.ingestion, own.domains, own.door),
        retrieval_routes(fleet.retrieval, own.door),
        ability_routes(fleet.executor, own.door),
        trace_routes(fleet.trace, fleet.orchestrator, own.door),
        administration_routes(own.people, own.organisation, own.door),
        domain_administration_routes(own.domains, own.door),
        dead_letter_routes(fleet.dead_letters, own.door),
        openai_routes(fleet.orchestrator, own.streams, own.limits, own.door),
    ):
        app.include_router(routes, responses=PROBLEMS)
    app.include_router(operation_routes(fleet.serving, telemetry.registry, ""))
    # Clients that know only the API's base address find these there as well.
    app.include_router(operation_routes(fleet.serving, telemetry.registry, PREFIX), include_in_schema=False)
    app.router.routes.append(WebSocketRoute(f"{PREFIX}/ws", own.sockets))
    _describe(app)
    app.router.default = Page(static_dir, f"{TITLE}: the API is at {PREFIX}, its description at /docs\n")
    return app


def _describe(app: FastAPI) -> None:
    router = APIRouter(include_in_schema=False)

    @router.get("/openapi.json")
    async def openapi() -> Response:
        return JSONResponse(document())

    @router.get("/docs")
    async def docs() -> Response:
        return HTMLResponse(docs_page(document()))

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe(app.routes, PREFIX)
        return app.openapi_schema

    app.include_router(router)
