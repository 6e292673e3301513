"""The tools of a turn on their way to memory, and what a later turn sees of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct

from services.orchestrator.tests.fakes import answered, delta, execution
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, Rig, finished, lose, names, until
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.db import Database
from superagent_orchestrator.application.messages import stored_turn
from superagent_orchestrator.ports import TurnRow


def called(call_id: str, name: str, **arguments: Any) -> Any:
    said = Struct()
    said.update(arguments)
    return execution(tool_call=events_pb2.ToolCall(id=call_id, name=name, arguments=said))


def gave(call_id: str, result: str, *, ok: bool = True) -> Any:
    told = events_pb2.ToolResult(id=call_id, ok=ok, summary="a line", duration_ms=3, result=result)
    return execution(tool_result=told)


AGENT = (
    called("1", "calculate", expression="2 * 3"),
    called("2", "weather", city="Oslo"),
    gave("2", "no such city", ok=False),
    gave("1", "6"),
    called("3", "fetch_page", url="http://a.example"),
    delta("Six."),
    answered(),
)


async def test_each_call_is_stored_with_its_result_in_the_order_of_the_calls(rig: Rig) -> None:
    rig.executor.events = AGENT
    turn_id = await rig.start("What is 2 * 3?")
    events = await rig.events(turn_id)
    assert names(events).count("tool_call") == 3
    ((stored,),) = rig.conversations.stored.values()
    assert stored.kind == memory_pb2.CONTEXT_KIND_TOOL
    # The third has no result: memory never has one without the other.
    assert [(used.call_id, used.name, used.ok, used.result) for used in stored.tools] == [
        ("1", "calculate", True, "6"),
        ("2", "weather", False, "no such city"),
    ]
    assert dict(stored.tools[1].arguments) == {"city": "Oslo"}


async def test_a_later_turn_has_them_in_its_plan(rig: Rig) -> None:
    rig.executor.events = AGENT
    first = await rig.start("What is 2 * 3?")
    await rig.events(first)
    rig.executor.events = ANSWER
    await rig.events(await rig.start("And twice that?", conversation_id=next(iter(rig.conversations.owners))))
    (past,) = rig.executor.plans[-1].memory.recent_turns
    assert [used.result for used in past.tools] == ["6", "no such city"]


async def test_whoever_ends_a_turn_for_its_dead_owner_stores_them_too(rig: Rig, database: Database) -> None:
    rig.executor.events = (*AGENT[:-1], asyncio.Event())
    turn_id = await rig.start("What is 2 * 3?")
    await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turn_id])), 120)
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        await finished(heir, turn_id)
        record = await heir.record(turn_id)
    ((stored,),) = rig.conversations.stored.values()
    assert (stored.kind, [used.result for used in stored.tools]) == (
        memory_pb2.CONTEXT_KIND_TOOL,
        ["6", "no such city"],
    )
    assert record.plan.original_question == "What is 2 * 3?", "what the dead owner stored of it stays"
    assert [stage.name for stage in record.stages] == ["load_memory", "rewrite", "plan", "archive"]


@pytest.mark.parametrize(
    ("admin", "tools", "kind"),
    [
        (False, 0, memory_pb2.CONTEXT_KIND_CHAT),
        (False, 1, memory_pb2.CONTEXT_KIND_TOOL),
        (True, 0, memory_pb2.CONTEXT_KIND_ADMIN_TOOL),
        (True, 1, memory_pb2.CONTEXT_KIND_ADMIN_TOOL),
    ],
)
def test_the_kind_of_a_turn_goes_by_what_ran(admin: bool, tools: int, kind: memory_pb2.ContextKind) -> None:
    row = TurnRow("t", "c", ANNA, orchestrator_pb2.StartTurnRequest(message="?"), 0, "")
    record = events_pb2.TurnRecord(plan=plan_pb2.ExecutionPlan(admin_mode=admin))
    used = [plan_pb2.ToolUse(call_id="1", name="calculate")] * tools
    assert stored_turn(row, record, "!", used, events_pb2.TURN_STATE_COMPLETED).kind == kind
