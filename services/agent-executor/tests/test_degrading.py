"""What a run says and tells when something it needs is missing, busy, silent or does not stop."""

from typing import Any

import pytest

from superagent_agent_executor.domain import events as ev
from superagent_agent_executor.domain.plan import Budget, Plan, SubQuestion
from superagent_common.errors import Exhausted, Unavailable
from superagent_common.llm import QUEUE_FULL, Begun, Finished, Queued, TextDelta, ThinkingDelta, Usage
from tests.support.executor_rig import (
    OTHER,
    PASSAGE,
    FakeEvidence,
    FakeModel,
    Rig,
    calls,
    only,
    plan,
    says,
    stages,
    text,
)

SEARCH = ("knowledge_search", '{"question": "warranty?"}')
FULL = Exhausted(QUEUE_FULL, "Too many wait.", retry_after_seconds=7)


async def broken(rig: Rig, wanted: Plan) -> tuple[list[ev.ExecutionEvent], Exception]:
    events: list[ev.ExecutionEvent] = []
    with pytest.raises((Unavailable, Exhausted)) as failure:
        async for event in rig.executors.run(wanted):
            events.append(event)
    return events, failure.value


async def test_only_the_sub_question_without_evidence_says_so_beside_a_models_answer() -> None:
    model = FakeModel(says("1. Two years [1]."))
    mars = SubQuestion(2, "火星食堂几点开门？", domains=("ops",), domains_requested=True)
    wanted = plan("两问", sub_questions=(SubQuestion(1, "保修多久？"), mars), language="zh")
    events = await Rig(FakeEvidence({"保修多久？": [PASSAGE]}), model).run(wanted)
    first, second = text(events).split("\n\n2. **火星食堂几点开门？**\n\n")
    assert first == "1. Two years [1]."
    assert second == "当前文档中没有检索到足够证据。\n\n检索范围：ops"
    prompt = model.requests[0].messages[-1].content
    assert "<sub_questions>\n1. 保修多久？\n</sub_questions>" in prompt
    assert [each.citation_id for each in only(events, ev.Sources)[0].passages] == [1]
    assert only(events, ev.Answered) == [ev.Answered("stop")]


async def test_what_could_not_be_searched_is_told_apart_from_what_is_not_there() -> None:
    down = FakeEvidence({"a?": [PASSAGE], "b?": Unavailable("retrieval_unavailable")})
    events = await Rig(down, FakeModel(says("1. Two years [1]."))).run(plan("a?", "b?"))
    assert text(events).endswith("2. **b?**\n\nThis part could not be searched right now. Please try again later.")
    empty = FakeEvidence({"b?": Unavailable("retrieval_unavailable")})
    events = await Rig(empty, FakeModel(says("never"))).run(plan("a?", "b?"))
    assert text(events).endswith("Searched for: a?\n\nCould not be searched right now: b?")
    assert only(events, ev.Answered) == [ev.Answered("no_evidence")]


@pytest.mark.parametrize("mode", ["text_only", "vector_only"])
async def test_a_channel_that_is_down_is_told(mode: Any) -> None:
    events = await Rig(FakeEvidence({"q?": [PASSAGE]}, mode), FakeModel(says("So [1]."))).run(plan("q?"))
    assert only(events, ev.Degraded) == [ev.Degraded(mode, "channel_down")]
    assert only(events, ev.Sources)[0].mode == mode


@pytest.mark.parametrize("mode", ["text_only", "vector_only"])
async def test_nothing_found_by_one_channel_alone_is_no_proof_that_there_is_nothing(mode: Any) -> None:
    model = FakeModel(says("1. Two years [1]."))
    events = await Rig(FakeEvidence({}, mode), model).run(plan("a?"))
    assert only(events, ev.Degraded) == [ev.Degraded(mode, "channel_down")]
    assert only(events, ev.Sources) == [ev.Sources((), mode)]
    assert only(events, ev.Answered) == [ev.Answered("no_evidence")]
    assert text(events).startswith("A part of the search does not answer right now") and "Searched for: a?" in text(
        events
    )
    assert not model.requests

    events = await Rig(FakeEvidence({"a?": [PASSAGE]}, mode), model).run(plan("a?", "b?", language="zh"))
    assert text(events).endswith("文档中可能仍有相关内容，请稍后再试。")
    assert "没有检索到足够证据" not in text(events)


async def test_an_agent_is_told_that_a_channel_is_down_where_it_found_nothing() -> None:
    model = FakeModel(calls(SEARCH), says("Nothing for now."))
    events = await Rig(FakeEvidence({}, "text_only"), model).run(plan("q?", mode="react_agent"))
    assert only(events, ev.Degraded) == [ev.Degraded("text_only", "channel_down")]
    assert only(events, ev.Sources) == [ev.Sources((), "text_only")]
    assert "a part of the search does not answer" in model.requests[-1].messages[-1].content


async def test_knowledge_and_model_both_down_are_both_told() -> None:
    down = FakeEvidence({"q?": Unavailable("retrieval_unavailable")})
    events = await Rig(down, FakeModel((Unavailable("model_down"),))).run(plan("q?", language="zh"))
    assert [tier.tier for tier in only(events, ev.Degraded)] == ["no_retrieval", "no_model"]
    assert "本轮无检索结果" in text(events) and "语言模型暂时不可用" in text(events)


@pytest.mark.parametrize(
    "wanted", [plan("q?"), plan("q?", mode="direct"), plan("q?", mode="react_agent")], ids=lambda each: each.mode
)
async def test_a_break_after_the_first_words_keeps_them_and_ends_the_stage(wanted: Plan) -> None:
    script = (TextDelta("Two years ["), TextDelta("1]"), Unavailable("model_stream_broken"))
    events, failure = await broken(Rig(FakeEvidence({"q?": [PASSAGE]}), FakeModel(script)), wanted)
    assert text(events).startswith("Two years ")
    # The marker waited for what follows it, and was whole; only evidence-bound answers have something to cite.
    assert text(events).endswith("[1]") is (wanted.mode == "rag_chat")
    assert getattr(failure, "reason", "") == "model_stream_broken"
    (execute,) = stages(events, "execute")
    assert (execute.state, execute.detail["failure"]) == ("failed", "model_stream_broken")
    assert only(events, ev.Usage)[-1].model_calls == 1
    assert not only(events, ev.Answered)


@pytest.mark.parametrize("mode", ["rag_chat", "direct", "react_agent"])
async def test_what_a_broken_answer_used_is_told_from_its_first_word_on(mode: Any) -> None:
    begun, used = (Usage("fake", 90, said, 0.5, estimated=True) for said in (0, 4))
    script = (TextDelta("Two "), Begun(begun), TextDelta("years"), used, Unavailable("model_stream_broken"))
    events, _ = await broken(Rig(FakeEvidence({"q?": [PASSAGE]}), FakeModel(script)), plan("q?", mode=mode))
    (calling,) = only(events, ev.Calling)
    assert calling.usage == ev.Usage("fake", 90, 0, 0.5, 1, 0, estimated=True)
    assert only(events, ev.Usage)[-1] == ev.Usage("fake", 90, 4, 0.5, 1, 0, estimated=True)


async def test_what_a_model_that_ignores_its_limit_used_is_estimated() -> None:
    begun = Begun(Usage("fake", 90, 0, 0.5, estimated=True))
    script = (TextDelta("word "), begun, TextDelta("x" * 30_000), Unavailable("never read"))
    events = await Rig(FakeEvidence({"q?": [PASSAGE]}), FakeModel(script)).run(plan("q?", mode="direct"))
    assert only(events, ev.Answered) == [ev.Answered("length")]
    assert only(events, ev.Usage)[-1] == ev.Usage("fake", 90, 6_000, 0.5, 1, 0, estimated=True)


async def test_half_a_marker_of_a_broken_answer_is_not_shown() -> None:
    script = (TextDelta("Two years [1"), Unavailable("model_stream_broken"))
    events, _ = await broken(Rig(FakeEvidence({"q?": [PASSAGE]}), FakeModel(script)), plan("q?"))
    assert text(events) == "Two years "


@pytest.mark.parametrize(
    "wanted", [plan("q?"), plan("q?", mode="direct"), plan("q?", mode="react_agent")], ids=lambda each: each.mode
)
async def test_a_full_queue_refuses_the_turn_and_says_when_to_come_back(wanted: Plan) -> None:
    events, failure = await broken(Rig(FakeEvidence({"q?": [PASSAGE]}), FakeModel((FULL,))), wanted)
    assert failure is FULL
    assert not text(events) and not only(events, ev.Degraded)


async def test_an_agent_that_found_something_tells_it_when_the_queue_is_full_afterwards() -> None:
    rig = Rig(FakeEvidence({"warranty?": [PASSAGE]}), FakeModel(calls(SEARCH), (FULL,)))
    events = await rig.run(plan("q?", mode="react_agent"))
    assert "two years" in text(events)
    assert only(events, ev.Degraded) == [ev.Degraded("extractive", QUEUE_FULL)]


async def test_the_place_in_the_queue_is_told() -> None:
    script = (Queued(2, "strong"), Queued(1, "strong"), *says("Two years [1]."))
    events = await Rig(FakeEvidence({"q?": [PASSAGE]}), FakeModel(script)).run(plan("q?"))
    assert only(events, ev.Queued) == [ev.Queued(2, "strong"), ev.Queued(1, "strong")]


@pytest.mark.parametrize("kind", [TextDelta, ThinkingDelta])
async def test_a_model_that_repeats_forever_is_left(kind: Any) -> None:
    def forever() -> Any:
        yield TextDelta("Two years [1]. ")
        yield Begun(Usage("fake", 100, 0, None, estimated=True))
        while True:
            yield kind("again ")

    class Endless(FakeModel):
        async def stream(self, request: Any) -> Any:
            try:
                for event in forever():
                    yield event
            finally:
                self.closed = True

    model = Endless()
    wanted = plan("q?", budget=Budget(max_output_tokens=100))
    events = await Rig(FakeEvidence({"q?": [PASSAGE]}), model).run(wanted)
    assert model.closed
    assert only(events, ev.Answered) == [ev.Answered("length")]
    assert len(text(events)) <= 100 * 10 + len("again ")
    assert only(events, ev.Usage)[0].output_tokens == 300, "of a thousand characters, shown or thought"


async def test_the_small_model_completes_and_suggests_and_the_strong_one_answers() -> None:
    strong = FakeModel((TextDelta("Li Lei [1]."), Usage("strong", 100, 10, 1.0), Finished("stop")))
    small = FakeModel(complete='{"question": "Next?", "questions": ["And then?"]}')
    questions = (SubQuestion(1, "owner?"), SubQuestion(2, "their phone?", depends_on=(1,)))
    evidence = FakeEvidence({"owner?": [OTHER], "Next?": [PASSAGE]})
    events = await Rig(evidence, strong, small=small).run(plan("q?", sub_questions=questions))
    assert [request.purpose for request in strong.requests] == ["answer"]
    assert [request.purpose for request in small.requests] == ["question", "follow_ups"]
    assert only(events, ev.FollowUps) == [ev.FollowUps(("And then?",))]
    usage = only(events, ev.Usage)[-1]
    assert (usage.model, usage.model_calls, usage.input_tokens) == ("strong", 3, 110)
