"""Kinds of questions that were planned wrongly on public sets: each with what is like it and must stay as it was."""

from __future__ import annotations

import pytest

from evals.plans.cases import planning_input
from superagent_orchestrator.domain.plan import Mode, PastTurn
from superagent_orchestrator.domain.planning.personal import is_pleasantry, is_verdict, orders_device
from superagent_orchestrator.domain.planning.proposal import PlanDraft
from superagent_orchestrator.domain.planning.reference import Missing
from superagent_orchestrator.domain.planning.rules import plan_by_rules


def planned(question: str, *history: tuple[str, str]) -> PlanDraft:
    turns = tuple(PastTurn(f"t{place}", asked, answer) for place, (asked, answer) in enumerate(history))
    return plan_by_rules(planning_input(question, turns))


@pytest.mark.parametrize(
    "question",
    [
        "Skip this song please",
        "play the next track",
        "Can you speak more slowly?",
        "turn your volume up",
        "call mark",
        "text joe saying I am late",
        "help me find my phone",
        "Add milk to my shopping list",
        "remove the dentist from my calendar",
        "I need an alarm set for six",
        "Turn on the living room lights",
        "播放一首周杰伦的歌",
        "把空调打开,关一下灯",
        "声音调大一点",
        "帮我定一个闹钟",
    ],
)
def test_orders_to_ones_own_things_never_go_to_the_documents(question: str) -> None:
    plan = planned(question)
    assert plan.mode in (Mode.REACT_AGENT, Mode.DIRECT)
    assert not plan.use_knowledge


@pytest.mark.parametrize(
    "question",
    [
        "How do I sync my phone with the company calendar?",
        "What is the policy on playing music in the office?",
        "Look up the manager of Anna, and then find his phone number.",
        "What is the volume of the shared storage?",
        "How do I add a user to the mailing list?",
        "会议室的空调坏了找哪个部门报修?",
    ],
)
def test_questions_about_the_companys_ways_with_such_things_do(question: str) -> None:
    assert planned(question).use_knowledge
    assert not orders_device(question) or planned(question).mode is Mode.RAG_CHAT


@pytest.mark.parametrize(
    "said", ["That's not right, so no", "I don't know the answer to that", "yes, that is a fact", "maybe, it depends"]
)
def test_a_verdict_is_talk_and_searches_nothing(said: str) -> None:
    assert is_verdict(said)
    assert planned(said, ("Is MinIO an object store?", "It is.")).mode is Mode.DIRECT


@pytest.mark.parametrize(
    "said", ["Is that true?", "the correct port", "What is the right answer?", "the wrong invoice was sent"]
)
def test_what_asks_or_names_something_is_no_verdict(said: str) -> None:
    assert not is_verdict(said)


@pytest.mark.parametrize(
    "said", ["it was great to talk to you, goodbye", "I'm so grateful for your help!", "I thank you very much for that"]
)
def test_a_pleasantry_in_many_words_is_talk(said: str) -> None:
    assert is_pleasantry(said)
    assert planned(said).mode is Mode.DIRECT


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("I'd like to know what the date is", "clock"),
        ("do you have the exact time?", "clock"),
        ("give the dice a roll", "chat"),
        ("I want a coin flip please", "chat"),
        ("what is 4 x 4", "calculation"),
        ("can you tell me what 30% off 235 is, please", "calculation"),
        ("how many centimeters are in 5 yards", "calculation"),
        ("how long have you existed, ai?", "chat"),
    ],
)
def test_everyday_requests_are_known_by_all_of_their_words(question: str, reason: str) -> None:
    plan = planned(question)
    assert not plan.use_knowledge
    assert reason in plan.planner.reason


@pytest.mark.parametrize(
    "question",
    [
        "What is the deadline date for tax returns?",
        "What time do you close the books this month?",
        "How do I print hello world?",
        "Who do you report data breaches to?",
        "What is the x of 4 nodes?",
        "How are the dice game rights licensed?",
    ],
)
def test_what_names_more_than_that_goes_to_the_documents(question: str) -> None:
    assert planned(question).use_knowledge


@pytest.mark.parametrize(
    ("question", "need"),
    [
        ("How do you spell acquaintance?", Mode.DIRECT),
        ("In French, how do I say see you later?", Mode.DIRECT),
        ("What is the square root of pi?", Mode.REACT_AGENT),
        ("Where am I right now?", Mode.REACT_AGENT),
        ("Tell me something interesting about elephants", Mode.DIRECT),
        ("我现在在哪里?", Mode.REACT_AGENT),
        ("生命的意义是什么?", Mode.DIRECT),
        ("How do I enable the spell checker?", Mode.RAG_CHAT),
        ("What is the purpose of life insurance for employees?", Mode.RAG_CHAT),
    ],
)
def test_everyday_matters_by_what_they_need(question: str, need: Mode) -> None:
    assert planned(question).mode is need


FOUND = ("I am looking for a Korean restaurant in the centre.", "Little Seoul is a Korean restaurant in the centre.")
ASKED_BACK = ("How about Thai food?", "Which price range are you looking for?")


@pytest.mark.parametrize(
    ("history", "question", "completed"),
    [
        ([FOUND], "What is their phone number?", "What is Little Seoul's phone number?"),
        ([FOUND], "What is the address of it?", "What is the address of Little Seoul?"),
        ([FOUND], "What is the address?", "What is the address for Little Seoul?"),
        ([FOUND, ("What is their phone number?", "It is 01223.")], "And their address?", "Little Seoul's address?"),
        (
            [ASKED_BACK, ("I don't care.", "Bangkok City serves Thai food in the centre.")],
            "Can I get the address of it?",
            "Can I get the address of Bangkok City?",
        ),
        (
            [("Find me a restaurant in the centre part of town.", "There are many. Which food?")],
            "I want Thai food in that part.",
            "I want Thai food in the centre part.",
        ),
    ],
)
def test_what_an_answer_found_is_what_is_meant(history: list[tuple[str, str]], question: str, completed: str) -> None:
    assert planned(question, *history).rewritten_question == completed


def test_a_question_that_named_its_thing_keeps_it() -> None:
    told = ("What is MinIO?", "Object Storage Server by MinIO Inc. is a store.")
    assert planned("How do I configure it?", told).rewritten_question == "How do I configure MinIO?"


@pytest.mark.parametrize("remark", ["Are you sure?", "I don't care.", "Yes, I need it please.", "It doesn't matter."])
def test_a_remark_is_neither_completed_nor_what_later_questions_mean(remark: str) -> None:
    asked = ("What is MinIO?", "A store.")
    assert not planned(remark, asked).rewrite.applied
    assert planned("How do I install it?", asked, (remark, "Fine.")).rewritten_question == "How do I install MinIO?"


@pytest.mark.parametrize(
    "question", ["What does this library offer the public?", "How old is the actor?", "Is this animal still hunted?"]
)
def test_what_is_pointed_at_and_never_named_is_asked_back(question: str) -> None:
    plan = planned(question, ("What is MinIO?", "A store."))
    assert plan.mode is Mode.CLARIFY
    assert plan.clarification is not None
    assert plan.clarification.missing == Missing.REFERENT


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("What does this library offer?", "Where is the town library?"),
        ("How old is the actor who played Bond?", "What is MinIO?"),
        ("What does this company pay for hotels?", "What is MinIO?"),
        ("How do I use this guide?", "What is MinIO?"),
        ("What is the state of the migration?", "What is MinIO?"),
    ],
)
def test_what_was_named_is_described_or_is_ones_own_is_not(question: str, before: str) -> None:
    assert planned(question, (before, "It is so.")).mode is not Mode.CLARIFY
