"""Open questions: what a run with tools yields, what the model gets to read, and where it ends."""

import asyncio
from typing import Any

from superagent_agent_executor.domain import events as ev
from superagent_common.llm import ThinkingDelta
from tests.support.executor_rig import (
    OTHER,
    PASSAGE,
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


async def test_the_model_calls_a_tool_and_answers_from_its_result() -> None:
    model = FakeModel(calls(SUM), says("It is 42."))
    events = await Rig(None, model).run(asking())
    assert text(events) == "It is 42."
    assert only(events, ev.ToolCall) == [ev.ToolCall("c0", "calculate", {"expression": "6 * 7"})]
    (result,) = only(events, ev.ToolResult)
    assert (result.id, result.ok, result.summary) == ("c0", True, "6 * 7 = 42")
    assert only(events, ev.Usage)[-1] == ev.Usage("fake", 200, 20, 1.0, 2, 1)
    assert only(events, ev.Answered) == [ev.Answered("stop")]
    assert not only(events, ev.Sources) and not only(events, ev.Degraded)
    kinds = [type(event).__name__ for event in events if not isinstance(event, ev.Stage)]
    assert kinds == ["ToolCall", "ToolResult", "Usage", "Delta", "Usage", "Answered"]
    (tool,), (execute,) = stages(events, "tool"), stages(events, "execute")
    assert tool.detail["tool"] == "calculate" and tool.detail["attempts"] == 1
    assert execute.detail["model_calls"] == 2 and execute.detail["limits"]["tool_rounds"] == 5  # type: ignore[index, call-overload]
    assert execute.detail["tools"] == ["calculate", "current_time", "knowledge_search"]


async def test_the_conversation_with_the_model_is_whole() -> None:
    model = FakeModel(calls(SUM, text="Let me see."), says("It is 42."))
    events = await Rig(None, model).run(asking())
    first, second = model.requests
    assert [message.role for message in first.messages] == ["system", "user"]
    assert [tool.name for tool in first.tools] == ["calculate", "current_time", "knowledge_search"]
    assert (first.purpose, first.tool_choice) == ("agent", "auto")
    assistant, result = second.messages[-2:]
    assert (assistant.content, [call.id for call in assistant.tool_calls]) == ("Let me see.", ["c0"])
    assert (result.tool_call_id, result.content) == ("c0", "<tool_result>\n6 * 7 = 42\n</tool_result>")
    assert text(events) == "Let me see.\n\nIt is 42."


async def test_reasoning_is_shown() -> None:
    model = FakeModel((ThinkingDelta("Hm. "), *calls(SUM)), (ThinkingDelta("Aha."), *says("42.")))
    events = await Rig(None, model).run(asking())
    assert [event.text for event in only(events, ev.Thinking)] == ["Hm. ", "Aha."]


async def test_searches_are_numbered_across_calls_and_the_answer_is_checked_against_them() -> None:
    evidence = FakeEvidence({"warranty?": [PASSAGE], "restore?": [OTHER, PASSAGE]})
    again = ("knowledge_search", '{"question": "restore?"}')
    model = FakeModel(calls(SEARCH), calls(again), says("Two years [1], four hours [2], so they say [3]."))
    events = await Rig(evidence, model).run(asking("Warranty and restore?"))
    assert text(events) == "Two years [1], four hours [2], so they say ."
    (sources,) = only(events, ev.Sources)
    assert (sources.mode, [each.citation_id for each in sources.passages]) == ("hybrid", [1, 2])
    assert [each.title for each in sources.passages] == ["Handbook", "Runbook"]
    first, second = told(model, 2)
    assert "[1] (Handbook > Warranty, page 3)\nWarranty lasts two years." in first.content
    assert "[2] (Runbook > Restore)\nRestores take four hours." in second.content
    assert "[1] (Handbook > Warranty, page 3) (shown in an earlier result)" in second.content
    assert only(events, ev.FollowUps) == [ev.FollowUps(("Next?",))]
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("Sources") < kinds.index("Answered") < kinds.index("FollowUps")


async def test_parallel_searches_are_numbered_in_the_order_they_were_asked() -> None:
    release = asyncio.Event()

    class SlowFirst(FakeEvidence):
        async def find(self, question: Any, budget_chars: int, hints: Any) -> Any:
            if question.text == "warranty?":
                await release.wait()
            else:
                release.set()
            return await super().find(question, budget_chars, hints)

    evidence = SlowFirst({"warranty?": [PASSAGE], "restore?": [OTHER]})
    model = FakeModel(calls(SEARCH, ("knowledge_search", '{"question": "restore?"}')), says("[1] [2]"))
    events = await Rig(evidence, model).run(asking())
    (sources,) = only(events, ev.Sources)
    assert [each.title for each in sources.passages] == ["Handbook", "Runbook"]


async def test_a_search_without_results_leaves_empty_sources() -> None:
    events = await Rig(None, FakeModel(calls(SEARCH), says("Nothing is known."))).run(asking())
    assert only(events, ev.Sources) == [ev.Sources((), "none")]
    assert not only(events, ev.FollowUps)
