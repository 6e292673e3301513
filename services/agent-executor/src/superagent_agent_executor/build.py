"""Composition root of the agent-executor service."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from superagent.agent_executor.v1.agent_executor_pb2_grpc import add_ExecutorServiceServicer_to_server
from superagent_agent_executor.adapters.grpc_retrieval import GrpcEvidence
from superagent_agent_executor.adapters.skill_library import SkillLibrary
from superagent_agent_executor.api import ACCESS, ExecutorApi
from superagent_agent_executor.executors import Executors
from superagent_agent_executor.executors.direct import ClarifyExecutor, DirectExecutor
from superagent_agent_executor.executors.rag import RagExecutor
from superagent_agent_executor.executors.react import ReactExecutor
from superagent_agent_executor.executors.tool_round import ToolRound
from superagent_agent_executor.prompts import Prompts, prompt_texts, tool_description
from superagent_agent_executor.settings import Settings
from superagent_agent_executor.tools.calculator import Calculator
from superagent_agent_executor.tools.clock import Clock
from superagent_agent_executor.tools.knowledge_search import KnowledgeSearch
from superagent_common import clock
from superagent_common.llm import ModelSettings, ModelSpending, build_models
from superagent_common.rpc.deadline import remaining
from superagent_common.runtime import service_core
from superagent_common.settings import load
from superagent_common.tasks import repeating, running


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves the executors until the block ends."""
    async with service_core("agent-executor", settings) as core, AsyncExitStack() as stack:
        tracer = core.telemetry.tracer
        spent = ModelSpending(core.telemetry.registry)
        models = build_models(load(ModelSettings), tracer=tracer, monotonic=time.monotonic, spent=spent)
        stack.push_async_callback(models.close)
        evidence = GrpcEvidence(core.channel(settings.retrieval_address), settings.search_timeout_seconds)
        skills = SkillLibrary(settings.skills_dir, core.log)
        await skills.refresh()
        if settings.skills_dir:
            looking = repeating(skills.refresh, settings.skills_check_seconds, core.log, "skills_not_refreshed")
            await stack.enter_async_context(running(looking))
        texts = prompt_texts(settings.prompts_dir, core.log)
        await stack.enter_async_context(texts.watching(settings.prompts_check_seconds))
        prompts = Prompts(texts, skills)
        tools = (
            KnowledgeSearch(evidence, settings.search_timeout_seconds),
            Calculator(),
            Clock(clock.now),
        )
        describe = partial(tool_description, texts)
        tool_round = ToolRound(tools, tracer, clock.now, core.log, asyncio.sleep, random.random, describe)
        executors = Executors(
            ClarifyExecutor(),
            DirectExecutor(models, prompts, tracer, clock.now),
            RagExecutor(evidence, models, prompts, tracer, clock.now),
            ReactExecutor(tool_round, models, prompts, tracer, clock.now, _seconds_left),
        )
        api = ExecutorApi(executors, skills, lambda: tool_round.specs)
        await stack.enter_async_context(core.serve(ACCESS, partial(add_ExecutorServiceServicer_to_server, api)))
        yield


def _seconds_left(budget: float) -> float:
    left = remaining(budget)
    return budget if left is None else left
