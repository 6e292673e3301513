"""Composition root of the agent-executor service."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from superagent.agent_executor.v1.agent_executor_pb2_grpc import add_ExecutorServiceServicer_to_server
from superagent_agent_executor.adapters.grpc_retrieval import GrpcEvidence
from superagent_agent_executor.api import ACCESS, ExecutorApi
from superagent_agent_executor.executors import Executors
from superagent_agent_executor.executors.direct import ClarifyExecutor, DirectExecutor
from superagent_agent_executor.executors.rag import RagExecutor
from superagent_agent_executor.prompts import Prompts
from superagent_agent_executor.settings import Settings
from superagent_common import clock
from superagent_common.llm import ModelSettings, build_model
from superagent_common.runtime import service_core
from superagent_common.settings import load


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves the executors until the block ends."""
    async with service_core("agent-executor", settings) as core, AsyncExitStack() as stack:
        tracer = core.telemetry.tracer
        model = build_model(load(ModelSettings), tracer=tracer, monotonic=time.monotonic)
        if model:
            stack.push_async_callback(model.close)
        evidence = GrpcEvidence(core.channel(settings.retrieval_address), settings.search_timeout_seconds)
        prompts = Prompts()
        executors = Executors(
            ClarifyExecutor(),
            DirectExecutor(model, prompts, tracer, clock.now),
            RagExecutor(evidence, model, prompts, tracer, clock.now),
        )
        api = ExecutorApi(executors)
        await stack.enter_async_context(core.serve(ACCESS, partial(add_ExecutorServiceServicer_to_server, api)))
        yield
