"""What LangGraph with its SQLite checkpointer takes for the answer that a turn streams; run by `bench.beside`.

    python -P bench/graph.py <base URL of a model> <database file>

Runs in an environment of its own and imports nothing of the product. Per line {"requests": …, "concurrent": …} on its
standard input it runs so many turns, each a thread of its own, and prints {"cpu_ms": …, "whole_ms": […], "seconds": …,
"events": …}. One node, which asks the model and streams its deltas: no HTTP, no accounts, no plan, no traces, and no
stream that could be taken up again.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import uuid
from typing import Annotated, Any, TypedDict

import httpx
import uvloop
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

_QUESTION = "What does the runbook say about backups?"


class _Talk(TypedDict):
    messages: Annotated[list[Any], add_messages]


def _graph(model: httpx.AsyncClient, saver: AsyncSqliteSaver) -> Any:
    async def answer(talk: _Talk) -> dict[str, Any]:
        write = get_stream_writer()
        pieces: list[str] = []
        asked = [{"role": "user", "content": talk["messages"][-1].content}]
        body = {"model": "scripted", "stream": True, "messages": asked}
        async with model.stream("POST", "/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {") and (delta := json.loads(line[6:])["choices"][0]["delta"]):
                    pieces.append(delta["content"])
                    write(delta["content"])
        return {"messages": [("assistant", "".join(pieces))]}

    graph = StateGraph(_Talk)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=saver)


async def _load(graph: Any, requests: int, concurrent: int) -> dict[str, Any]:
    whole_ms: list[float] = []
    left = iter(range(requests))
    events = 0

    async def ask_on() -> None:
        nonlocal events
        for _ in left:
            began = time.perf_counter()
            config = {"configurable": {"thread_id": str(uuid.uuid4())}}
            asked = {"messages": [("user", _QUESTION)]}
            async for _piece in graph.astream(asked, config, stream_mode="custom"):
                events += 1
            whole_ms.append((time.perf_counter() - began) * 1000)

    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(ask_on() for _ in range(concurrent)))
    seconds, cpu_ms = time.perf_counter() - began, (time.process_time() - cpu) * 1000
    return {"cpu_ms": cpu_ms / requests, "whole_ms": whole_ms, "seconds": seconds, "events": events / requests}


async def _main(model_url: str, database: str) -> None:
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with (
        AsyncSqliteSaver.from_conn_string(database) as saver,
        httpx.AsyncClient(base_url=model_url, limits=limits, trust_env=False, timeout=60) as model,
    ):
        graph = _graph(model, saver)
        while line := await asyncio.to_thread(sys.stdin.readline):
            sys.stdout.write(json.dumps(await _load(graph, **json.loads(line))) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    uvloop.run(_main(*sys.argv[1:]))
