"""The floor of a turn: a bare FastAPI relay, which asks the model and passes its deltas on, and knows nobody.

    python -m bench.relay <base URL of a model>

Prints its own base URL. Uvicorn with uvloop and httptools, httpx with one pool, one event per delta.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import AsyncIterator

import httpx
import uvicorn
import uvloop
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel


class Question(BaseModel):
    message: str


def relay(model: httpx.AsyncClient) -> FastAPI:
    app = FastAPI()

    @app.post("/chat")
    async def chat(question: Question) -> StreamingResponse:
        return StreamingResponse(_deltas(model, question.message), media_type="text/event-stream")

    return app


async def _deltas(model: httpx.AsyncClient, message: str) -> AsyncIterator[str]:
    body = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": message}]}
    async with model.stream("POST", "/chat/completions", json=body) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: {"):
                delta = json.loads(line[len("data: ") :])["choices"][0]["delta"]
                if delta:
                    yield f"event: delta\ndata: {json.dumps({'text': delta['content']}, ensure_ascii=False)}\n\n"
    yield "event: done\ndata: {}\n\n"


async def _serve(model_url: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with httpx.AsyncClient(base_url=model_url, limits=limits, trust_env=False) as model:
        config = uvicorn.Config(relay(model), log_level="warning", access_log=False, loop="uvloop", http="httptools")
        sys.stdout.write(f"http://127.0.0.1:{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    uvloop.run(_serve(sys.argv[1]))
