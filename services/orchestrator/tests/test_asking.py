"""What is taken as a turn, what is refused, and which requests are the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from services.orchestrator.tests.turns_rig import ANNA, ANSWER, BEN, Rig
from superagent.orchestrator.v1 import orchestrator_pb2, plan_pb2
from superagent_common.errors import Conflict, InvalidInput, NotFound, Unavailable
from superagent_common.identity import Identity, acting_as
from superagent_orchestrator.ports import TurnRow


async def test_a_busy_conversation_names_its_running_turn(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start()
    conversation = next(iter(rig.conversations.owners))
    with pytest.raises(Conflict) as busy:
        await rig.start("again?", conversation_id=conversation)
    assert (busy.value.reason, busy.value.metadata) == ("conversation_busy", {"turn_id": turn_id})
    gate.set()
    await rig.events(turn_id)
    assert await rig.start("again?", conversation_id=conversation) != turn_id


async def test_two_turns_started_at_once_in_one_conversation_are_one(rig: Rig) -> None:
    await rig.events(await rig.start())
    conversation = next(iter(rig.conversations.owners))
    results = await asyncio.gather(
        *(rig.start(f"question {number}?", conversation_id=conversation) for number in range(4)), return_exceptions=True
    )
    assert sum(isinstance(result, str) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 3


async def test_the_same_key_gives_the_same_turn(rig: Rig) -> None:
    first = await rig.start(idempotency_key="k1")
    await rig.events(first)
    assert await rig.start(idempotency_key="k1") == first
    other = await rig.start(idempotency_key="k1", who=BEN)
    await rig.events(other, who=BEN)
    assert other != first and len(rig.executor.plans) == 2


async def test_the_same_key_for_another_question_is_refused(rig: Rig) -> None:
    first = await rig.start("How long is the warranty?", idempotency_key="k1")
    conversation_id = (await rig.record(first)).conversation_id
    await rig.events(first)
    assert await rig.start(" How long is the warranty? ", idempotency_key="k1") == first
    others = (
        {"message": "How short?"},
        {"conversation_id": "another"},
        {"mode": plan_pb2.MODE_RAG_CHAT},
        {"domains": ["minio"]},
        {"time_zone": "Asia/Shanghai"},
        {"memory_strategy": plan_pb2.MEMORY_STRATEGY_NONE},
        {"history": [plan_pb2.PastTurn(question="What is MinIO?", answer="A store.")]},
    )
    for other in others:
        with pytest.raises(Conflict) as refused:
            await rig.start(idempotency_key="k1", **other)
        assert (refused.value.reason, refused.value.metadata) == ("idempotency_key_reused", {"turn_id": first})
    assert await rig.start(idempotency_key="k1", conversation_id=conversation_id) == first


async def test_the_same_key_twice_at_once_is_one_turn_and_one_conversation(rig: Rig) -> None:
    turns = await asyncio.gather(*(rig.start(idempotency_key="k1") for _ in range(3)))
    assert len(set(turns)) == 1
    await rig.events(turns[0])
    assert set(rig.conversations.owners) == set(rig.conversations.stored)


async def test_a_turn_that_cannot_be_taken_leaves_no_conversation(rig: Rig) -> None:
    async def refuse(*_: object, **__: object) -> TurnRow:
        raise Unavailable("database_unavailable")

    rig.store.add = refuse  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await rig.start()
    assert not rig.conversations.owners


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"message": "   "}, "empty_question"),
        ({"message": "x" * 200_000}, "question_too_long"),
        ({"message": "hi", "time_zone": "Mars/Base"}, "unknown_time_zone"),
        ({"message": "hi", "time_zone": "../../etc/passwd"}, "unknown_time_zone"),
        ({"message": "hi", "mode": plan_pb2.MODE_WORKFLOW}, "mode_not_requestable"),
        ({"message": "hi", "mode": 99}, "unknown_mode"),
        ({"message": "hi", "mode": -1}, "unknown_mode"),
        ({"message": "hi", "memory_strategy": 77}, "unknown_memory_strategy"),
        ({"message": "hi", "domains": ["d"] * 101}, "invalid_domains"),
        ({"message": "hi", "domains": ["d" * 201]}, "invalid_domains"),
        ({"message": "hi", "skill": "s" * 201}, "unknown_skill"),
        ({"message": "hi", "idempotency_key": "k" * 201}, "invalid_idempotency_key"),
        ({"message": "hi", "idempotency_key": "a\0b"}, "invalid_idempotency_key"),
        ({"message": "hi", "history": [plan_pb2.PastTurn(answer="a" * 200_001)]}, "invalid_history"),
    ],
)
async def test_bad_requests_are_refused_before_anything_is_made(
    rig: Rig, request_: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await rig.start(**request_)
    assert refused.value.reason == reason
    assert rig.conversations.owners == {}


async def test_a_preview_refuses_the_same(rig: Rig) -> None:
    for field in ({"mode": 99}, {"memory_strategy": 77}):
        with acting_as(Identity(ANNA)), pytest.raises(InvalidInput):
            await rig.turns.preview(orchestrator_pb2.StartTurnRequest(message="What is X?", **field))


async def test_an_unknown_conversation_is_refused(rig: Rig) -> None:
    with pytest.raises(NotFound) as refused:
        await rig.start(conversation_id="01990000-0000-7000-8000-000000000000")
    assert refused.value.reason == "unknown_conversation"


async def test_a_preview_plans_and_stores_nothing(rig: Rig) -> None:
    with acting_as(Identity(ANNA)):
        plan, stages = await rig.turns.preview(
            orchestrator_pb2.StartTurnRequest(message="What is X and how does Y work?")
        )
    assert plan.mode == plan_pb2.MODE_RAG_CHAT
    assert [stage.name for stage in stages] == ["rewrite", "plan"]
    assert rig.conversations.owners == {} and rig.executor.plans == []


async def test_the_plan_sees_the_history_that_a_client_kept_itself(rig: Rig) -> None:
    said = plan_pb2.PastTurn(question="MinIO 是什么?", answer="对象存储。")
    turn_id = await rig.start("那它怎么配置?", history=[said])
    await rig.events(turn_id)
    (plan,) = rig.executor.plans
    assert "MinIO" in plan.rewritten_question
    assert list(plan.memory.recent_turns) == [said]


@pytest.mark.parametrize(("turns", "conversation"), [(51, ""), (1, "01990000-0000-7000-8000-0000000000cc")])
async def test_a_history_that_is_too_long_or_beside_a_memory_is_refused(
    rig: Rig, turns: int, conversation: str
) -> None:
    history = [plan_pb2.PastTurn(question="What?", answer="That.")] * turns
    with pytest.raises(InvalidInput) as refused:
        await rig.start(history=history, conversation_id=conversation)
    assert refused.value.reason == "invalid_history"
