"""The services a turn calls: memory, agent-executor, retrieval."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from superagent.agent_executor.v1 import agent_executor_pb2
from superagent.agent_executor.v1.agent_executor_pb2_grpc import ExecutorServiceStub
from superagent.memory.v1 import memory_pb2
from superagent.memory.v1.memory_pb2_grpc import MemoryServiceStub
from superagent.orchestrator.v1 import plan_pb2
from superagent.retrieval.v1 import retrieval_pb2
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from superagent_common.identity import Principal, current_principal
from superagent_common.rpc import Channel
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, SkillDefinition

_KEPT = 1_000


class GrpcConversations:
    """`Conversations` over MemoryService."""

    def __init__(self, channel: Channel) -> None:
        self._stub = MemoryServiceStub(channel)

    async def create(
        self, conversation_id: str, question: str, strategy: int, *, unlisted: bool = False
    ) -> plan_pb2.PlanMemory:
        answer = await self._stub.CreateConversation(
            memory_pb2.CreateConversationRequest(
                conversation_id=conversation_id,
                first_question=question,
                memory_strategy=strategy,
                unlisted=unlisted,
            )
        )
        return answer.memory

    async def load(self, conversation_id: str, strategy: int, without_turn_id: str = "") -> plan_pb2.PlanMemory:
        answer = await self._stub.LoadContext(
            memory_pb2.LoadContextRequest(
                conversation_id=conversation_id, strategy=strategy, without_turn_id=without_turn_id
            )
        )
        return answer.memory

    async def append(self, request: memory_pb2.AppendTurnRequest) -> None:
        await self._stub.AppendTurn(request)

    async def discard(self, conversation_id: str) -> None:
        await self._stub.DeleteConversation(memory_pb2.DeleteConversationRequest(conversation_id=conversation_id))


class GrpcExecutor:
    """`Executor` over ExecutorService."""

    def __init__(self, channel: Channel) -> None:
        self._stub = ExecutorServiceStub(channel)

    async def run(
        self, plan: plan_pb2.ExecutionPlan, seconds: float
    ) -> AsyncGenerator[agent_executor_pb2.ExecutionEvent, None]:
        request = agent_executor_pb2.ExecuteRequest(plan=plan)
        async with aclosing(self._stub.Execute(request, timeout=seconds)) as responses:
            async for response in responses:
                yield response.event


class GrpcCatalogue:
    """`Catalogue` over RetrievalService, kept per person for a short while and forgotten when documents change."""

    def __init__(
        self, channel: Channel, keep_seconds: float, timeout_seconds: float, monotonic: Callable[[], float]
    ) -> None:
        self._stub = RetrievalServiceStub(channel)
        self._keep_seconds = keep_seconds
        self._timeout_seconds = timeout_seconds
        self._monotonic = monotonic
        self._kept: dict[Principal, tuple[float, tuple[KnowledgeDomain, ...]]] = {}

    def forget(self) -> None:
        """Documents have changed."""
        self._kept.clear()

    async def domains(self) -> tuple[KnowledgeDomain, ...]:
        principal = current_principal()
        until, kept = self._kept.get(principal, (0.0, ()))
        if until > self._monotonic():
            return kept
        answer = await self._stub.ListDomains(retrieval_pb2.ListDomainsRequest(), timeout=self._timeout_seconds)
        domains = tuple(
            KnowledgeDomain(
                domain.code, domain.name, domain.description, domain.document_count, tuple(domain.sample_titles)
            )
            for domain in answer.domains
        )
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        self._kept[principal] = (self._monotonic() + self._keep_seconds, domains)
        return domains


class GrpcSkillCatalogue:
    """`SkillCatalogue` over ExecutorService, kept for a short while: the skills are the same for everybody."""

    def __init__(
        self, channel: Channel, keep_seconds: float, timeout_seconds: float, monotonic: Callable[[], float]
    ) -> None:
        self._stub = ExecutorServiceStub(channel)
        self._keep_seconds = keep_seconds
        self._timeout_seconds = timeout_seconds
        self._monotonic = monotonic
        self._kept: tuple[float, tuple[SkillDefinition, ...]] = (0.0, ())

    async def skills(self) -> tuple[SkillDefinition, ...]:
        until, kept = self._kept
        if until > self._monotonic():
            return kept
        answer = await self._stub.ListSkills(agent_executor_pb2.ListSkillsRequest(), timeout=self._timeout_seconds)
        skills = tuple(
            SkillDefinition(
                skill.code,
                skill.name,
                skill.description,
                skill.when_to_use,
                tuple(skill.keywords),
                tuple(skill.domains),
                tuple(skill.tools),
                skill.fallback,
            )
            for skill in answer.skills
        )
        self._kept = (self._monotonic() + self._keep_seconds, skills)
        return skills
