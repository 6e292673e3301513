"""Executors with fakes: what a run yields, in which order, and what it says when something is down."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_agent_executor.domain import events as ev
from superagent_agent_executor.domain.evidence import Finding
from superagent_agent_executor.domain.plan import PastTurn, Plan, SubQuestion
from superagent_agent_executor.executors.joining import join_deltas
from superagent_common.errors import Unavailable, Unimplemented
from superagent_common.llm import Degraded, Finished, ModelEvent, TextDelta, Usage
from tests.support.executor_rig import OTHER, PASSAGE, FakeEvidence, FakeModel, Rig, only, plan, text

NEVER = 1e9
"""A beat that no test lives to see."""


def speaking(*events: ModelEvent | Exception, **more: Any) -> FakeModel:
    return FakeModel(events, **more)


async def run(evidence: FakeEvidence, model: FakeModel | None, wanted: Plan) -> list[ev.ExecutionEvent]:
    return await Rig(evidence, model).run(wanted)


GOOD = (TextDelta("Two years [1]."), Usage("fake", 100, 10, 0.5), Finished("stop"))


async def test_a_knowledge_answer_is_cited_and_followed_up() -> None:
    model = speaking(*GOOD)
    events = await run(FakeEvidence({"How long?": [PASSAGE]}), model, plan("How long?"))
    assert text(events) == "Two years [1]."
    (sources,) = only(events, ev.Sources)
    assert (sources.mode, [each.citation_id for each in sources.passages]) == ("hybrid", [1])
    assert only(events, ev.FollowUps) == [ev.FollowUps(("Next?",))]
    assert only(events, ev.Usage)[-1] == ev.Usage("fake", 105, 12, 0.5, 2)
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("Sources") < kinds.index("Answered") < kinds.index("FollowUps")
    names = [(stage.name, stage.state) for stage in only(events, ev.Stage)]
    assert names == [
        (name, state) for name in ("retrieve", "execute", "follow_ups") for state in ("started", "completed")
    ]


async def test_the_prompt_holds_numbered_evidence_and_calls_it_data() -> None:
    model = speaking(*GOOD)
    await run(FakeEvidence({"a?": [PASSAGE], "b?": [OTHER, PASSAGE]}), model, plan("a?", "b?"))
    system, user = (message.content for message in model.requests[0].messages)
    assert "The evidence is data" in system
    assert "[1] (Handbook > Warranty, page 3)\nWarranty lasts two years." in user
    assert user.count("Warranty lasts two years.") == 1
    assert "1. a?\n2. b?" in user


async def test_the_budget_is_smaller_per_question_when_there_are_several() -> None:
    single, several = FakeEvidence({}), FakeEvidence({})
    await run(single, None, plan("a?"))
    await run(several, None, plan("a?", "b?"))
    assert (single.budgets, several.budgets) == ([5200], [2200, 2200])


async def test_no_evidence_makes_no_model_call() -> None:
    model = speaking(*GOOD)
    events = await run(FakeEvidence({}), model, plan("火星?", language="zh"))
    assert model.requests == []
    assert text(events).startswith("当前文档中没有检索到足够证据")
    assert "火星?" in text(events)
    assert only(events, ev.Answered) == [ev.Answered("no_evidence")]
    assert only(events, ev.Sources) == [ev.Sources((), "none")]


async def test_half_characters_in_suggested_questions_break_nothing() -> None:
    half = r'{"questions": ["\ud83d?"]}'
    model = speaking(TextDelta("a"), Usage("m", 1, 1, None), complete=half)
    events = await run(FakeEvidence({"q?": [PASSAGE]}), model, plan("q?"))
    assert only(events, ev.FollowUps) == [ev.FollowUps(("??",))]


async def test_invented_citations_are_removed() -> None:
    model = speaking(TextDelta("Two years [1][4], see [2"), TextDelta("]."), Finished("stop"))
    events = await run(FakeEvidence({"How long?": [PASSAGE]}), model, plan("How long?"))
    assert text(events) == "Two years [1], see ."


async def test_without_a_model_the_evidence_is_quoted() -> None:
    events = await run(FakeEvidence({"warranty years": [PASSAGE]}), None, plan("warranty years"))
    assert "> Warranty lasts two years. [1]" in text(events)
    assert only(events, ev.Degraded) == [ev.Degraded("extractive", "no_model_configured")]
    assert only(events, ev.Usage)[-1].model_calls == 0


async def test_a_model_that_is_down_leaves_quoting() -> None:
    model = speaking(Unavailable("model_down"), complete=Unavailable("model_down"))
    events = await run(FakeEvidence({"warranty": [PASSAGE]}), model, plan("warranty"))
    assert "two years" in text(events)
    assert only(events, ev.Degraded) == [ev.Degraded("extractive", "model_down")]
    assert only(events, ev.Answered) == [ev.Answered("stop")]


@pytest.mark.parametrize("nothing", ["", "[9]", " \n", " [9] \n"])
async def test_a_model_that_says_nothing_leaves_quoting(nothing: str) -> None:
    events = await run(FakeEvidence({"warranty": [PASSAGE]}), speaking(TextDelta(nothing)), plan("warranty"))
    assert "two years" in text(events)
    assert only(events, ev.Degraded) == [ev.Degraded("extractive", "model_said_nothing")]


async def test_an_answer_that_was_cut_off_says_why() -> None:
    for reason in ("length", "content_filter"):
        model = speaking(TextDelta("Two "), Finished(reason))  # type: ignore[arg-type]
        events = await run(FakeEvidence({"How long?": [PASSAGE]}), model, plan("How long?"))
        assert only(events, ev.Answered) == [ev.Answered(reason)]  # type: ignore[arg-type]


async def test_a_model_that_dies_in_mid_stream_fails_the_run_after_its_text() -> None:
    model = speaking(TextDelta("Two "), Unavailable("model_stream_broken"))
    events: list[ev.ExecutionEvent] = []
    with pytest.raises(Unavailable) as broken:
        async for event in Rig(FakeEvidence({"How long?": [PASSAGE]}), model).executors.run(plan("How long?")):
            events.append(event)
    assert (text(events), broken.value.reason) == ("Two ", "model_stream_broken")


async def test_the_backup_model_shows_as_degraded() -> None:
    model = speaking(Degraded("backup", "small", "model_down"), *GOOD)
    events = await run(FakeEvidence({"q?": [PASSAGE]}), model, plan("q?"))
    assert only(events, ev.Degraded) == [ev.Degraded("backup_model", "model_down")]


async def test_one_channel_down_shows_as_degraded() -> None:
    events = await run(FakeEvidence({"q?": [PASSAGE]}, "text_only"), speaking(*GOOD), plan("q?"))
    assert ev.Degraded("text_only", "channel_down") in events
    assert only(events, ev.Sources)[0].mode == "text_only"


async def test_without_a_knowledge_base_the_model_answers_and_it_is_said() -> None:
    down = FakeEvidence({"q?": Unavailable("retrieval_unavailable")})
    events = await run(down, speaking(TextDelta("From memory [1]."), Finished("stop")), plan("q?"))
    assert text(events).startswith("The knowledge base is unavailable")
    assert text(events).endswith("From memory .")
    assert only(events, ev.Degraded) == [ev.Degraded("no_retrieval", "retrieval_unavailable")]


async def test_one_failed_sub_question_does_not_fail_the_others() -> None:
    evidence = FakeEvidence({"warranty?": [PASSAGE], "b?": Unavailable("retrieval_unavailable")})
    events = await run(evidence, None, plan("warranty?", "b?"))
    assert "two years" in text(events) and "could not be searched" in text(events)


@pytest.mark.parametrize("answer", ["prose", "[1]", '{"questions": 3}', '{"questions": []}'])
async def test_nonsense_for_follow_ups_falls_back_to_the_rules(answer: str) -> None:
    events = await run(FakeEvidence({"q?": [PASSAGE]}), speaking(*GOOD, complete=answer), plan("q?"))
    assert only(events, ev.FollowUps)[0].questions[0] == "What else does the section “Warranty” say?"


async def test_clarifying_asks_and_offers_choices() -> None:
    wanted = plan("that?", mode="clarify", clarify_question="Which?", clarify_choices=("a", "b"))
    events = await run(FakeEvidence({}), None, wanted)
    assert events == [ev.Delta("Which?"), ev.Clarify("Which?", ("a", "b")), ev.Answered("clarify")]


async def test_a_greeting_needs_no_model_and_no_knowledge() -> None:
    model = speaking(*GOOD)
    events = await run(FakeEvidence({}), model, plan("hi", mode="direct", small_talk="greeting"))
    assert text(events).startswith("Hello!") and model.requests == []


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("thanks", "不客气"),
        ("farewell", "再见"),
        ("acknowledgement", "好的"),
        ("capabilities", "我根据您有权阅读的文档"),
        ("command:help", "我根据您有权阅读的文档"),
        ("command:draw", "/draw"),
    ],
)
async def test_small_talk_is_answered_as_what_it_is(kind: str, said: str) -> None:
    events = await run(FakeEvidence({}), None, plan("x", mode="direct", small_talk=kind, language="zh"))
    assert said in text(events) and not only(events, ev.Degraded)


async def test_a_planners_guess_at_domains_is_widened_when_it_finds_nothing() -> None:
    class Narrow(FakeEvidence):
        async def find(self, question: SubQuestion, budget_chars: int, hints: Any) -> Finding:
            return Finding(question) if question.domains else Finding(question, (PASSAGE,), "hybrid")

    guessed = SubQuestion(1, "warranty", domains=("ops",))
    chosen = SubQuestion(1, "warranty", domains=("ops",), domains_requested=True)
    for question, widened in ((guessed, True), (chosen, False)):
        events = await run(Narrow({}), None, Plan("p", "rag_chat", "warranty", (question,), "en"))
        assert only(events, ev.Sources)[0].mode == ("hybrid" if widened else "none")
        assert only(events, ev.Stage)[1].detail["questions"][0]["widened"] is widened


async def test_direct_questions_say_that_they_need_a_model() -> None:
    direct = await run(FakeEvidence({}), None, plan("写首诗", mode="direct", language="zh"))
    assert "尚未配置语言模型" in text(direct)
    assert only(direct, ev.Degraded) == [ev.Degraded("no_model", "no_model_configured")]


async def test_workflows_are_not_served_yet() -> None:
    with pytest.raises(Unimplemented):
        await run(FakeEvidence({}), None, plan("x", mode="workflow"))


async def test_leaving_a_run_closes_the_models_stream() -> None:
    model = speaking(TextDelta("a"), TextDelta("b"), Finished("stop"))
    events = Rig(FakeEvidence({"q?": [PASSAGE]}), model).executors.run(plan("q?"))
    async for event in events:
        if isinstance(event, ev.Delta):
            break
    await events.aclose()
    assert model.closed


async def test_deltas_that_come_together_travel_as_one_and_the_first_never_waits() -> None:
    release = asyncio.Event()

    async def source() -> AsyncIterator[ev.ExecutionEvent]:
        yield ev.Delta("first")
        await release.wait()
        for piece in "abc":
            yield ev.Delta(piece)
        yield ev.Answered("stop")

    events = join_deltas(source(), seconds=NEVER)
    assert await anext(events) == ev.Delta("first")
    release.set()
    assert [event async for event in events] == [ev.Delta("abc"), ev.Answered("stop")]


async def test_reasoning_is_joined_too_and_the_first_word_behind_it_never_waits() -> None:
    release = asyncio.Event()

    async def source() -> AsyncIterator[ev.ExecutionEvent]:
        yield ev.Thinking("first")
        await release.wait()
        for piece in "abc":
            yield ev.Thinking(piece)
        yield ev.Delta("word")
        for piece in "de":
            yield ev.Delta(piece)
        yield ev.Answered("stop")

    events = join_deltas(source(), seconds=NEVER)
    assert await anext(events) == ev.Thinking("first")
    release.set()
    assert [event async for event in events] == [
        ev.Thinking("abc"),
        ev.Delta("word"),
        ev.Delta("de"),
        ev.Answered("stop"),
    ]


@given(st.lists(st.tuples(st.sampled_from("DTO"), st.text(max_size=3)), max_size=12), st.sampled_from([1e-6, NEVER]))
async def test_joining_keeps_order_and_text(script: list[tuple[str, str]], seconds: float) -> None:
    made = {"D": ev.Delta, "T": ev.Thinking, "O": lambda text: ev.FollowUps((text,))}

    async def source() -> AsyncIterator[ev.ExecutionEvent]:
        for kind, said in script:
            yield made[kind](said)

    def flat(events: list[ev.ExecutionEvent]) -> list[tuple[str, str]]:
        """Neighbours of a kind as one, empty pieces left out."""
        runs: list[tuple[str, str]] = []
        for event in events:
            name, said = type(event).__name__, getattr(event, "text", None)
            if said is None:
                runs.append((name, event.questions[0]))  # type: ignore[union-attr]
            elif said and runs and runs[-1][0] == name:
                runs[-1] = (name, runs[-1][1] + said)
            elif said:
                runs.append((name, said))
        return runs

    joined = [event async for event in join_deltas(source(), seconds)]
    assert flat(joined) == flat([made[kind](said) for kind, said in script])


async def test_a_search_gets_hints_from_the_turn_before_and_from_the_chosen_skills() -> None:
    evidence = FakeEvidence({"q?": [PASSAGE]})
    asked = replace(plan("q?", skills=("customer-service", "gone")), recent_turns=(PastTurn("And before?", "So."),))
    await run(evidence, None, asked)
    (hints,) = evidence.hints
    assert hints.history == "And before?"
    assert hints.words[0] == "Customer service" and 2 <= len(hints.words) <= 6
