"""Conversations: windows as pure functions, use cases on a real database file."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import NoOpTracer

from superagent_common.db import Database
from superagent_common.errors import InvalidInput, NotFound
from superagent_common.ids import new_id
from superagent_memory.adapters.sql_conversations import SqlConversationStore
from superagent_memory.application import Memory
from superagent_memory.domain import VERBATIM_CHARACTERS, Turn, title_from, window
from tests.support.databases import new_database

ANNA, BEN = "01990000-0000-7000-8000-00000000000a", "01990000-0000-7000-8000-00000000000b"


def turn(question: str = "q", answer: str = "a") -> Turn:
    return Turn(new_id(), question, answer, "TURN_STATE_COMPLETED", "MODE_RAG_CHAT", "stop", "chat", 1, 0, b"\x08\x01")


class Clock:
    """Ticks once per reading."""

    at = 0

    def __call__(self) -> int:
        self.at += 1
        return self.at


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with Database.opened(await new_database("superagent_memory", tmp_path), tracer=NoOpTracer()) as database:
        yield Memory(SqlConversationStore(database), Clock())


turns_of_any_length = st.lists(st.builds(turn, st.text(max_size=900), st.text(max_size=3000)), max_size=9)


@given(turns_of_any_length)
def test_the_summary_window_never_exceeds_its_characters_and_always_has_the_newest(turns: list[Turn]) -> None:
    kept = window("summary", turns)
    assert sum(turn.characters for turn in kept) <= VERBATIM_CHARACTERS
    assert [turn.turn_id for turn in kept] == [turn.turn_id for turn in turns][len(turns) - len(kept) :]
    assert len(kept) <= 4
    assert bool(kept) == bool(turns)


def test_the_sliding_window_has_six_turns_and_none_has_none() -> None:
    turns = [turn(str(number)) for number in range(9)]
    assert [kept.question for kept in window("sliding_window", turns)] == ["3", "4", "5", "6", "7", "8"]
    assert window("none", turns) == ()


def test_a_title_is_one_short_line() -> None:
    assert title_from("  what\nis   this ") == "what is this"
    assert len(title_from("long " * 50)) == 60


async def test_turns_come_back_as_they_were_stored(memory: Memory) -> None:
    made = await memory.create(ANNA, "", "How do I reset my badge?", None)
    first, second = turn("one", "eins"), turn("two", "zwei")
    await memory.append(ANNA, made.conversation_id, first)
    await memory.append(ANNA, made.conversation_id, second)
    conversation, strategy, seen = await memory.load(ANNA, made.conversation_id, None)
    assert (conversation.turns_total, strategy) == (2, "summary")
    assert [(kept.question, kept.answer, kept.sources) for kept in seen] == [
        ("one", "eins", b"\x08\x01"),
        ("two", "zwei", b"\x08\x01"),
    ]


async def test_storing_a_turn_again_changes_nothing(memory: Memory) -> None:
    made = await memory.create(ANNA, "", "hello", None)
    stored = turn()
    await memory.append(ANNA, made.conversation_id, stored)
    await memory.append(ANNA, made.conversation_id, stored)
    conversation, _, _ = await memory.load(ANNA, made.conversation_id, None)
    assert conversation.turns_total == 1


async def test_creating_again_returns_the_same_conversation(memory: Memory) -> None:
    conversation_id = new_id()
    first = await memory.create(ANNA, conversation_id, "one", "none")
    assert await memory.create(ANNA, conversation_id, "two", None) == first


async def test_another_persons_conversation_is_as_good_as_unknown(memory: Memory) -> None:
    made = await memory.create(ANNA, "", "secret", None)
    await memory.append(ANNA, made.conversation_id, turn("salary"))
    for call in (
        memory.load(BEN, made.conversation_id, None),
        memory.append(BEN, made.conversation_id, turn()),
        memory.get(BEN, made.conversation_id, 0, ""),
        memory.update(BEN, made.conversation_id, "mine", None),
        memory.delete(BEN, made.conversation_id),
        memory.create(BEN, made.conversation_id, "mine", None),
        memory.load(BEN, new_id(), None),
    ):
        with pytest.raises(NotFound) as refused:
            await call
        assert (refused.value.reason, refused.value.message) == (
            "unknown_conversation",
            "There is no such conversation.",
        )
    assert await memory.page(BEN, "", 0, "") == ([], "")
    assert await memory.page(BEN, "salary", 0, "") == ([], "")


async def test_lists_go_by_last_activity_page_by_page(memory: Memory) -> None:
    made = [await memory.create(ANNA, "", f"number {number}", None) for number in range(5)]
    await memory.append(ANNA, made[1].conversation_id, turn())
    seen, cursor = [], ""
    while True:
        rows, cursor = await memory.page(ANNA, "", 2, cursor)
        seen += [row.title for row in rows]
        if not cursor:
            break
    assert seen == ["number 1", "number 4", "number 3", "number 2", "number 0"]


async def test_turns_are_read_page_by_page_oldest_first(memory: Memory) -> None:
    made = await memory.create(ANNA, "", "x", None)
    for number in range(5):
        await memory.append(ANNA, made.conversation_id, turn(str(number)))
    _, first, cursor = await memory.get(ANNA, made.conversation_id, 3, "")
    _, rest, end = await memory.get(ANNA, made.conversation_id, 3, cursor)
    assert [kept.question for kept in (*first, *rest)] == ["0", "1", "2", "3", "4"]
    assert end == ""


async def test_search_finds_what_was_said_and_takes_wildcards_literally(memory: Memory) -> None:
    one = await memory.create(ANNA, "", "printer", None)
    two = await memory.create(ANNA, "", "100% of it", None)
    await memory.append(ANNA, one.conversation_id, turn("怎么配置 MinIO?"))
    assert [row.conversation_id for row in (await memory.page(ANNA, "minio", 0, ""))[0]] == [one.conversation_id]
    assert [row.conversation_id for row in (await memory.page(ANNA, "%", 0, ""))[0]] == [two.conversation_id]


async def test_deleting_takes_the_turns_along(memory: Memory) -> None:
    made = await memory.create(ANNA, "", "x", None)
    kept = turn()
    await memory.append(ANNA, made.conversation_id, kept)
    await memory.delete(ANNA, made.conversation_id)
    again = await memory.create(ANNA, made.conversation_id, "y", None)
    await memory.append(ANNA, again.conversation_id, kept)
    _, turns, _ = await memory.get(ANNA, made.conversation_id, 0, "")
    assert [stored.turn_id for stored in turns] == [kept.turn_id]


async def test_bad_input_is_named(memory: Memory) -> None:
    made = await memory.create(ANNA, "", "x", None)
    for reason, call in (
        ("invalid_title", memory.update(ANNA, made.conversation_id, "  ", None)),
        ("invalid_title", memory.update(ANNA, made.conversation_id, "x" * 201, None)),
        ("invalid_cursor", memory.page(ANNA, "", 0, "???")),
        ("invalid_limit", memory.page(ANNA, "", -1, "")),
        ("query_too_long", memory.page(ANNA, "x" * 201, 0, "")),
        ("invalid_conversation_id", memory.create(ANNA, "../etc", "x", None)),
    ):
        with pytest.raises(InvalidInput) as refused:
            await call
        assert refused.value.reason == reason
