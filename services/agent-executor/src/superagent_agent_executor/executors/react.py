"""Open questions (EXEC-4): the model calls tools until it has an answer, inside the plan's limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain.agent_run import AgentRun
from superagent_agent_executor.domain.events import Answered, Degraded, Delta, ExecutionEvent, Sources
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.domain.texts import say
from superagent_agent_executor.domain.tools import allowed_tools
from superagent_agent_executor.executors.answering import Run, skill_detail
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.executors.suggesting import Suggester
from superagent_agent_executor.executors.talk import Talk
from superagent_agent_executor.executors.tool_round import ToolRound
from superagent_agent_executor.prompts import Prompts
from superagent_common.llm import MODEL_FAILURES, LanguageModel, Models


class ReactExecutor:
    """Model and tools in turns. `seconds_left` gives the smaller of its argument and what the caller still waits."""

    def __init__(
        self,
        tools: ToolRound,
        models: Models,
        prompts: Prompts,
        tracer: Tracer,
        clock: Callable[[], int],
        seconds_left: Callable[[float], float],
    ) -> None:
        self._tools = tools
        self._model = models.answering
        self._prompts = prompts
        self._tracer = tracer
        self._clock = clock
        self._seconds_left = seconds_left
        self._suggester = Suggester(models.small, prompts, tracer, clock)

    async def run(self, plan: Plan) -> AsyncIterator[ExecutionEvent]:
        """Raises Unavailable when the model breaks off in the middle of its words; what was said has been yielded."""
        run = Run()
        with RunningStage("execute", self._tracer, self._clock) as stage:
            yield stage.started
            if self._model is None:
                yield Degraded("no_model", "no_model_configured")
                yield Delta(say("agent_needs_model", plan.language))
                yield stage.end({"executor": "react", "model": ""})
                yield run.usage
                yield Answered("stop")
                return
            talk = self._talk(self._model, plan, run)
            try:
                async with aclosing(talk.events()) as events:
                    async for event in events:
                        yield event
            except MODEL_FAILURES as error:
                yield stage.broken(error, talk.detail())
                yield run.usage
                raise
            yield stage.end({**talk.detail(), **skill_detail(self._prompts, plan)})
        cited = [talk.evidence.passages[number] for number in sorted(talk.citations.cited or talk.evidence.passages)]
        if talk.searched:
            yield Sources(tuple(cited), talk.evidence.mode)
        yield run.usage
        yield Answered("limit" if talk.limit else run.finish_reason)
        if cited:
            async for event in self._suggester.run(plan, talk.findings, cited, run):
                yield event

    def _talk(self, model: LanguageModel, plan: Plan, run: Run) -> Talk:
        skills = self._prompts.chosen_skills(plan)
        agent = AgentRun(plan.budget, allowed_tools(self._tools.specs, plan, skills))
        domains = plan.knowledge_domains or tuple(dict.fromkeys(code for skill in skills for code in skill.domains))
        seconds = self._seconds_left(plan.budget.deadline_ms / 1000)
        return Talk(model, self._tools, self._prompts, plan, agent, domains, run, seconds)
