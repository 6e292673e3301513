"""Gives a plan to the executor of its mode, and joins deltas that come close together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from superagent_agent_executor.domain.events import Delta, ExecutionEvent, Thinking
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.executors.direct import ClarifyExecutor, DirectExecutor
from superagent_agent_executor.executors.rag import RagExecutor
from superagent_agent_executor.executors.react import ReactExecutor
from superagent_common.errors import Unimplemented

JOIN_SECONDS = 0.03
"""Deltas that arrive within this time travel as one event; the first never waits (quality.md)."""


class Executors:
    """All executors of this service."""

    def __init__(
        self, clarify: ClarifyExecutor, direct: DirectExecutor, rag: RagExecutor, react: ReactExecutor
    ) -> None:
        self._clarify = clarify
        self._direct = direct
        self._rag = rag
        self._react = react

    def run(self, plan: Plan) -> AsyncGenerator[ExecutionEvent, None]:
        """Events of the run. Raises Unimplemented for workflows, Unavailable when a model breaks off."""
        return join_deltas(self._dispatch(plan))

    def _dispatch(self, plan: Plan) -> AsyncIterator[ExecutionEvent]:
        match plan.mode:
            case "clarify":
                return self._clarify.run(plan)
            case "rag_chat":
                return self._rag.run(plan)
            case "direct":
                return self._direct.run(plan)
            case "react_agent":
                return self._react.run(plan)
            case "workflow":
                raise Unimplemented("not_implemented", "Workflows are not served by this version.")


async def join_deltas(
    events: AsyncIterator[ExecutionEvent], seconds: float = JOIN_SECONDS
) -> AsyncGenerator[ExecutionEvent, None]:
    """The same events with neighbouring deltas joined, and so with reasoning; order and text stay.

    After a piece went out the next ones of its kind are collected for `seconds`; any other event sends them first.
    """
    queue: asyncio.Queue[ExecutionEvent | BaseException | None] = asyncio.Queue(maxsize=64)

    async def pump() -> None:
        try:
            async with aclosing(events):  # type: ignore[type-var]
                async for event in events:
                    await queue.put(event)
            await queue.put(None)
        except Exception as error:  # noqa: BLE001 - raised again by the reader below
            await queue.put(error)

    task = asyncio.create_task(pump())
    loop = asyncio.get_running_loop()
    try:
        waiting: list[str] = []
        kind: type[Delta | Thinking] = Delta
        quiet_until = 0.0
        while True:
            timeout = quiet_until - loop.time() if waiting else None
            try:
                item = queue.get_nowait() if not queue.empty() else await asyncio.wait_for(queue.get(), timeout)
            except TimeoutError:
                item = kind("")
            if isinstance(item, kind):
                if item.text:
                    waiting.append(item.text)
                if loop.time() < quiet_until:
                    continue
            if waiting:
                yield kind("".join(waiting))
                waiting.clear()
                quiet_until = loop.time() + seconds
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            if isinstance(item, kind):
                continue
            if isinstance(item, Delta | Thinking):
                kind = type(item)
                quiet_until = loop.time() + seconds
            yield item
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
