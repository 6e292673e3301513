"""Runs the tool calls of one reply: several at once, each in its own time, and each with an answer whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from opentelemetry.trace import Tracer, use_span

from superagent_agent_executor.domain.agent_run import AgentRun, Decision, Execute, Refuse, Repeat
from superagent_agent_executor.domain.events import ExecutionEvent, Json, ToolCall, ToolResult
from superagent_agent_executor.domain.tool_texts import say_tool
from superagent_agent_executor.domain.tools import Refusal, ToolContext, ToolOutcome, ToolRequest, ToolSpec, one_line
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.ports import Tool
from superagent_common.errors import InvalidInput, NotFound, ServiceError, Timeout, Unavailable
from superagent_common.logging import Logger
from superagent_common.tasks import end

PARALLEL = 4
"""AGT-3."""
RETRIES = 2
"""AGT-2, as are the delays."""
_FIRST_DELAY_SECONDS = 0.2
_LONGEST_DELAY_SECONDS = 1.2
_MAY_PASS = (Unavailable, Timeout)
# Other arguments may do: the tool stays.
_MENDABLE = (InvalidInput, NotFound)


class ToolRound:
    """The shipped and configured tools, and how they are called."""

    def __init__(
        self,
        tools: Sequence[Tool],
        tracer: Tracer,
        clock: Callable[[], int],
        log: Logger,
        sleep: Callable[[float], Awaitable[None]],
        random: Callable[[], float],
        description: Callable[[str], str | None],
    ) -> None:
        """`random` from 0 to 1 spreads the delays between attempts; `description` of a tool by name, None for its own."""
        self._tools: Mapping[str, Tool] = {
            tool.spec.name: tool for tool in sorted(tools, key=lambda each: each.spec.name)
        }
        self._tracer = tracer
        self._clock = clock
        self._log = log
        self._sleep = sleep
        self._random = random
        self._description = description

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """By name, as they are described now."""
        specs = (tool.spec for tool in self._tools.values())
        return tuple(replace(spec, description=self._description(spec.name) or spec.description) for spec in specs)

    async def run(
        self, decisions: Sequence[Decision], agent: AgentRun, context: ToolContext, until: float
    ) -> AsyncGenerator[ExecutionEvent, None]:
        """Events as they happen; every request of the round is settled in `agent` when it ends.

        A tool stops after its own time-out, or at `until` on the monotonic clock. Leaving the generator cancels what still runs.
        """
        events: asyncio.Queue[ExecutionEvent | None] = asyncio.Queue()
        gate = asyncio.Semaphore(PARALLEL)

        async def work(request: ToolRequest) -> None:
            try:
                async with gate:
                    await self._execute(request, agent, context, until, events.put_nowait)
            finally:
                events.put_nowait(None)

        tasks = [asyncio.create_task(work(each.request)) for each in decisions if isinstance(each, Execute)]
        try:
            running = len(tasks)
            while running:
                event = await events.get()
                if event is None:
                    running -= 1
                else:
                    yield event
            await asyncio.gather(*tasks)
        finally:
            await end(*tasks)
        for decision in decisions:
            for event in self._without_running(decision, agent, context):
                yield event

    def _without_running(self, decision: Decision, agent: AgentRun, context: ToolContext) -> Sequence[ExecutionEvent]:
        language = context.language
        match decision:
            case Repeat(request, of):
                earlier = agent.outcomes[of]
                text = f"{say_tool('repeated', language)}\n{earlier.text}"
                summary = one_line(say_tool("repeated_summary", language))
                outcome = replace(earlier, text=text, summary=summary, failure="")
                why = "repeated"
            case Refuse(request, why):
                text = say_tool(
                    why,
                    language,
                    name=request.name,
                    why=agent.withdrawn.get(request.name, ""),
                    tools=_names(agent, context),
                )
                outcome = ToolOutcome(False, text, one_line(text))
            case _:
                return ()
        stage = RunningStage("tool", self._tracer, self._clock, _attributes(request))
        agent.settle(request, outcome)
        return (
            stage.started,
            ToolCall(request.id, request.name, request.arguments),
            ToolResult(request.id, outcome.ok, outcome.summary, 0.0, outcome.kept),
            stage.end({**_detail(request, outcome), "attempts": 0, "reason": why}, "skipped"),
        )

    async def _execute(
        self,
        request: ToolRequest,
        agent: AgentRun,
        context: ToolContext,
        until: float,
        emit: Callable[[ExecutionEvent], None],
    ) -> None:
        stage = RunningStage("tool", self._tracer, self._clock, _attributes(request))
        emit(stage.started)
        emit(ToolCall(request.id, request.name, request.arguments))
        began = time.perf_counter()
        with use_span(stage.span, record_exception=False, set_status_on_exception=False):
            outcome = await self._outcome(request, agent, context, until)
        if outcome.failure:
            stage.span.set_attribute("superagent.tool.failure", outcome.failure)
        agent.settle(request, outcome)
        spent = round((time.perf_counter() - began) * 1000, 3)
        emit(ToolResult(request.id, outcome.ok, outcome.summary, spent, outcome.kept))
        detail = {**_detail(request, outcome), "attempts": outcome.attempts}
        if outcome.failure:
            detail["withdrawn"] = outcome.failure
        emit(stage.end(detail, "completed" if outcome.ok else "failed"))

    async def _outcome(self, request: ToolRequest, agent: AgentRun, context: ToolContext, until: float) -> ToolOutcome:
        tool = self._tools[request.name]
        attempts = 0
        try:
            async with asyncio.timeout(min(tool.spec.timeout_seconds, until - time.monotonic())):
                while True:
                    attempts += 1
                    try:
                        return replace(await tool.call(request.arguments, context), attempts=attempts)
                    except _MAY_PASS:
                        if attempts > RETRIES:
                            raise
                    await self._sleep(self._delay(attempts))
        except Refusal as refusal:
            text = say_tool(refusal.key, context.language, **refusal.values)
            return ToolOutcome(False, text, one_line(text), attempts=attempts)
        except _MENDABLE as error:
            return ToolOutcome(False, error.message, one_line(error.message), attempts=attempts)
        except TimeoutError:
            failure = "tool_timeout"
        except ServiceError as error:
            failure = error.reason
        except Exception as error:  # noqa: BLE001 - logged, and the model is told
            # A fault of one tool must not end the conversation (AGT-5).
            self._log.error("tool_broke", tool=request.name, exc_info=error)
            failure = "tool_broke"
        return _failed(request, failure, attempts, agent, context)

    def _delay(self, attempt: int) -> float:
        """Seconds before the next attempt: 200 ms doubled each time, up to as much again by chance, 1,200 ms at most."""
        delay: float = _FIRST_DELAY_SECONDS * 2 ** (attempt - 1) * (1 + self._random())
        return min(_LONGEST_DELAY_SECONDS, delay)


def _failed(request: ToolRequest, failure: str, attempts: int, agent: AgentRun, context: ToolContext) -> ToolOutcome:
    left = _names(agent, context, without=request.name)
    text = say_tool("tool_failed", context.language, name=request.name, why=failure, tools=left)
    summary = one_line(say_tool("failed_summary", context.language, why=failure))
    return ToolOutcome(False, text, summary, attempts=attempts, failure=failure)


def _names(agent: AgentRun, context: ToolContext, without: str = "") -> str:
    names = [spec.name for spec in agent.offered if spec.name != without]
    return ", ".join(names) or say_tool("no_tools", context.language)


def _attributes(request: ToolRequest) -> dict[str, str]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": request.name,
        "gen_ai.tool.call.id": request.id,
    }


def _detail(request: ToolRequest, outcome: ToolOutcome) -> dict[str, Json]:
    return {
        "tool": request.name,
        "arguments": request.arguments,
        "ok": outcome.ok,
        "summary": outcome.summary,
        "passages": len(outcome.passages),
    }
