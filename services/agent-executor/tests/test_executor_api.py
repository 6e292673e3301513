"""Plans as they come over the wire, and events as they leave."""

from typing import Any

import grpc
import pytest

from superagent.agent_executor.v1 import agent_executor_pb2 as pb
from superagent.orchestrator.v1 import plan_pb2
from superagent_agent_executor.api import ExecutorApi
from superagent_common.errors import InvalidInput
from superagent_common.llm import Queued
from tests.support.executor_rig import PASSAGE, FakeEvidence, FakeModel, Rig, calls, says


def wire_plan(**fields: Any) -> plan_pb2.ExecutionPlan:
    asked: dict[str, Any] = {
        "schema_version": 1,
        "plan_id": "p",
        "mode": plan_pb2.MODE_RAG_CHAT,
        "original_question": "How long?",
        "sub_questions": [plan_pb2.SubQuestion(index=1, text="How long?")],
        "answer_language": "en",
        "budget": plan_pb2.Budget(
            model_calls=8,
            tool_rounds=5,
            tool_calls=20,
            evidence_chars=5200,
            evidence_chars_per_question=2200,
            deadline_ms=180_000,
            max_output_tokens=100,
        ),
    }
    return plan_pb2.ExecutionPlan(**{**asked, **fields})


async def executed(model: FakeModel, wanted: plan_pb2.ExecutionPlan) -> list[pb.ExecutionEvent]:
    rig = Rig(FakeEvidence({"How long?": [PASSAGE]}), model)
    api = ExecutorApi(rig.executors, {}, lambda: rig.tools.specs)  # type: ignore[arg-type]
    context: grpc.aio.ServicerContext = None  # type: ignore[assignment]
    return [answer.event async for answer in api.Execute(pb.ExecuteRequest(plan=wanted), context)]


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (wire_plan(schema_version=0), "unsupported_plan_version"),
        (wire_plan(schema_version=2), "unsupported_plan_version"),
        (wire_plan(mode=plan_pb2.MODE_UNSPECIFIED), "invalid_plan"),
        (wire_plan(sub_questions=[]), "invalid_plan"),
        (wire_plan(sub_questions=[plan_pb2.SubQuestion(index=n, text="q") for n in range(1, 41)]), "invalid_plan"),
    ],
)
async def test_a_plan_that_cannot_be_run_is_refused_by_what_is_wrong(
    wanted: plan_pb2.ExecutionPlan, reason: str
) -> None:
    model = FakeModel(says("never"))
    with pytest.raises(InvalidInput) as refused:
        await executed(model, wanted)
    assert refused.value.reason == reason
    assert not model.requests


async def test_memory_reaches_the_model_with_calls_as_they_were_written() -> None:
    use = plan_pb2.ToolUse(call_id="c0", name="calculate", ok=True, result="42")
    use.arguments.update({"expression": "6*7", "digits": 3, "rate": 0.5})
    past = plan_pb2.PastTurn(question="6*7?", answer="42.", tools=[use])
    memory = plan_pb2.PlanMemory(summary="They calculate.", facts=["fact"], long_term=["wish"], recent_turns=[past])
    model = FakeModel(says("84."))
    await executed(model, wire_plan(mode=plan_pb2.MODE_REACT_AGENT, memory=memory))
    system, _, calling, result, *_ = model.requests[0].messages
    assert all(text in system.content for text in ("They calculate.", "- fact", "- wish"))
    assert calling.tool_calls[0].arguments == '{"digits": 3, "expression": "6*7", "rate": 0.5}'
    assert "42" in result.content


async def test_what_a_tool_told_the_model_is_kept_for_later_turns_and_bounded() -> None:
    model = FakeModel(
        calls(("calculate", '{"expression": "6*7"}'), ("knowledge_search", '{"question": "How long?"}')), says("42.")
    )
    events = await executed(model, wire_plan(mode=plan_pb2.MODE_REACT_AGENT))
    first, second = (event.tool_result for event in events if event.WhichOneof("payload") == "tool_result")
    assert "42" in first.result
    assert "Handbook: Warranty lasts two years." in second.result and len(second.result) <= 2_000


async def test_a_place_in_the_queue_goes_out_as_such() -> None:
    events = await executed(FakeModel((Queued(3, "strong"), *says("So [1]."))), wire_plan())
    (queued,) = (event.queued for event in events if event.WhichOneof("payload") == "queued")
    assert (queued.position, queued.model) == (3, "strong")
