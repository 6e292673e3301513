"""For those who run the fleet: /healthz, /readyz, /metrics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from superagent_gateway.api.models.operations import AliveAnswer, ReadyAnswer


def operation_routes(
    serving: Callable[[], Awaitable[dict[str, bool]]], registry: CollectorRegistry, prefix: str
) -> APIRouter:
    """`serving` gives each service behind the gateway and whether it serves."""
    router = APIRouter(prefix=prefix, tags=["operations"])

    @router.get("/healthz", response_model=AliveAnswer)
    async def alive() -> dict[str, Any]:
        """This process answers."""
        return {"status": "alive"}

    @router.get("/readyz", response_model=ReadyAnswer, responses={503: {"model": ReadyAnswer}})
    async def ready() -> JSONResponse:
        """200 only when every service behind the gateway serves."""
        services = await serving()
        all_serve = all(services.values())
        answer = ReadyAnswer(
            status="ready" if all_serve else "not_ready",
            services={name: "SERVING" if up else "NOT_SERVING" for name, up in services.items()},
        )
        return JSONResponse(answer.model_dump(), 200 if all_serve else 503)

    @router.get("/metrics", response_class=Response)
    async def metrics() -> Response:
        """Figures of the gateway in the Prometheus text format."""
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return router
