"""Open questions through the whole fleet: model and tools in turns, as the person sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent.agent_executor.v1 import agent_executor_pb2 as pb
from superagent.agent_executor.v1.agent_executor_pb2_grpc import ExecutorServiceStub
from tests.support.grpc_doors import bearer, channel
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel, ScriptedToolCall, plan_json
from tests.support.span_table import Edge, edges, spans_when
from tests.support.turn_events import TurnStory, assert_whole

QUESTION = "MinIO 的管理控制台端口加 1 是多少?"
SEARCH = ScriptedToolCall("knowledge_search", json.dumps({"question": MARKDOWN.question}), "call_a")
SUM = ScriptedToolCall("calculate", '{"expression": "9001 + 1"}', "call_b")
EXECUTE = "superagent.agent_executor.v1.ExecutorService/Execute"
RECORDED = "process superagent.turn.completed.v1"
SEARCH_RPC = "superagent.retrieval.v1.RetrievalService/Search"
FOLLOW_UPS = Rule(Reply(text='{"questions": ["a?", "b?", "c?"]}', usage=(300, 20)), purpose="follow_ups")


def bodies(model: ScriptedModel, purpose: str) -> list[dict[str, Any]]:
    """What the model was asked for this purpose."""
    return [request.body for request in model.requests if request.headers.get("x-superagent-purpose") == purpose]


async def test_a_whole_turn_with_tools(reader: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(
        Rule(Reply(thinking="先查端口。", tool_calls=(SEARCH, SUM), usage=(500, 40)), purpose="agent", times=1),
        Rule(Reply(text="管理控制台端口是 9001 [1]，加 1 是 9002 [7]。", usage=(900, 30)), purpose="agent"),
        FOLLOW_UPS,
    )
    events = await reader.ask(QUESTION, mode="REACT_AGENT", time_zone="Asia/Shanghai")
    assert_whole(events)
    story = TurnStory(events)
    assert story.plan["mode"] == "REACT_AGENT"
    assert story.text == "管理控制台端口是 9001 [1]，加 1 是 9002 。"
    assert story.finish_reason == "stop"
    assert "".join(event["text"] for event in story.all("thinking")) == "先查端口。"

    called = {call["id"]: (call["name"], call["arguments"]) for call in story.all("tool_call")}
    assert called == {
        "call_a": ("knowledge_search", {"question": MARKDOWN.question}),
        "call_b": ("calculate", {"expression": "9001 + 1"}),
    }
    results = {result["id"]: result for result in story.all("tool_result")}
    assert all(result["ok"] and result["duration_ms"] >= 0 for result in results.values())
    assert results["call_b"]["summary"] == "9001 + 1 = 9002"
    assert results["call_a"]["summary"].startswith("找到")
    assert story.sources[1]["title"] == "对象存储手册" or MARKDOWN.fact in story.sources[1]["snippet"]
    assert len(story.only("follow_ups")["questions"]) == 3
    assert [name for name in story.stages if name in ("tool", "execute", "follow_ups")] == [
        "tool",
        "tool",
        "execute",
        "follow_ups",
    ]
    order = story.names
    assert order.index("tool_call") < order.index("tool_result") < order.index("delta") < order.index("sources")

    usage = story.all("usage")[-1]
    assert (usage["tool_calls"], usage["limits"]["tool_rounds"]) == (2, 5)
    trace = await reader.trace(story.turn_id)
    assert trace["usage"]["tool_calls"] == 2
    assert [stage["detail"]["tool"] for stage in trace["stages"] if stage["name"] == "tool"] == [
        "calculate",
        "knowledge_search",
    ]

    asked = bodies(model, "agent")
    assert [tool["function"]["name"] for tool in asked[0]["tools"]] == ["calculate", "current_time", "knowledge_search"]
    by_id = {
        message["tool_call_id"]: message["content"] for message in asked[1]["messages"] if message["role"] == "tool"
    }
    assert MARKDOWN.fact in by_id["call_a"] and "[1] (" in by_id["call_a"]
    assert "9001 + 1 = 9002" in by_id["call_b"]


async def test_tools_are_spans_of_the_turns_trace_and_hold_no_content(
    fleet_with_model: Fleet, reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(
        Rule(Reply(tool_calls=(SEARCH,)), purpose="agent", times=1),
        Rule(Reply(text="9001 [1]"), purpose="agent"),
        FOLLOW_UPS,
    )
    story = TurnStory(await reader.ask(QUESTION, mode="REACT_AGENT"))
    trace_id = (await reader.trace(story.turn_id))["trace_id"]
    wanted: set[Edge] = {
        (("agent-executor", EXECUTE), ("agent-executor", "stage execute")),
        (("agent-executor", EXECUTE), ("agent-executor", "stage tool")),
        (("agent-executor", "stage tool"), ("agent-executor", SEARCH_RPC)),
        (("agent-executor", SEARCH_RPC), ("retrieval", SEARCH_RPC)),
        # With it the turn's record is where its spans are.
        (("trace", RECORDED), ("trace", "sql write")),
    }
    found = edges(await spans_when(fleet_with_model.data_dir, trace_id, lambda spans: edges(spans) >= wanted))
    assert wanted - found == set()
    spans = (await reader.trace(story.turn_id))["spans"]
    (tool,) = [span for span in spans if span["name"] == "stage tool"]
    assert tool["attributes"]["gen_ai.tool.name"] == "knowledge_search"
    assert MARKDOWN.question not in json.dumps(spans, ensure_ascii=False)


async def test_a_dependent_question_is_searched_behind_what_it_needs(reader: ApiClient, model: ScriptedModel) -> None:
    first, second = MARKDOWN.question, "修改它要谁审批?"
    completed = "修改 MinIO 管理控制台端口 9001 要谁审批?"
    asked = [
        {"text": first, "domains": [], "depends_on": []},
        {"text": second, "domains": [], "depends_on": [1]},
    ]
    model.answer_with(
        Rule(Reply(text=plan_json(first + second, sub_questions=asked)), purpose="plan"),
        Rule(Reply(text=json.dumps({"question": completed}, ensure_ascii=False)), purpose="question"),
        Rule(Reply(text="1. 9001 [1]\n2. 运维组 [1]"), purpose="answer"),
        FOLLOW_UPS,
    )
    story = TurnStory(await reader.ask(first + second))
    assert story.text == "1. 9001 [1]\n2. 运维组 [1]"
    assert [question["depends_on"] for question in story.plan["sub_questions"]] == [[], [1]]
    waves = [
        stage["detail"] for stage in story.all("stage") if stage["name"] == "retrieve" and stage["state"] != "STARTED"
    ]
    assert [[searched["question"] for searched in wave["questions"]] for wave in waves] == [[first], [second]]
    (searched,) = waves[1]["questions"]
    assert (searched["searched"], searched["completed_by"]) == (completed, "model")


async def test_a_stranger_finds_nothing_with_the_tool(person: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(
        Rule(Reply(tool_calls=(SEARCH,)), purpose="agent", times=1),
        Rule(Reply(text="没有找到 [1]。"), purpose="agent"),
        FOLLOW_UPS,
    )
    story = TurnStory(await person.ask(QUESTION, mode="REACT_AGENT"))
    assert (story.text, story.sources) == ("没有找到 。", {})
    (result,) = [message for message in bodies(model, "agent")[1]["messages"] if message["role"] == "tool"]
    assert result["content"] == "<tool_result>\n没有找到相关内容。\n</tool_result>"


async def test_a_model_that_only_calls_tools_ends_at_the_limit(person: ApiClient, model: ScriptedModel) -> None:
    rules = [
        Rule(
            Reply(tool_calls=(ScriptedToolCall("calculate", f'{{"expression": "{number} + 1"}}'),)),
            purpose="agent",
            times=1,
        )
        for number in range(12)
    ]
    model.answer_with(*rules)
    story = TurnStory(await person.ask("What is 1 + 1, again and again?", mode="REACT_AGENT"))
    assert story.finish_reason == "limit"
    assert "0 + 1 = 1" in story.text and "rounds of tools: 5" in story.text
    assert len(bodies(model, "agent")) == 7
    assert story.all("usage")[-1]["tool_calls"] == 5


async def test_without_a_model_the_answer_says_that_it_needs_one(person_without_model: ApiClient) -> None:
    story = TurnStory(await person_without_model.ask("现在几点?", mode="REACT_AGENT"))
    assert "没有配置语言模型" in story.text
    assert (story.degraded, story.finish_reason) == (["no_model"], "stop")


@pytest.mark.parametrize("skill", ["customer-service", "risk-control"])
async def test_a_skill_that_is_asked_for_is_in_the_prompt(reader: ApiClient, model: ScriptedModel, skill: str) -> None:
    story = TurnStory(await reader.ask(MARKDOWN.question, skill=skill))
    assert [chosen["code"] for chosen in story.plan["skills"]] == [skill]
    system = bodies(model, "answer")[0]["messages"][0]["content"]
    assert {"customer-service": "## 客户服务", "risk-control": "## 风险与合规"}[skill] in system


async def test_a_person_may_read_which_tools_and_skills_there_are(fleet_with_model: Fleet, anybody: ApiClient) -> None:
    token = anybody.http.headers["authorization"].removeprefix("Bearer ")
    async with channel(fleet_with_model.environment["AGENT_EXECUTOR_ADDRESS"]) as opened:
        stub = ExecutorServiceStub(opened)
        tools = (await stub.ListTools(pb.ListToolsRequest(), metadata=bearer(token))).tools
        skills = (await stub.ListSkills(pb.ListSkillsRequest(), metadata=bearer(token))).skills
    assert [(tool.name, tool.risk) for tool in tools] == [
        ("calculate", "read"),
        ("current_time", "read"),
        ("knowledge_search", "read"),
    ]
    assert len(skills) == 6 and [skill.code for skill in skills if skill.fallback] == ["ai-assistant"]
