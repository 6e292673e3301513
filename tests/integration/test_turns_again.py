"""Asking again, another question in its place, and stored plans run again, through the public door."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import pytest

from dev.api_client import ApiClient, SseEvent
from dev.fleet import Fleet
from superagent.orchestrator.v1.orchestrator_pb2 import GetPlanRequest
from superagent.orchestrator.v1.orchestrator_pb2_grpc import OrchestratorServiceStub
from tests.support.contract import PLAN
from tests.support.grpc_doors import bearer, channel
from tests.support.json_shapes import assert_shape
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel, ScriptedToolCall
from tests.support.turn_events import TurnStory, assert_whole

ANSWER = Rule(Reply(text="Port 9001 [1]."), purpose="answer")


async def again(person: ApiClient, path: str, **body: Any) -> TurnStory:
    events = [event async for event in person.stream(path, body)]
    assert_whole(events)
    return TurnStory(events)


async def stored(person: ApiClient, conversation_id: str) -> list[tuple[str, str]]:
    turns = (await person.http.get(f"/conversations/{conversation_id}/turns")).json()["turns"]
    return [(turn["turn_id"], turn["question"]) for turn in turns]


async def evidence(person: ApiClient, story: TurnStory) -> list[dict[str, Any]]:
    """What the retrieving stages of a turn say of themselves, but for times."""
    (retrieved,) = (
        stage for stage in story.all("stage") if stage["name"] == "retrieve" and stage["state"] != "STARTED"
    )
    return [retrieved["detail"], story.sources]


async def test_the_last_answer_is_made_again_and_another_question_asked_in_its_place(
    reader: ApiClient, model: ScriptedModel
) -> None:
    first = TurnStory(await reader.ask(MARKDOWN.question))
    last = TurnStory(await reader.ask("它怎么备份?", first.conversation_id))
    model.answer_with(Rule(Reply(text="In another way [1]."), purpose="answer"))
    new = await again(reader, f"/turns/{last.turn_id}/regenerate")
    assert new.text == "In another way [1]."
    assert new.plan["original_question"] == "它怎么备份?"
    assert [turn["turn_id"] for turn in new.plan["memory"]["recent_turns"]] == [first.turn_id]
    assert await stored(reader, first.conversation_id) == [
        (first.turn_id, MARKDOWN.question),
        (new.turn_id, "它怎么备份?"),
    ]
    edited = await again(reader, f"/turns/{new.turn_id}/regenerate", message="它怎么恢复?")
    assert await stored(reader, first.conversation_id) == [
        (first.turn_id, MARKDOWN.question),
        (edited.turn_id, "它怎么恢复?"),
    ]
    assert (await reader.trace(edited.turn_id))["replaces_turn_id"] == new.turn_id
    refused = await reader.http.post(f"/turns/{first.turn_id}/regenerate")
    assert (refused.status_code, refused.json()["reason"]) == (409, "not_the_last_turn")
    assert refused.json()["turn_id"] == edited.turn_id


async def test_an_attempt_that_says_nothing_leaves_the_old_answer(reader: ApiClient, model: ScriptedModel) -> None:
    first = TurnStory(await reader.ask(MARKDOWN.question))
    model.answer_with(Rule(Reply(failure=Failure("hang")), purpose="answer"))
    seen: list[SseEvent] = []
    async with aclosing(reader.stream(f"/turns/{first.turn_id}/regenerate", {})) as events:
        async for event in events:
            seen.append(event)
            if event.event == "plan":
                (runs,) = (await reader.http.get("/turns/running")).json()["turns"]
                assert runs["replaces_turn_id"] == first.turn_id
                await reader.http.post(f"/turns/{seen[0].json['turn_id']}/cancel")
    assert TurnStory(seen).finish_reason == "cancelled"
    assert await stored(reader, first.conversation_id) == [(first.turn_id, MARKDOWN.question)]


async def test_a_plan_that_runs_again_finds_the_same_evidence_and_costs_no_planning(
    reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(ANSWER)
    question = "MinIO 的管理控制台端口是多少,以及备份保留多少天?"
    first = TurnStory(await reader.ask(question))
    model.requests.clear()
    planned = len(model.planning_requests)
    replay = await again(reader, f"/turns/{first.turn_id}/replay")
    assert len(model.planning_requests) == planned
    assert await evidence(reader, replay) == await evidence(reader, first)
    own = ("plan_id", "turn_id", "created_at", "sequence", "at")
    plans = [{name: story.plan[name] for name in story.plan if name not in own} for story in (first, replay)]
    assert plans[0] == plans[1]
    assert all(replay.plan[name] != first.plan[name] for name in own)
    assert [turn for turn, _ in await stored(reader, first.conversation_id)] == [first.turn_id, replay.turn_id]
    assert (await reader.trace(replay.turn_id))["replays_turn_id"] == first.turn_id


async def test_a_plan_is_previewed_without_a_trace_of_it_and_read_afterwards(
    person: ApiClient, model: ScriptedModel
) -> None:
    preview = (await person.http.post("/plans/preview", json={"message": "What is X and how does Y work?"})).json()
    assert [stage["name"] for stage in preview["stages"]] == ["rewrite", "plan"]
    assert all({"input", "output", "reason"} <= step.keys() for step in preview["stages"][-1]["detail"]["steps"])
    assert (await person.http.get("/conversations")).json()["conversations"] == []
    assert (await person.http.get("/traces/turns")).json()["turns"] == []
    story = TurnStory(await person.ask("What is X and how does Y work?"))
    kept = (await person.http.get(f"/turns/{story.turn_id}/plan")).json()
    assert_shape(kept["plan"], PLAN)
    assert kept["plan"].items() <= story.plan.items() and kept["state"] == "COMPLETED"
    for name in ("mode", "sub_questions", "budget", "rewritten_question"):
        assert preview["plan"][name] == kept["plan"][name]


@pytest.mark.parametrize("body", [{"message": " "}, {"message": "x" * 40_000}, {"message": 7}])
async def test_a_bad_question_in_its_place_is_refused(
    reader: ApiClient, model: ScriptedModel, body: dict[str, Any]
) -> None:
    first = TurnStory(await reader.ask(MARKDOWN.question))
    refused = await reader.http.post(f"/turns/{first.turn_id}/regenerate", json=body)
    assert refused.status_code == 400


async def test_a_later_turn_has_the_tools_of_the_one_before_in_its_plan(
    fleet_with_model: Fleet, reader: ApiClient, model: ScriptedModel
) -> None:
    total = ScriptedToolCall("calculate", '{"expression": "9001 + 1"}', "call_a")
    model.answer_with(
        Rule(Reply(tool_calls=(total,)), purpose="agent", times=1),
        Rule(Reply(text="It is 9002."), purpose="agent"),
        ANSWER,
    )
    first = TurnStory(await reader.ask("What is 9001 + 1?", mode="REACT_AGENT"))
    assert "result" not in first.only("tool_result"), "viewers see a line, not all that the model was told"
    second = TurnStory(await reader.ask(MARKDOWN.question, first.conversation_id))
    token = reader.http.headers["authorization"].removeprefix("Bearer ")
    async with channel(fleet_with_model.environment["ORCHESTRATOR_ADDRESS"]) as opened:
        answer = await OrchestratorServiceStub(opened).GetPlan(
            GetPlanRequest(turn_id=second.turn_id), metadata=bearer(token)
        )
    (past,) = answer.plan.memory.recent_turns
    ((name, ok, result),) = ((used.name, used.ok, used.result) for used in past.tools)
    assert (name, ok) == ("calculate", True)
    assert "9002" in result
