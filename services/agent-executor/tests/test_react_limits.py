"""Where a run with tools ends, and what is said of it."""

import asyncio
from typing import Any

from superagent_agent_executor.domain import events as ev
from superagent_agent_executor.domain.evidence import Passage
from superagent_agent_executor.domain.plan import Budget, Plan
from superagent_common.llm import Finished, TextDelta
from tests.support.executor_rig import (
    OTHER,
    FakeEvidence,
    FakeModel,
    Rig,
    calls,
    only,
    says,
    stages,
    text,
)
from tests.support.react_rig import SEARCH, SUM, asking, told


def limited(**limits: int) -> Plan:
    return asking(budget=Budget(**limits))


def counting() -> FakeModel:
    """A model that never stops calling tools, each time with other arguments."""
    return FakeModel(*[calls(("calculate", f'{{"expression": "{number}+1"}}')) for number in range(20)])


async def test_the_limit_of_rounds_ends_with_what_was_found_and_is_named() -> None:
    model = counting()
    events = await Rig(None, model).run(limited(tool_rounds=2))
    assert only(events, ev.Answered) == [ev.Answered("limit")]
    assert "0+1 = 1" in text(events) and "1+1 = 2" in text(events) and "2+1" not in text(events)
    assert "rounds of tools: 2" in text(events)
    assert [request.tool_choice for request in model.requests] == ["auto", "auto", "auto", "none"]
    assert "not run" in told(model, 3)[-1].content and "Call no more tools" in told(model, 3)[-1].content
    assert stages(events, "execute")[0].detail["limit"] == "tool_rounds"


async def test_at_a_limit_the_model_may_still_answer() -> None:
    model = FakeModel(calls(SUM), calls(("calculate", '{"expression": "1"}')), says("42, I think."))
    events = await Rig(None, model).run(limited(tool_rounds=1))
    assert text(events).startswith("42, I think.\n\n(The limit of this run is reached – rounds of tools: 1.")
    assert only(events, ev.Answered) == [ev.Answered("limit")]


async def test_using_all_rounds_without_wanting_more_is_no_limit() -> None:
    events = await Rig(None, FakeModel(calls(SUM), says("42."))).run(limited(tool_rounds=1))
    assert (text(events), only(events, ev.Answered)) == ("42.", [ev.Answered("stop")])


async def test_the_limit_of_tool_calls_holds_within_a_reply() -> None:
    many = calls(*[("calculate", f'{{"expression": "{number}"}}') for number in range(5)])
    model = FakeModel(many, says("Enough."))
    events = await Rig(None, model).run(limited(tool_calls=3))
    assert [result.ok for result in only(events, ev.ToolResult)] == [True] * 3 + [False] * 2
    assert only(events, ev.Usage)[-1].tool_calls == 3
    assert "tool calls: 3" in text(events) and only(events, ev.Answered) == [ev.Answered("limit")]


async def test_the_limit_of_model_calls_keeps_the_last_for_an_answer() -> None:
    model = counting()
    events = await Rig(None, model).run(limited(model_calls=3))
    assert len(model.requests) == 3
    assert model.requests[-1].tool_choice == "none"
    assert "model calls: 3" in text(events) and only(events, ev.Answered) == [ev.Answered("limit")]


async def test_the_deadline_ends_with_what_was_found() -> None:
    release = asyncio.Event()

    class Stuck(FakeModel):
        async def stream(self, request: Any) -> Any:
            if self.streamed:
                await release.wait()
            async for event in super().stream(request):
                yield event

    model = Stuck(calls(SUM), says("never"))
    events = await Rig(None, model, seconds=5).run(limited(deadline_ms=60_000))
    assert "6 * 7 = 42" in text(events) and "seconds: 60" in text(events)
    assert only(events, ev.Answered) == [ev.Answered("limit")]
    assert model.closed


async def test_a_deadline_that_is_over_says_so_and_nothing_else() -> None:
    model = FakeModel(says("never"))
    events = await Rig(None, model, seconds=0).run(asking(language="zh"))
    assert text(events).startswith("已达到本轮上限（用时 180 秒），还没有得出答案")
    assert only(events, ev.Answered) == [ev.Answered("limit")]


async def test_what_was_found_is_told_once_however_often_it_was_asked_for() -> None:
    model = FakeModel(*(calls(SUM) for _ in range(9)))
    events = await Rig(None, model).run(limited(tool_rounds=3))
    assert text(events).count("\n- ") == 1
    assert "6 * 7 = 42" in text(events) and "same as an earlier" not in text(events)


async def test_an_answer_that_was_cut_says_so() -> None:
    events = await Rig(None, FakeModel((TextDelta("It is"), Finished("length")))).run(asking())
    assert only(events, ev.Answered) == [ev.Answered("length")]


async def test_evidence_ends_where_the_plan_says() -> None:
    long = Passage("p9", "d9", "Long", "ops", "x" * 1_500)
    evidence = FakeEvidence({"warranty?": [long], "restore?": [OTHER]})
    model = FakeModel(calls(SEARCH), calls(("knowledge_search", '{"question": "restore?"}')), says("So be it."))
    await Rig(evidence, model).run(limited(evidence_chars=1_600))
    assert evidence.budgets == [1_600]
    assert "used up" in told(model, 2)[1].content
