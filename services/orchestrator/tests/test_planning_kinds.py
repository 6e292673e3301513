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


@pytest.mark.parametrize(
    ("before", "question", "wanted"),
    [
        # How something is looked for is not what it is.
        ("I am looking for a restaurant that serves Thai food.", "What does it cost?", "What does Thai food cost?"),
        (
            "I would like a moderately priced hotel.",
            "What is the address?",
            "What is the address for a moderately priced hotel?",
        ),
        ("I am looking for a danish restaurant", "How about a Thai one?", "How about a Thai restaurant?"),
        # A described "one" is only of the same kind.
        ("Is there a cheap phone?", "I would like the red one", "I would like the red phone"),
        # Named in full before.
        ("What is Red Hat OpenShift?", "How does OpenShift work?", "How does Red Hat OpenShift work?"),
        ("What is the Berlin Wall?", "How long is the wall?", "How long is the Berlin Wall?"),
        (
            "What's the difference between Redis and Memcached?",
            "Which is faster?",
            "Which is faster, Redis or Memcached?",
        ),
        ("How do I apply for annual leave?", "I meant sick leave", "How do I apply for sick leave?"),
        ("Can I carry over annual leave?", "What about sick leave?", "Can I carry over sick leave?"),
        ("Redis 和 Memcached 有什么区别?", "哪个更快?", "Redis 和 Memcached 哪个更快?"),
        ("年假怎么申请?", "我是说病假", "病假怎么申请?"),
        ("年假有几天?", "不是,我问的是外包员工", "外包员工年假有几天?"),
        ("合同 HT-2023-118 的甲方是谁?", "上面那份什么时候到期?", "合同 HT-2023-118 什么时候到期?"),
        ("合同 HT-2023-118 的甲方是谁?", "那份合同什么时候到期?", "合同 HT-2023-118 什么时候到期?"),
        ("MinIO 是什么?", "刚才那个怎么配置?", "MinIO 怎么配置?"),
    ],
)
def test_what_is_left_out_is_completed_from_what_was_named(before: str, question: str, wanted: str) -> None:
    assert planned(question, (before, "")).rewritten_question == wanted


@pytest.mark.parametrize(
    ("before", "question"),
    [
        # "It" is one thing, "they" are several, "he" and "她" are people.
        ("What documents do employees need?", "Does it cost anything in Berlin?"),
        ("How is the travel allowance calculated?", "Do they reimburse taxi rides?"),
        ("What are the opening hours?", "Does he understand German customers?"),
        ("年假有几天?", "她负责哪些客户项目?"),
        # "It" that means nothing, and a part that has its owner.
        ("What is the annual leave policy?", "It doesn't matter to employees abroad, does it?"),
        ("What is MinIO?", "What is stored in that part of town?"),
        # A question that says all itself.
        ("Can you recommend a laptop?", "What about the battery life of laptops from Lenovo?"),
        ("What is the stock option plan?", "What are taxes in the stock market?"),
    ],
)
def test_nothing_is_completed_where_the_referent_is_not_sure(before: str, question: str) -> None:
    plan = planned(question, (before, ""))
    assert plan.rewritten_question == question
    assert not plan.rewrite.applied


@pytest.mark.parametrize(
    ("asked", "answer", "name"),
    [
        ("Indian food would be good.", "Curry Prince is an Indian restaurant in the east.", "Curry Prince"),
        ("I would like a hotel please", "How about the Royal Standard at 290 Mill Road?", "Royal Standard"),
        ("Any suggestions?", "I have found one called The Missing Sock.", "Missing Sock"),
        ("I am looking for a place to eat", "Fitzbillies restaurant serves British food.", "Fitzbillies restaurant"),
    ],
)
def test_what_an_answer_found_is_what_is_meant_next(asked: str, answer: str, name: str) -> None:
    assert planned("What is the phone number?", (asked, answer)).rewritten_question.removesuffix("?").endswith(name)


@pytest.mark.parametrize(
    "question",
    [
        "What is the main purpose of that NASA mission?",
        "How liquid is this particular index fund?",
        "这份合同的甲方是谁?",
        "该县有多少人口?",
        "这家诊所提供哪些服务?",
        "那家供应商的联系方式是什么?",
        "这次会议的结论是什么?",
    ],
)
def test_a_thing_that_nobody_named_is_asked_for(question: str) -> None:
    plan = planned(question)
    assert plan.mode is Mode.CLARIFY
    assert plan.clarification is not None and plan.clarification.missing == Missing.REFERENT


@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("这家诊所提供哪些服务?", ("附近有什么诊所?", "城东诊所")),
        ("这份《员工手册》里的年假有几天?", ("你好", "您好")),
        ("这份合同 HT-2023-118 的甲方是谁?", ("你好", "您好")),
        ("这家公司的年假有几天?", ("你好", "您好")),
        ("我们部门新来的那位员工怎么办理入职?", ("有一位员工要入职", "好的")),
    ],
)
def test_a_thing_that_was_named_is_not(question: str, history: tuple[str, str]) -> None:
    assert planned(question, history).mode is not Mode.CLARIFY


@pytest.mark.parametrize(
    "question",
    [
        "reset your factory settings",
        "switch to the female voice",
        "please slow down",
        "desync from my phone",
        "give liz a call",
        "go to the next song",
        "read my reminders to me",
        "lock all the doors",
        "how do germans say goodnight",
        "how long is the ride to phoenix",
        "how can i travel by bus to the grand canyon",
        "what will the date be in 10 days",
        "how many pesos equals 500 dollars",
    ],
)
def test_orders_and_everyday_questions_in_other_words_do_not_either(question: str) -> None:
    assert not planned(question).use_knowledge


@pytest.mark.parametrize(
    "question",
    [
        "The VPN does not connect, what can I do on my phone?",
        "How long does it take to get a new card?",
        "What is the policy for my phone bill?",
        "How do I reset the settings of the gateway?",
        "How much time until I get an answer to my leave request?",
    ],
)
def test_company_questions_in_words_like_them_still_do(question: str) -> None:
    assert planned(question).use_knowledge


@pytest.mark.parametrize(
    ("before", "asked", "whole"),
    [
        (["MinIO 对象存储怎么配置?"], "它的默认端口呢?", "MinIO 对象存储的默认端口呢?"),
        (["MinIO 对象存储怎么配置?"], "那它的费用呢?", "MinIO 对象存储的费用呢?"),
        (["MinIO 对象存储怎么配置?"], "它呢?", "MinIO 对象存储呢?"),
        (["年假有多少天?"], "这个流程呢?", "年假的流程呢?"),
        (["王伟是谁?", "他的电话呢?"], "他的邮箱呢?", "王伟的邮箱呢?"),
        (["What is MinIO?"], "What about its license?", "What about MinIO's license?"),
    ],
)
def test_what_a_thing_before_has_is_asked_of_that_thing(before: list[str], asked: str, whole: str) -> None:
    assert planned(asked, *((question, "") for question in before)).rewritten_question == whole
