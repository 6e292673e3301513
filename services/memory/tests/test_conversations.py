"""Use cases of conversations, on a real database file."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.memory.tests.memory_rig import Rig, rigged
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import plan_pb2
from superagent_common.clock import SECOND
from superagent_common.errors import Conflict, InvalidInput, NotFound
from superagent_common.ids import new_id
from superagent_memory.domain.conversations import ToolUse, title_from
from superagent_memory.messages import turn_of
from tests.support.memory_turns import ANNA, BEN, Clock, turn

DAY = 86_400 * SECOND


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path) as made:
        yield made


def test_a_title_is_one_short_line() -> None:
    assert title_from("  what\nis \0  this ") == "what is this"
    assert len(title_from("long " * 50)) == 60


async def test_turns_come_back_as_they_were_stored(rig: Rig) -> None:
    made = await rig.new("How do I reset my badge?")
    for told in (turn("one", "eins"), turn("two", "zwei")):
        await rig.memory.append(ANNA, made, told)
    seen = await rig.memory.load(ANNA, made)
    assert (seen.conversation.turns_total, seen.strategy, seen.conversation.title) == (
        2,
        "summary",
        "How do I reset my badge?",
    )
    assert [(kept.question, kept.answer) for kept in seen.turns] == [("one", "eins"), ("two", "zwei")]


async def test_texts_are_stored_as_every_database_takes_them(rig: Rig) -> None:
    made = await rig.new()
    use = ToolUse("1", "find\0", '{"q": "\\u0000"}', True, "\0" + "r" * 3_000)
    await rig.memory.append(ANNA, made, turn("a\0b", "\0", (use,)))
    _, _, (kept,), _ = await rig.memory.get(ANNA, made, 0, "")
    assert (kept.question, kept.answer, kept.tools[0].name) == ("ab", "", "find")
    assert kept.tools[0].result == "r" * 2_000


async def test_a_conversation_without_a_title_is_named_by_its_first_question(rig: Rig) -> None:
    made, _ = await rig.memory.create(ANNA, "", " ", None)
    await rig.memory.append(ANNA, made.conversation_id, turn("What is the travel policy?"))
    await rig.memory.append(ANNA, made.conversation_id, turn("And hotels?"))
    assert (await rig.memory.load(ANNA, made.conversation_id)).conversation.title == "What is the travel policy?"


async def test_a_title_that_a_person_gives_is_kept_whole(rig: Rig) -> None:
    made, _ = await rig.memory.create(ANNA, "", "x" * 200, None)
    assert made.title == "x" * 200


async def test_creating_again_returns_the_same_conversation(rig: Rig) -> None:
    conversation_id = new_id()
    first, _ = await rig.memory.create(ANNA, conversation_id, "one", "none")
    assert (await rig.memory.create(ANNA, conversation_id, "two", None))[0] == first


async def test_another_persons_conversation_is_as_good_as_unknown(rig: Rig) -> None:
    made = await rig.new("secret")
    await rig.memory.append(ANNA, made, turn("salary"))

    async def compress(conversation_id: str) -> None:
        async for _ in rig.folding.compress(BEN, conversation_id, False):
            raise AssertionError

    for call in (
        rig.memory.load(BEN, made),
        rig.memory.append(BEN, made, turn()),
        rig.memory.get(BEN, made, 0, ""),
        rig.memory.update(BEN, made, "mine", None),
        rig.memory.delete(BEN, made),
        rig.memory.create(BEN, made, "mine", None),
        compress(made),
        rig.memory.load(BEN, new_id()),
        compress(new_id()),
    ):
        with pytest.raises(NotFound) as refused:
            await call
        assert (refused.value.reason, refused.value.message) == (
            "unknown_conversation",
            "There is no such conversation.",
        )
    assert await rig.memory.page(BEN, "", 0, "") == ([], "")
    assert await rig.memory.page(BEN, "salary", 0, "") == ([], "")


async def test_lists_go_by_last_activity_page_by_page(rig: Rig) -> None:
    made = [(await rig.memory.create(ANNA, "", f"number {number}", None))[0] for number in range(5)]
    await rig.memory.append(ANNA, made[1].conversation_id, turn())
    seen, cursor = [], ""
    while True:
        rows, cursor = await rig.memory.page(ANNA, "", 2, cursor)
        seen += [row.title for row in rows]
        if not cursor:
            break
    assert seen == ["number 1", "number 4", "number 3", "number 2", "number 0"]


async def test_turns_are_read_page_by_page_oldest_first(rig: Rig) -> None:
    made = await rig.new()
    for number in range(5):
        await rig.memory.append(ANNA, made, turn(str(number)))
    _, _, first, cursor = await rig.memory.get(ANNA, made, 3, "")
    _, _, rest, end = await rig.memory.get(ANNA, made, 3, cursor)
    assert [kept.question for kept in (*first, *rest)] == ["0", "1", "2", "3", "4"]
    assert end == ""


async def test_a_page_of_long_answers_ends_before_it_is_too_large_for_a_message(rig: Rig) -> None:
    made = await rig.new()
    for number in range(4):
        await rig.memory.append(ANNA, made, turn(str(number), "x" * 2_400_000))
    seen, cursor = [], ""
    while True:
        _, _, turns, cursor = await rig.memory.get(ANNA, made, 200, cursor)
        seen.append(len(turns))
        if not cursor:
            break
    assert seen == [1, 1, 1, 1]


async def test_a_page_of_long_results_of_tools_ends_before_it_is_too_large_for_a_message(rig: Rig) -> None:
    made = await rig.new()
    use = ToolUse("call_1", "search", '{"q": "' + "问" * 20_000 + '"}', True, "答" * 2_000)
    for number in range(8):
        await rig.memory.append(ANNA, made, turn(str(number), tools=(use,) * 20))
    _, _, turns, cursor = await rig.memory.get(ANNA, made, 200, "")
    assert len(turns) == 3 and cursor


async def test_the_last_turn_is_left_out_while_it_is_being_replaced_and_then_gone(rig: Rig) -> None:
    made = await rig.new()
    first, last, edited = turn("first"), turn("last"), turn("edited")
    for told in (first, last):
        await rig.memory.append(ANNA, made, told)
    assert [kept.question for kept in (await rig.memory.load(ANNA, made, without_turn_id=last.turn_id)).turns] == [
        "first"
    ]
    for _ in range(2):
        await rig.memory.append(ANNA, made, edited, last.turn_id)
    assert [kept.question for kept in (await rig.memory.load(ANNA, made)).turns] == ["first", "edited"]
    with pytest.raises(Conflict) as refused:
        await rig.memory.append(ANNA, made, turn("another"), first.turn_id)
    assert refused.value.reason == "not_the_last_turn"


async def test_inactive_conversations_are_deleted_and_each_message_renews_them(tmp_path: Path) -> None:
    clock = Clock()
    async with rigged(tmp_path, keep=7 * DAY, clock=clock) as rig:
        assert rig.retention is not None
        used, read, left = [await rig.new(name) for name in ("used", "read", "left")]
        clock.at = 5 * DAY
        await rig.memory.append(ANNA, used, turn())
        await rig.memory.load(ANNA, read)
        assert await rig.retention.sweep() == 0
        clock.at = 8 * DAY
        assert await rig.retention.sweep() == 1
        assert {row.title for row in (await rig.memory.page(ANNA, "", 0, ""))[0]} == {"used", "read"}
        with pytest.raises(NotFound):
            await rig.memory.load(ANNA, left)


async def test_without_retention_conversations_stay(rig: Rig) -> None:
    made = await rig.new()
    rig.clock.at = 1_000 * DAY
    before = (await rig.memory.load(ANNA, made)).conversation
    assert (await rig.memory.load(ANNA, made)).conversation == before


async def test_bad_input_is_named(rig: Rig) -> None:
    made = await rig.new()
    for reason, call in (
        ("invalid_title", rig.memory.update(ANNA, made, " \0 ", None)),
        ("invalid_title", rig.memory.update(ANNA, made, "x" * 201, None)),
        ("invalid_title", rig.memory.create(ANNA, "", "x" * 201, None)),
        ("invalid_cursor", rig.memory.page(ANNA, "", 0, "???")),
        ("invalid_limit", rig.memory.page(ANNA, "", -1, "")),
        ("query_too_long", rig.memory.page(ANNA, "x" * 201, 0, "")),
        ("invalid_conversation_id", rig.memory.create(ANNA, "../etc", "x", None)),
        ("invalid_memory_item", rig.person.update(ANNA, True, " ")),
        ("invalid_memory_item", rig.person.update(ANNA, True, "x" * 301)),
    ):
        with pytest.raises(InvalidInput) as refused:
            await call
        assert refused.value.reason == reason


@pytest.mark.parametrize(
    "changes",
    [
        {"turn_id": ""},
        {"turn_id": "x" * 200},
        {"state": 99},
        {"mode": 99},
        {"finish_reason": "x" * 41},
        {"tools": [plan_pb2.ToolUse(name="t", arguments={"a": float("nan")})]},
    ],
)
def test_a_turn_that_no_database_takes_is_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        turn_of(memory_pb2.StoredTurn(**{"turn_id": new_id(), **changes}))
