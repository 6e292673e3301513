"""What memory's stores do on every kind of database: subclass with a fixture `database`."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import insert, select

from superagent.memory.v1.memory_pb2 import ConversationDeleted
from superagent_common.bus import Outbox
from superagent_common.bus.topics import CONVERSATION_DELETED, TURN_COMPLETED
from superagent_common.clock import SECOND
from superagent_common.db import Database
from superagent_common.errors import Conflict, NotFound
from superagent_common.ids import new_id
from superagent_memory.adapters.sql_conversations import SqlConversationStore
from superagent_memory.adapters.sql_person import SqlPersonStore
from superagent_memory.adapters.sql_summaries import SqlSummaryStore, make_due
from superagent_memory.adapters.tables import dead_letters, outbox
from superagent_memory.domain.conversations import Conversation, Strategy, ToolUse
from superagent_memory.domain.facts import Fact
from superagent_memory.domain.summary import NO_SUMMARY, Summary
from superagent_memory.domain.wishes import Item
from tests.support.memory_turns import turn

TURNS: dict[Strategy, int] = {"none": 0, "sliding_window": 6, "summary": 20}
USE = ToolUse("call_1", "create_order", '{"客户": "ACME"}', True, "SO-1 ✓ 😀")


def conversation(user_id: str = "", title: str = "t", at: int = 1, *, is_draft: bool = True) -> Conversation:
    return Conversation(new_id(), user_id or new_id(), title, is_draft, "summary", at, at)


async def told(database: Database, of: Conversation) -> int:
    """How often others are told that a conversation is deleted."""
    async with database.read() as connection:
        rows = await connection.execute(select(outbox).where(outbox.c.key == of.conversation_id))
        events = [(row.topic, ConversationDeleted.FromString(row.payload).conversation_id) for row in rows]
    assert set(events) <= {(CONVERSATION_DELETED, of.conversation_id)}
    return len(events)


class MemoryStoreConformance:
    @pytest.fixture
    def store(self, database: Database) -> SqlConversationStore:
        return SqlConversationStore(database, Outbox(outbox), lambda: None)

    @pytest.fixture
    def summaries(self, database: Database) -> SqlSummaryStore:
        return SqlSummaryStore(database)

    @pytest.fixture
    def people(self, database: Database) -> SqlPersonStore:
        return SqlPersonStore(database)

    async def test_what_was_stored_comes_back(self, store: SqlConversationStore) -> None:
        made = await store.create(conversation())
        stored = replace(turn("怎么配置 😀?", "so " * 50_000, (USE,), "tool"), sources=b"\x00\xff" * 50_000)
        assert await store.append(made.user_id, made.conversation_id, stored, "")
        assert await store.turns(made.conversation_id, 0, 10) == [(1, stored)]
        assert await store.turns(made.conversation_id, 1, 10) == []
        found = await store.remembered(made.user_id, made.conversation_id, None, TURNS, "")
        assert found is not None
        assert (found.conversation.turns_total, found.conversation.messages_total) == (1, 4)
        assert found.newest[0].tools == (USE,)
        assert found.newest[0].answer == stored.answer[:16_000]
        assert found.summary == NO_SUMMARY

    async def test_turns_appended_at_once_get_positions_of_their_own(self, store: SqlConversationStore) -> None:
        made = await store.create(conversation())
        each = [turn(str(number)) for number in range(6)]
        await asyncio.gather(*(store.append(made.user_id, made.conversation_id, one, "") for one in each))
        rows = await store.turns(made.conversation_id, 0, 10)
        assert [position for position, _ in rows] == [1, 2, 3, 4, 5, 6]
        assert {one.turn_id for _, one in rows} == {one.turn_id for one in each}
        again = turn("once")
        stored = await asyncio.gather(
            *(store.append(made.user_id, made.conversation_id, again, "") for _ in range(4)),
            store.append(made.user_id, made.conversation_id, each[0], ""),
        )
        assert stored == [True] * 5
        assert len(await store.turns(made.conversation_id, 0, 10)) == 7

    async def test_a_conversation_made_at_once_twice_is_one(self, store: SqlConversationStore) -> None:
        wanted = conversation()
        made = await asyncio.gather(*(store.create(wanted) for _ in range(4)))
        assert made == [wanted] * 4
        with pytest.raises(NotFound):
            await store.create(replace(wanted, user_id=new_id()))

    async def test_only_the_last_turn_is_replaced(
        self, store: SqlConversationStore, summaries: SqlSummaryStore
    ) -> None:
        made = await store.create(conversation())
        first, second, third = turn("1"), turn("2", tools=(USE,)), turn("3")
        for one in (first, second):
            await store.append(made.user_id, made.conversation_id, one, "")
        with pytest.raises(Conflict) as refused:
            await store.append(made.user_id, made.conversation_id, third, first.turn_id)
        assert refused.value.reason == "not_the_last_turn"
        for _ in range(2):
            assert await store.append(made.user_id, made.conversation_id, third, second.turn_id)
        assert [one.question for _, one in await store.turns(made.conversation_id, 0, 10)] == ["1", "3"]
        found = await summaries.state(made.conversation_id)
        assert found is not None
        assert (found[0].turns_total, found[0].messages_total) == (2, 4)

    async def test_a_summary_that_covers_a_replaced_turn_is_forgotten(
        self, store: SqlConversationStore, summaries: SqlSummaryStore
    ) -> None:
        made = await store.create(conversation())
        first, last = turn("1"), turn("2")
        for one in (first, last):
            await store.append(made.user_id, made.conversation_id, one, "")
        assert await summaries.save(made, Summary("s", (), 1, 2, 5), 0)
        await store.append(made.user_id, made.conversation_id, replacing := turn("3"), last.turn_id)
        assert (await self.summary(summaries, made)).turns_covered == 1
        assert await summaries.save(made, Summary("s", (), 2, 4, 5), 1)
        await store.append(made.user_id, made.conversation_id, turn("4"), replacing.turn_id)
        assert await self.summary(summaries, made) == NO_SUMMARY
        assert await summaries.take(10, 20) == made.conversation_id
        await summaries.settle(made.conversation_id, 20, 0)

    async def test_of_two_replicas_one_keeps_its_summary(
        self, store: SqlConversationStore, summaries: SqlSummaryStore
    ) -> None:
        made = await store.create(conversation())
        for _ in range(8):
            await store.append(made.user_id, made.conversation_id, turn(), "")
        one, other = (Summary(text, (Fact("Li Wei 王", 3),), 4, 8, 7) for text in ("one", "other"))
        kept = await asyncio.gather(*(summaries.save(made, each, 0) for each in (one, other)))
        assert sorted(kept) == [False, True]
        winner = one if kept[0] else other
        assert await self.summary(summaries, made) == replace(winner, revision=1)
        assert not await summaries.save(made, other, 0)
        # From scratch, whatever there was; but never more than there is.
        assert await summaries.save(made, other, None)
        assert not await summaries.save(made, replace(other, turns_covered=9), None)
        assert not await summaries.save(conversation(), other, None)

    async def test_the_newest_turns_are_those_that_the_summary_does_not_cover(
        self, store: SqlConversationStore, summaries: SqlSummaryStore
    ) -> None:
        made = await store.create(conversation())
        each = [turn(str(number)) for number in range(8)]
        for one in each:
            await store.append(made.user_id, made.conversation_id, one, "")
        await summaries.save(made, Summary("s", (), 4, 8, 7), 0)

        async def seen(strategy: Strategy | None, without: str = "") -> str:
            found = await store.remembered(made.user_id, made.conversation_id, strategy, TURNS, without)
            assert found is not None
            return "".join(one.question for one in found.newest)

        assert await seen(None) == "4567"
        assert await seen("sliding_window") == "234567"
        assert await seen("none") == ""
        assert await seen(None, each[-1].turn_id) == "456"

    async def test_a_due_conversation_belongs_to_one_replica_until_its_lease_ends(
        self, store: SqlConversationStore, summaries: SqlSummaryStore, database: Database
    ) -> None:
        made = await store.create(conversation())
        assert await summaries.take(100, 200) is None
        async with database.write() as connection:
            await make_due(connection, made.conversation_id, 50)
        assert await summaries.take(49, 200) is None
        taken = await asyncio.gather(*(summaries.take(100, 200 + number) for number in range(3)))
        assert sorted(filter(None, taken)) == [made.conversation_id]
        until = 200 + next(number for number, one in enumerate(taken) if one)
        assert await summaries.take(150, 400) is None
        assert await summaries.settle(made.conversation_id, until, 300)
        assert not await summaries.settle(made.conversation_id, until, 0)
        assert await summaries.take(300, 400) == made.conversation_id
        assert await summaries.settle(made.conversation_id, 400, 0)
        assert await summaries.take(1_000, 2_000) is None

    async def test_a_lease_from_before_the_clock_was_set_back_ends_at_once(
        self, store: SqlConversationStore, summaries: SqlSummaryStore, database: Database
    ) -> None:
        made = await store.create(conversation())
        hours = 7_200 * SECOND
        async with database.write() as connection:
            await make_due(connection, made.conversation_id, hours)
        assert await summaries.take(hours + 100, hours + 200) == made.conversation_id
        assert await summaries.take(hours - SECOND, hours) is None
        assert await summaries.take(100, 200) == made.conversation_id
        assert await summaries.settle(made.conversation_id, 200, 0)

    async def test_a_draft_of_a_title_is_bettered_and_a_persons_is_not(
        self, store: SqlConversationStore, summaries: SqlSummaryStore
    ) -> None:
        drafted, named = await store.create(conversation()), await store.create(conversation(is_draft=False))
        for made in (drafted, named):
            await summaries.better_title(made, "Better")
            await summaries.better_title(made, "Best")
        found = [await summaries.state(made.conversation_id) for made in (drafted, named)]
        assert [each[0].title for each in found if each] == ["Better", "t"]

    async def test_search_takes_wildcards_and_case_for_what_they_are(self, store: SqlConversationStore) -> None:
        owner = new_id()
        one, two = (
            await store.create(conversation(owner, "printer")),
            await store.create(conversation(owner, "100% ÄRGER")),
        )
        await store.append(owner, one.conversation_id, turn("怎么配置 MinIO?"), "")
        for text, expected in (("minio", one), ("%", two), ("配置", one)):
            assert [row.conversation_id for row in await store.find(owner, text, None, 10)] == [
                expected.conversation_id
            ]
        assert await store.find(owner, "_", None, 10) == []
        assert await store.find(new_id(), "minio", None, 10) == []

    async def test_lists_go_by_last_activity(self, store: SqlConversationStore) -> None:
        owner = new_id()
        made = [await store.create(conversation(owner, str(number), at=5)) for number in range(3)]
        await store.touch(made[0].conversation_id, 9)
        rows = await store.find(owner, "", None, 2)
        assert rows[0].conversation_id == made[0].conversation_id
        rest = await store.find(owner, "", (rows[1].updated_at, rows[1].conversation_id), 5)
        assert {row.title for row in (*rows, *rest)} == {"0", "1", "2"}
        assert len(rest) == 1

    async def test_what_is_not_listed_is_found_apart_until_its_second_turn(self, store: SqlConversationStore) -> None:
        owner = new_id()
        listed = await store.create(conversation(owner))
        other = await store.create(replace(conversation(owner), listed=False))

        async def found(text: str = "", **which: bool) -> set[str]:
            return {row.conversation_id for row in await store.find(owner, text, None, 9, **which)}

        await store.append(owner, other.conversation_id, first := turn("needle"), "")
        await store.append(owner, other.conversation_id, turn("needle"), first.turn_id)
        for text in ("", "needle"):
            assert other.conversation_id not in await found(text)
            assert await found(text, listed=False) == {other.conversation_id}
        await store.append(owner, other.conversation_id, turn("more"), "")
        assert await found() == {listed.conversation_id, other.conversation_id}
        assert await found(listed=False) == set()

    async def test_what_is_changed_at_once_stays_changed(
        self, store: SqlConversationStore, summaries: SqlSummaryStore
    ) -> None:
        made = await store.create(conversation())
        await asyncio.gather(
            store.update(made.user_id, made.conversation_id, "Mine", None),
            *(store.update(made.user_id, made.conversation_id, None, "none") for _ in range(5)),
            summaries.better_title(made, "The model's"),
        )
        found = await summaries.state(made.conversation_id)
        assert found is not None
        assert (found[0].title, found[0].title_is_draft, found[0].strategy) == ("Mine", False, "none")
        assert await store.update(new_id(), made.conversation_id, "Theirs", None) is None

    async def test_what_was_made_for_a_deleted_conversation_is_not_kept_for_one_with_its_id(
        self, store: SqlConversationStore, summaries: SqlSummaryStore
    ) -> None:
        gone = await store.create(conversation(at=5))
        await store.delete(gone.user_id, gone.conversation_id, 5)
        await store.free_ids(6)
        made = await store.create(replace(gone, created_at=6))
        await store.append(made.user_id, made.conversation_id, turn(), "")
        await summaries.better_title(gone, "secret")
        for revision in (0, None):
            assert not await summaries.save(gone, Summary("secret", (), 1, 2, 5), revision)
        found = await summaries.state(made.conversation_id)
        assert found is not None
        assert (found[0].title, found[1]) == ("t", NO_SUMMARY)

    async def test_a_deletion_is_complete(
        self, store: SqlConversationStore, summaries: SqlSummaryStore, people: SqlPersonStore, database: Database
    ) -> None:
        made = await store.create(conversation())
        kept = turn("secret")
        await store.append(made.user_id, made.conversation_id, kept, "")
        await summaries.save(made, Summary("secret", (), 1, 2, 5), 0)
        await people.add(Item(new_id(), made.user_id, "likes tea", made.conversation_id, 5))
        async with database.write() as connection:
            await make_due(connection, made.conversation_id, 1)
        async with database.write() as connection:
            await connection.execute(
                insert(dead_letters),
                {
                    "event_id": new_id(),
                    "topic": TURN_COMPLETED,
                    "key": made.conversation_id,
                    "payload": b"secret",
                    "traceparent": "",
                    "reason": "failed",
                    "attempts": 5,
                    "failed_at": 5,
                },
            )
        assert await store.delete(made.user_id, made.conversation_id, 7)
        async with database.read() as connection:
            given_up = select(dead_letters).where(dead_letters.c.key == made.conversation_id)
            assert (await connection.execute(given_up)).all() == []
        assert not await store.delete(made.user_id, made.conversation_id, 7)
        assert await summaries.state(made.conversation_id) is None
        assert await summaries.take(100, 200) is None
        assert await store.turns(made.conversation_id, 0, 10) == []
        assert await told(database, made) == 1
        # Nobody gets the id while others may still have to hear of it; afterwards it is something new.
        for owner in (made.user_id, new_id()):
            await store.free_ids(7)
            with pytest.raises(NotFound):
                await store.create(replace(made, user_id=owner))
        await store.free_ids(8)
        await store.create(made)
        assert await self.summary(summaries, made) == NO_SUMMARY
        assert await store.append(made.user_id, made.conversation_id, kept, "")
        # What was to be remembered stays the person's, without where it was said.
        assert [(item.text, item.conversation_id) for item in await people.items(made.user_id)] == [("likes tea", "")]

    async def test_what_nobody_used_is_deleted_and_what_was_renewed_stays(
        self, store: SqlConversationStore, database: Database
    ) -> None:
        owner = new_id()
        old, renewed = [await store.create(conversation(owner, title, at=-100)) for title in ("old", "renewed")]
        await store.touch(renewed.conversation_id, 100)
        await store.append(owner, old.conversation_id, replace(turn(), stored_at=-90), "")
        assert await store.delete_inactive(-50, 10, 7) == 1
        assert await store.delete_inactive(-50, 10, 7) == 0
        assert [await told(database, each) for each in (old, renewed)] == [1, 0]
        with pytest.raises(NotFound):
            await store.create(old)
        assert [row.title for row in await store.find(owner, "", None, 10)] == ["renewed"]

    async def test_remembering_is_off_until_it_is_switched_on(
        self, store: SqlConversationStore, people: SqlPersonStore
    ) -> None:
        made = await store.create(conversation())
        assert not await people.enabled(made.user_id)
        await people.add(Item(new_id(), made.user_id, "likes tea", "", 5))
        for enabled, expected in ((False, []), (True, ["likes tea"]), (False, [])):
            await people.enable(made.user_id, enabled, 5)
            assert await people.enabled(made.user_id) == enabled
            assert list(await store.long_term(made.user_id)) == expected
            found = await store.remembered(made.user_id, made.conversation_id, "none", TURNS, "")
            assert found is not None
            assert list(found.long_term) == expected

    async def test_a_hundred_items_are_kept_the_newest_first_and_equal_ones_once(self, people: SqlPersonStore) -> None:
        owner = new_id()
        for number in range(103):
            await people.add(Item(new_id(), owner, f"item {number}", "", number))
        await people.add(Item(new_id(), owner, "ITEM 50", "", 200))
        texts = [item.text for item in await people.items(owner)]
        assert (len(texts), texts[0], texts[1], texts[-1]) == (100, "ITEM 50", "item 102", "item 3")
        first = (await people.items(owner))[0]
        assert not await people.forget(new_id(), first.item_id)
        assert await people.forget(owner, first.item_id)
        assert not await people.forget(owner, first.item_id)
        assert await people.forget(owner, "")
        assert await people.items(owner) == []

    @staticmethod
    async def summary(summaries: SqlSummaryStore, made: Conversation) -> Summary:
        found = await summaries.state(made.conversation_id)
        assert found is not None
        return found[1]
