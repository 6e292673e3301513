"""The executor's skills as planning reads them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from superagent.agent_executor.v1 import agent_executor_pb2
from superagent_common.errors import Unavailable
from superagent_common.rpc import Channel
from superagent_orchestrator.adapters.grpc_services import GrpcSkillCatalogue
from superagent_orchestrator.domain.planning.proposal import SkillDefinition

LISTED = agent_executor_pb2.Skill(
    code="product",
    name="Product",
    description="What it is for.",
    when_to_use="For prices.",
    keywords=["退款", "refund"],
    domains=["product"],
    tools=["calculate"],
    fallback=True,
)


class ListingChannel:
    """Answers every call with one skill, or fails."""

    def __init__(self) -> None:
        self.calls = 0
        self.failing = False

    def unary_unary(self, method: str, *_: Any, **__: Any) -> Callable[..., Awaitable[Any]]:
        async def call(request: Any, timeout: float) -> Any:
            self.calls += 1
            if self.failing:
                raise Unavailable("service_unavailable")
            return agent_executor_pb2.ListSkillsResponse(skills=[LISTED])

        return call

    unary_stream = unary_unary


async def test_skills_are_read_whole_and_kept_for_a_while() -> None:
    channel, now = ListingChannel(), [100.0]
    catalogue = GrpcSkillCatalogue(cast(Channel, channel), 30, 3, lambda: now[0])
    expected = SkillDefinition(
        "product",
        "Product",
        "What it is for.",
        "For prices.",
        ("退款", "refund"),
        ("product",),
        ("calculate",),
        True,
    )
    assert await catalogue.skills() == (expected,)
    now[0] += 29
    assert await catalogue.skills() == (expected,)
    assert channel.calls == 1
    now[0] += 2
    await catalogue.skills()
    assert channel.calls == 2


async def test_a_failure_is_told_and_not_kept() -> None:
    channel = ListingChannel()
    catalogue = GrpcSkillCatalogue(cast(Channel, channel), 30, 3, lambda: 100.0)
    channel.failing = True
    with pytest.raises(Unavailable):
        await catalogue.skills()
    channel.failing = False
    assert [skill.code for skill in await catalogue.skills()] == ["product"]
