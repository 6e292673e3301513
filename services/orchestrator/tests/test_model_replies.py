"""A planning model's answer, read strictly: what is taken, what is refused, and in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog import get_logger

from superagent_orchestrator.domain.plan import Mode
from superagent_orchestrator.domain.planning.json_schema import violations
from superagent_orchestrator.domain.planning.reply import BadReply, ProposedPlan, read_reply
from superagent_orchestrator.prompts import PlanningPrompt, prompt_texts
from tests.support.scripted_model import plan_json

SCHEMA = PlanningPrompt(prompt_texts(None, get_logger())).schema
QUESTION = "年假怎么申请?"


def read(text: str) -> ProposedPlan:
    return read_reply(text, SCHEMA)


def refusal(text: str) -> str:
    with pytest.raises(BadReply) as refused:
        read(text)
    return str(refused.value)


def sub(text: str, *depends_on: int) -> dict[str, Any]:
    return {"text": text, "domains": [], "depends_on": list(depends_on)}


def test_a_whole_plan_is_taken() -> None:
    parts = [
        {"text": "年假怎么申请?", "domains": ["hr", "hr"], "depends_on": []},
        {"text": "病假怎么申请?", "domains": [], "depends_on": [1]},
    ]
    plan = read(plan_json(QUESTION, sub_questions=parts, skills=[{"code": "product", "reason": "fits"}]))
    assert (plan.mode, plan.confidence, plan.use_knowledge) == (Mode.RAG_CHAT, 0.8, True)
    assert [(question.part.text, question.part.depends_on) for question in plan.questions] == [
        ("年假怎么申请?", ()),
        ("病假怎么申请?", (1,)),
    ]
    assert plan.questions[0].domains == ("hr",)
    assert [skill.code for skill in plan.skills] == ["product"]


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "\n```JSON \n{}```\n", "  {}  "])
def test_one_fence_around_the_whole_answer_is_taken_off(fence: str) -> None:
    assert read(fence.replace("{}", plan_json(QUESTION))).mode is Mode.RAG_CHAT


@pytest.mark.parametrize(
    "around",
    [
        "Here is the plan:\n{}",
        "{}\nI hope this helps.",
        "Sure!\n```json\n{}\n```",
        "```json\n{}\n```\n```json\n{}\n```",
    ],
)
def test_prose_or_a_second_answer_beside_the_plan_is_refused(around: str) -> None:
    assert "not one JSON object" in refusal(around.replace("{}", plan_json(QUESTION)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not one JSON object"),
        ("The answer is five days.", "not one JSON object"),
        (plan_json(QUESTION)[:60], "not one JSON object"),
        ("[]", "must be of type object"),
        ("null", "must be of type object"),
        ("{}", "lacks rewritten_question"),
        ("[" * 15_000, "nested too deep"),
        ('{"a": "' + "x" * 20_000 + '"}', "characters, allowed are"),
        (plan_json(QUESTION, confidence="high"), "confidence must be of type number"),
        (plan_json(QUESTION, confidence=True), "confidence must be of type number"),
        (plan_json(QUESTION, confidence=1.5), "confidence must be from 0 to 1"),
        (plan_json(QUESTION).replace("0.8", "NaN"), "NaN is no number"),
        (plan_json(QUESTION).replace("0.8", "1e999"), "confidence must be from 0 to 1"),
        (plan_json(QUESTION, mode="WORKFLOW"), "mode must be one of"),
        (plan_json(QUESTION, mode="SUDO"), "mode must be one of"),
        (plan_json(QUESTION, sub_questions=[sub(f"{n}?") for n in range(40)]), "has 40 items, allowed are 0 to 4"),
        (plan_json(QUESTION, sub_questions=[sub("a?"), sub("a?")]), "must differ"),
        (plan_json(QUESTION, sub_questions=[sub("a?"), sub(" ")]), "must have 1 to 1000 characters"),
        (plan_json(QUESTION, sub_questions=[sub("a?"), sub("x" * 1_001)]), "must have 1 to 1000 characters"),
        (plan_json(QUESTION, sub_questions=[sub("a?", 2), sub("b?", 1)]), "may only name earlier"),
        (plan_json(QUESTION, sub_questions=[sub("a?", 1)]), "may only name earlier"),
        (plan_json(QUESTION, sub_questions=[sub("a?"), sub("b?", 0)]), "may only name earlier"),
        (plan_json(QUESTION, sub_questions=[{"text": "a?", "domains": "hr", "depends_on": []}]), "domains must be of"),
        (plan_json(QUESTION, skills=[{"code": f"s{n}", "reason": ""} for n in range(4)]), "allowed are 0 to 3"),
        (plan_json(QUESTION, skills=["product"]), "skills[0] must be of type object"),
        (plan_json(QUESTION, "CLARIFY"), "CLARIFY needs clarification.question"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_place_and_the_fault(text: str, said: str) -> None:
    assert said in refusal(text)


def asking_back(*choices: str, question: str = "Which one?") -> ProposedPlan:
    asked = {"question": question, "choices": list(choices), "missing": "the product"}
    return read(plan_json(QUESTION, "CLARIFY", clarification=asked))


def test_choices_are_two_to_four_that_differ_or_none() -> None:
    def choices(*texts: str) -> tuple[str, ...]:
        asked = asking_back(*texts).clarification
        assert asked is not None
        return asked.choices

    assert choices("a", "b", "a") == ("a", "b")
    assert choices("a", " a ", "") == ()
    assert choices("a", "x" * 200) == ()
    with pytest.raises(BadReply, match="5 items"):
        choices(*"abcde")


def test_a_question_back_beside_another_mode_is_not_asked() -> None:
    asked = {"question": "Which?", "choices": [], "missing": ""}
    assert read(plan_json(QUESTION, "RAG_CHAT", clarification=asked)).clarification is None


def test_further_fields_change_nothing() -> None:
    assert read(plan_json(QUESTION, budget={"model_calls": 999}, tools_allowed=["shell"])) == read(plan_json(QUESTION))


def test_characters_that_hide_text_or_cannot_be_sent_are_gone() -> None:
    plan = read(plan_json("年假\u202e怎么\ud83d申请?\x00"))
    assert plan.rewritten_question == "年假怎么申请?"
    assert plan.rewritten_question.encode()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other"]), _JSON, max_size=4))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine says nothing of the reader
def test_any_change_of_a_plan_is_taken_or_refused_and_never_breaks_the_reader(changes: dict[str, Any]) -> None:
    text = json.dumps({**json.loads(plan_json(QUESTION)), **changes})
    try:
        plan = read(text)
    except BadReply:
        return
    assert 0 <= plan.confidence <= 1
    assert len(plan.questions) <= 4
    assert len(plan.skills) <= 3


@given(_JSON)
def test_violations_are_found_or_not_and_never_break(document: Any) -> None:
    assert all(isinstance(fault, str) for fault in violations(document, SCHEMA))


def test_the_schema_keeps_to_what_strict_structured_output_takes() -> None:
    def objects(schema: Any) -> list[dict[str, Any]]:
        inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
        own = [schema] if "properties" in schema else []
        return own + [found for part in inner for found in objects(part)]

    assert len(objects(SCHEMA)) == 4
    for schema in objects(SCHEMA):
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == set(schema["properties"])


def test_the_modes_of_the_schema_are_all_that_a_model_may_choose() -> None:
    assert set(SCHEMA["properties"]["mode"]["enum"]) == {str(mode) for mode in Mode} - {"WORKFLOW"}
