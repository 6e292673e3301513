"""Sub-questions that need an earlier answer: when they are searched, and by what."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_agent_executor.domain import events as ev
from superagent_agent_executor.domain.dependencies import usable_completion, waves
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_common.errors import Unavailable
from tests.support.executor_rig import OTHER, PASSAGE, FakeEvidence, FakeModel, Rig, only, plan, says, stages, text

OWNER = SubQuestion(1, "Who owns the backup system?")
HOTEL = SubQuestion(2, "What does a hotel cost?")
PHONE = SubQuestion(3, "What is their phone number?", depends_on=(1,))


def dependent(*questions: SubQuestion, **more: Any) -> Plan:
    return plan("Owner, hotel and phone?", sub_questions=questions, **more)


@given(st.lists(st.lists(st.integers(-1, 6), max_size=3), min_size=1, max_size=5))
def test_waves_hold_every_question_once_and_behind_what_it_needs(needs: list[list[int]]) -> None:
    questions = [SubQuestion(index, "q", depends_on=tuple(need)) for index, need in enumerate(needs, start=1)]
    found = waves(questions)
    assert sorted(question.index for wave in found for question in wave) == list(range(1, len(needs) + 1))
    place = {question.index: position for position, wave in enumerate(found) for question in wave}
    for question in questions:
        earlier = [index for index in question.depends_on if 0 < index < question.index]
        assert all(place[index] < place[question.index] for index in earlier)
        # As early as possible: nothing waits without a reason.
        assert place[question.index] == max((place[index] + 1 for index in earlier), default=0)


@pytest.mark.parametrize(
    ("completion", "usable"),
    [
        ("What is Li Lei's  phone\nnumber for SA-17?", "What is Li Lei's phone number for SA-17?"),
        ("What is Li Lei's phone number?", ""),
        ("", ""),
        ("SA-17 " + "x" * 500, ""),
    ],
)
def test_a_completion_must_keep_codes_and_be_short(completion: str, usable: str) -> None:
    assert usable_completion(completion, SubQuestion(2, "What is their number for SA-17?")) == usable


async def test_independent_questions_are_searched_at_once() -> None:
    waiting = asyncio.Barrier(2)

    class Together(FakeEvidence):
        async def find(self, question: SubQuestion, budget_chars: int, hints: Any) -> Any:
            await waiting.wait()
            return await super().find(question, budget_chars, hints)

    evidence = Together({OWNER.text: [PASSAGE], HOTEL.text: [OTHER]})
    events = await asyncio.wait_for(Rig(evidence, None).run(dependent(OWNER, HOTEL)), 120)
    assert len(stages(events, "retrieve")) == 1


async def test_a_dependent_question_is_completed_by_the_model_from_what_was_found() -> None:
    completed = "What is the phone number of Li Lei?"
    evidence = FakeEvidence({OWNER.text: [PASSAGE], HOTEL.text: [OTHER], completed: [PASSAGE]})
    model = FakeModel(says("1. So [1]"), complete=f'{{"question": "{completed}"}}')
    events = await Rig(evidence, model).run(dependent(OWNER, HOTEL, PHONE))
    assert [question.text for question in evidence.questions] == [OWNER.text, HOTEL.text, completed]
    first, second = stages(events, "retrieve")
    assert [each["question"] for each in first.detail["questions"]] == [OWNER.text, HOTEL.text]  # type: ignore[index, union-attr, call-overload]
    (asked,) = second.detail["questions"]  # type: ignore[misc]
    assert (asked["question"], asked["searched"]) == (PHONE.text, completed)
    assert (asked["depends_on"], asked["completed_by"]) == ([1], "model")
    completion = model.requests[0]
    assert completion.purpose == "question"
    assert (
        "Warranty lasts two years." in completion.messages[1].content
        and OTHER.text not in completion.messages[1].content
    )
    assert f"3. {PHONE.text} ({completed})" in model.requests[1].messages[1].content
    # Answer, completion and follow-ups.
    assert only(events, ev.Usage)[-1].model_calls == 3
    assert only(events, ev.Usage)[0].input_tokens == 105


@pytest.mark.parametrize("said", ["prose", '{"question": ""}', '{"question": 7}', "[]", Unavailable("model_down")])
async def test_a_useless_completion_is_replaced_by_words(said: str | Exception) -> None:
    evidence = FakeEvidence({OWNER.text: [PASSAGE]})
    model = FakeModel(says("1. So [1]"), complete=said)
    events = await Rig(evidence, model).run(dependent(OWNER, PHONE))
    assert evidence.questions[1].text == f"{PHONE.text} {OWNER.text} Warranty"
    (asked,) = stages(events, "retrieve")[1].detail["questions"]  # type: ignore[misc]
    assert asked["completed_by"] == "words"


async def test_without_a_model_the_earlier_question_and_heading_are_searched_along() -> None:
    words = f"{PHONE.text} {OWNER.text} Warranty"
    evidence = FakeEvidence({OWNER.text: [PASSAGE], words: [OTHER]})
    events = await Rig(evidence, None).run(dependent(OWNER, PHONE))
    assert [question.text for question in evidence.questions] == [OWNER.text, words]
    assert f"3. **{PHONE.text}**" in text(events)
    assert "Restores take four hours." in text(events)


async def test_a_question_whose_ground_was_not_found_is_searched_all_the_same() -> None:
    evidence = FakeEvidence({OWNER.text: Unavailable("down"), HOTEL.text: [OTHER]})
    model = FakeModel(says("So [1]."))
    events = await Rig(evidence, model).run(dependent(OWNER, HOTEL, PHONE))
    assert evidence.questions[2].text == f"{PHONE.text} {OWNER.text}"
    assert [stage.state for stage in stages(events, "retrieve")] == ["completed", "completed"]
    assert model.requests[0].purpose == "answer"


async def test_completions_leave_a_model_call_for_the_answer() -> None:
    evidence = FakeEvidence({OWNER.text: [PASSAGE]})
    model = FakeModel(says("So [1]."), complete='{"question": "x"}')
    wanted = dependent(OWNER, PHONE)
    await Rig(evidence, model).run(replace(wanted, budget=replace(wanted.budget, model_calls=1)))
    assert [request.purpose for request in model.requests] == ["answer"]
