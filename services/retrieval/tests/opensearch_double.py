"""An HTTP server that answers as OpenSearch might, well or badly."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from superagent_retrieval.adapters.opensearch_fields import FIELDS

NOTHING = {"hits": {"hits": []}}
WRITTEN = {"errors": False, "items": []}


class Server:
    """Has the index, and answers each kind of call with what it is given, in turn, the last one for ever."""

    def __init__(self) -> None:
        self.url = ""
        self.there = True
        self.fields: dict[str, Any] = FIELDS
        self.answers: dict[str, list[tuple[int, Any]]] = {"_search": [(200, NOTHING)], "_bulk": [(200, WRITTEN)]}
        self.requests: list[web.Request] = []
        self.calls: list[str] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        index, _, call = request.path.strip("/").partition("/")
        self.calls.append(f"{request.method} {call or index}")
        if not call:
            if request.method == "PUT":
                self.there = True
            return web.json_response({}, status=200 if self.there else 404)
        if call == "_mapping":
            return web.json_response({index: {"mappings": {"properties": self.fields}}})
        if call == "_refresh":
            return web.json_response({})
        answers = self.answers[call]
        status, body = answers.pop(0) if len(answers) > 1 else answers[0]
        if not self.there:
            status, body = 404, {"error": {"type": "index_not_found_exception"}}
        return web.Response(
            status=status, text=body if isinstance(body, str) else json.dumps(body), content_type="application/json"
        )


@asynccontextmanager
async def running(server: Server, port: int = 0) -> AsyncIterator[Server]:
    application = web.Application(client_max_size=10_000_000)
    application.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield server
    await runner.cleanup()
