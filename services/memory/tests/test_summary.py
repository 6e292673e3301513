"""Summaries: what is kept by the rules alone, and which texts of a model are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superagent_memory.domain.conversations import ToolUse
from superagent_memory.domain.facts import Fact, facts_of, kept_facts
from superagent_memory.domain.rules import Rules
from superagent_memory.domain.summary import (
    NO_SUMMARY,
    Draft,
    Material,
    Summary,
    extract,
    facts_after,
    fault_of,
    folded,
    is_due,
    material_of,
    to_fold,
)
from tests.support.memory_turns import exchange

few = settings(max_examples=40, deadline=None)
RULES = Rules()
words = st.text(max_size=80) | st.integers(0, 3_000).map(lambda size: "We decided on PostgreSQL 15. " * (size // 29))
turns = st.lists(
    st.builds(
        exchange,
        words,
        words,
        st.lists(
            st.builds(
                ToolUse,
                st.just("1"),
                st.text(max_size=40),
                st.just('{"id": "A-1"}'),
                st.booleans(),
                st.text(max_size=300),
            ),
            max_size=3,
        ).map(tuple),
    ),
    min_size=1,
    max_size=6,
)
drafts = st.none() | st.builds(Draft, st.text(max_size=1_400), st.lists(st.text(max_size=300), max_size=20).map(tuple))


def step(summary: Summary, folding: list, draft: Draft | None, rules: Rules = RULES) -> Summary:
    facts = facts_after(summary, folding, rules)
    material = material_of(summary, facts, folding, rules)
    if draft is not None and fault_of(draft, material):
        draft = None
    return folded(summary, facts, folding, draft, material, rules)


@few
@given(
    st.lists(st.tuples(turns, drafts), min_size=1, max_size=4), st.sampled_from((RULES, Rules(summary_characters=400)))
)
def test_a_summary_never_exceeds_its_characters_facts_included(steps: list, rules: Rules) -> None:
    summary = NO_SUMMARY
    for folding, draft in steps:
        before = summary
        summary = step(summary, folding, draft, rules)
        assert summary.characters <= rules.summary_characters
        assert summary.turns_covered == before.turns_covered + len(folding)
        assert summary.messages_covered == before.messages_covered + sum(turn.messages for turn in folding)


@few
@given(turns)
def test_what_a_step_shows_a_model_has_a_bound(folding: list) -> None:
    full = Summary("s" * 1_400, (), 6_000, 12_000)
    material = material_of(full, facts_after(full, folding, RULES), folding, RULES)
    assert len(material.source) <= 1_400 + RULES.facts_characters + 6 * (500 + 900 + 8 * 520 + 10)


def test_older_turns_are_folded_beyond_sixteen_messages_and_never_the_newest_four() -> None:
    assert not is_due(turns=8, messages=16, rules=RULES)
    assert is_due(turns=9, messages=18, rules=RULES)
    # Four turns with many tools are many messages, but they stay verbatim.
    assert not is_due(turns=4, messages=60, rules=RULES)
    assert to_fold(9, NO_SUMMARY, RULES) == 5
    assert to_fold(9, Summary(turns_covered=5), RULES) == 0
    assert to_fold(3, Summary(turns_covered=5), RULES) == 0


@pytest.mark.parametrize(
    ("said", "weight"),
    [
        ("My name is Li Wei and I work in logistics.", 3),
        ("我叫王小明，在采购部。", 3),
        ("We decided to use PostgreSQL for the archive.", 3),
        ("我们决定周五上线。", 3),
        ("Please remember: the door code is secret.", 3),
        ("The budget is 120,000 euros.", 2),
        ("预算是十二万元。", 2),
        ("The order is SO-20931.", 2),
        ("Where is order SO-20931?", 1),
    ],
)
def test_facts_are_found_in_what_a_person_says(said: str, weight: int) -> None:
    (fact,) = facts_of([exchange(said)])
    assert (fact.text, fact.weight) == (said, weight)


@pytest.mark.parametrize("said", ["Hello!", "What is the travel policy?", "谢谢", "怎么配置？", "do I get a badge"])
def test_ordinary_questions_hold_no_facts(said: str) -> None:
    assert facts_of([exchange(said, "In Beijing a hotel may cost 650 yuan a night.")]) == []


def test_tools_leave_their_ids_and_their_failures() -> None:
    made = ToolUse("1", "create_order", '{"customer": "ACME"}', True, "created SO-77812")
    failed = ToolUse("2", "send_mail", '{"to": "ops@acme.example"}', False, "mailbox_full")
    assert [(fact.text, fact.weight) for fact in facts_of([exchange("Order it", "Done.", (made, failed))])] == [
        ("create_order: SO-77812", 1),
        ('send_mail {"to": "ops@acme.example"} failed: mailbox_full', 2),
    ]


def test_what_is_said_anew_of_the_same_thing_replaces_it() -> None:
    first = kept_facts((), facts_of([exchange("My name is Li Wei. The budget is 120,000 euros.")]), 700)
    anew = facts_of([exchange("The budget is 150,000 euros.")])
    kept = kept_facts(first, anew, 700)
    assert [fact.text for fact in kept] == ["My name is Li Wei.", "The budget is 150,000 euros."]
    assert kept_facts(kept, anew, 700) == kept


def test_too_many_facts_leave_the_first_and_the_last_of_them_and_what_is_vital() -> None:
    many = [Fact(f"The figure of month {number:03d} is {number * 1_000}.", 2) for number in range(100)]
    kept = kept_facts((Fact("My name is Li Wei.", 3),), many, 700)
    assert sum(fact.characters for fact in kept) <= 700
    texts = [fact.text for fact in kept]
    assert (texts[0], texts[1], texts[-1]) == ("My name is Li Wei.", many[0].text, many[-1].text)


def material(text: str = "They compare warehouses in Hamburg; the order is SO-20931 for 4500 euros.") -> Material:
    return Material("chat", "", (), (text,), 200)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "empty"),
        ("…?!", "empty"),
        ("Warehouses in Hamburg. " * 20, "too_long"),
        ("As a language model, nothing useful comes from this machine today.", "off_topic"),
        ("They compare warehouses in Hamburg; the order costs 9900 euros.", "invented_number"),
        ("They compare warehouses in Hamburg for order SO-20931 at 4,500 euros.", None),
    ],
)
def test_a_models_text_is_checked(text: str, fault: str | None) -> None:
    assert fault_of(Draft(text), material()) == fault


def test_a_models_facts_are_kept_unless_they_are_invented() -> None:
    folding = [exchange("We compare the warehouses in Hamburg and Lyon.", "Hamburg has 40 gates.")]
    after = step(
        NO_SUMMARY,
        folding,
        Draft(
            "They compare warehouses in Hamburg and Lyon.",
            ("Hamburg has 40 gates", "Lyon has 75 gates", "Jupiter rises"),
        ),
    )
    assert [fact.text for fact in after.facts] == ["Hamburg has 40 gates"]


def test_the_rules_alone_write_a_line_for_each_turn_newest_kept() -> None:
    told = [exchange(f"question {number}", f"Answer {number}. And more.") for number in range(60)]
    text = extract("", told, 600)
    assert text.splitlines()[-1] == "- question 59 → Answer 59."
    assert len(text) <= 600
    assert "question 3 " not in text
    failed = exchange("mail it", "It failed.", (ToolUse("1", "send_mail", '{"to": "a"}', False, "mailbox_full"),))
    assert extract("", [failed], 600) == '- mail it [send_mail {"to": "a"}: failed, mailbox_full] → It failed.'


def test_the_rules_go_on_from_a_models_long_line() -> None:
    text = extract("One sentence of a model. " * 40, [exchange("next", "Done.")], 200)
    assert text.splitlines()[-1] == "- next → Done."
    assert text.startswith("One sentence of a model.")
    assert len(text) <= 200
