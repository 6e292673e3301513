"""The three lines of defence, for any turns at all."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from superagent_memory.domain.conversations import Exchange, ToolUse
from superagent_memory.domain.rules import Rules
from superagent_memory.domain.window import hard_window, seen_as, trimmed, turns_needed, whole_turns, window
from tests.support.memory_turns import exchange

few = settings(max_examples=40, deadline=None)
RULES = Rules()
SMALL = Rules(verbatim_turns=2, verbatim_characters=300, rounds=2, sliding_characters=300, trimmed_characters=200)

texts = st.text(max_size=60) | st.integers(0, 4_000).map(lambda size: "文" * size)
uses = st.builds(
    ToolUse,
    st.uuids().map(str),
    st.sampled_from(("create_order", "search", "x" * 200)),
    st.sampled_from(("{}", '{"order_id": "SO-1"}', '{"text": "' + "a" * 900 + '"}')),
    st.booleans(),
    st.text(max_size=20) | st.integers(0, 2_000).map(lambda size: "r" * size),
)
turn_lists = st.lists(
    st.builds(exchange, texts, texts, st.lists(uses, max_size=25).map(tuple), st.sampled_from(("chat", "tool"))),
    max_size=30,
)
rules = st.sampled_from((RULES, SMALL))


def ids(turns: Sequence[Exchange]) -> list[str]:
    return [turn.turn_id for turn in turns]


def unparted(kept: Sequence[Exchange], before: Sequence[Exchange]) -> bool:
    """Whether each call that is left has its own arguments and the beginning of its own result."""
    calls = {tool.call_id: tool for turn in before for tool in turn.tools}
    return all(
        (tool.name, tool.arguments, tool.ok) == (whole.name, whole.arguments, whole.ok)
        and whole.result.startswith(tool.result)
        and bool(tool.result) == bool(whole.result)
        for turn in kept
        for tool in turn.tools
        for whole in (calls[tool.call_id],)
    )


@few
@given(turn_lists, rules)
def test_a_call_is_never_parted_from_its_result(turns: list[Exchange], rules: Rules) -> None:
    for strategy in ("summary", "sliding_window"):
        assert unparted(window(strategy, turns, rules), turns)
    assert unparted([trimmed(turn, 400) for turn in turns], turns)
    assert unparted(hard_window(turns, rules.window_messages), turns)


@few
@given(turn_lists, rules)
def test_the_newest_turn_always_comes_last_and_the_order_stays(turns: list[Exchange], rules: Rules) -> None:
    for strategy in ("summary", "sliding_window"):
        kept = window(strategy, turns, rules)
        assert ids(kept) == ids(turns)[len(turns) - len(kept) :]
        assert bool(kept) == bool(turns)
    assert window("none", turns, rules) == ()


@few
@given(turn_lists, rules)
def test_the_window_never_exceeds_its_characters_nor_its_messages(turns: list[Exchange], rules: Rules) -> None:
    verbatim = whole_turns(turns[-rules.verbatim_turns :], rules.verbatim_characters)
    assert sum(turn.characters for turn in verbatim) <= rules.verbatim_characters
    kept = window("summary", turns, rules)
    assert sum(turn.characters for turn in kept) <= rules.verbatim_characters + rules.trimmed_characters
    assert sum(turn.messages for turn in kept) <= rules.window_messages
    sliding = window("sliding_window", turns, rules)
    assert len(sliding) <= rules.sliding_turns
    assert sum(turn.characters for turn in sliding) <= rules.sliding_characters
    assert sum(turn.messages for turn in sliding) <= rules.window_messages


short_turns = st.lists(st.builds(exchange, st.text(max_size=200), st.text(max_size=300)), min_size=1, max_size=12)


@few
@given(short_turns)
def test_the_four_newest_turns_are_never_trimmed_while_they_fit(turns: list[Exchange]) -> None:
    assert window("summary", turns, RULES)[-4:] == tuple(turns[-4:])


def test_defences_come_in_their_order() -> None:
    """Ten turns outside of the summary: all are seen, the older ones in short, only assistants' words much shorter."""
    turns = [exchange(f"question {number}?", f"answer {number}. " + "long " * 60) for number in range(10)]
    kept = window("summary", turns, RULES)
    assert ids(kept) == ids(turns)
    assert kept[-4:] == tuple(turns[-4:])
    assert [turn.question for turn in kept[:6]] == [turn.question for turn in turns[:6]]
    assert all(len(turn.answer) <= 160 and turn.answer.endswith("…") for turn in kept[:6])
    # Only then the hard window: forty messages, however short they are.
    many = [exchange(str(number)) for number in range(50)]
    assert ids(window("summary", many, RULES)) == ids(many[-20:])


def test_a_long_newest_turn_is_cut_and_keeps_what_its_tools_found() -> None:
    use = ToolUse("1", "list_orders", '{"customer": "ACME"}', True, "SO-1, SO-2, " + "x" * 3_000)
    (kept,) = window("summary", [exchange("Which orders has ACME?", "They are: " + "y" * 5_000, (use,))], RULES)
    assert kept.question == "Which orders has ACME?"
    assert kept.answer.startswith("They are: y")
    assert kept.tools[0].result.startswith("SO-1, SO-2")


def test_a_turn_with_more_messages_than_the_window_keeps_its_newest_uses() -> None:
    tools = tuple(ToolUse(str(number), "search", "{}", True, str(number)) for number in range(30))
    (kept,) = window("sliding_window", [exchange("q", "a", tools)], RULES)
    assert kept.messages == RULES.window_messages
    assert [tool.call_id for tool in kept.tools] == [str(number) for number in range(11, 30)]


def test_what_a_strategy_reads_does_not_depend_on_the_conversation() -> None:
    assert [turns_needed(strategy, RULES) for strategy in ("none", "sliding_window", "summary")] == [0, 6, 20]


def test_what_administrative_tools_told_stays_in_administrative_contexts() -> None:
    use = ToolUse("1", "list_users", "{}", True, "root")
    turns = [exchange("Who is there?", "Only root.", (use,), "admin_tool"), exchange("q", "a", (use,), "tool")]
    assert [len(turn.tools) for turn in seen_as("chat", turns)] == [0, 1]
    assert [len(turn.tools) for turn in seen_as("admin_tool", turns)] == [1, 1]
