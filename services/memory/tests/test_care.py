"""What is done after turns: titles, leases, and what goes wrong."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from services.memory.tests.memory_rig import ScriptedWriter, nothing, rigged
from superagent_common.clock import SECOND
from superagent_common.errors import NotFound, Unavailable
from superagent_memory.domain.summary import Draft, Material
from tests.support.memory_turns import ANNA, BEN, turn


async def test_a_model_names_a_conversation_after_its_first_turn_and_only_then(tmp_path: Path) -> None:
    writer = ScriptedWriter(nothing, title="Travel policy for Beijing")
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new("What does a hotel in Beijing cost at most?")
        await rig.tell(made, turn("What does a hotel in Beijing cost at most?", "650 yuan."), turn("And in Lyon?"))
        assert (await rig.memory.load(ANNA, made)).conversation.title == "Travel policy for Beijing"
        assert writer.titles == [("What does a hotel in Beijing cost at most?", "650 yuan.")]


async def test_without_a_title_of_use_the_first_question_stays_and_the_model_is_not_asked_again(tmp_path: Path) -> None:
    writer = ScriptedWriter(nothing, title=None)
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new("What does a hotel cost?")
        await rig.tell(made, turn("What does a hotel cost?"), turn(), turn())
        assert (await rig.memory.load(ANNA, made)).conversation.title == "What does a hotel cost?"
        assert len(writer.titles) == 1


@pytest.mark.parametrize("when", ["before", "meanwhile", "at the start"])
async def test_a_persons_title_is_never_overwritten(tmp_path: Path, when: str) -> None:
    writer = ScriptedWriter(nothing, title="The model's")
    async with rigged(tmp_path, writer) as rig:
        title = "Mine" if when == "at the start" else ""
        made = (await rig.memory.create(ANNA, "", title, None, "What?"))[0].conversation_id
        await rig.memory.append(ANNA, made, turn("What?"))
        if when == "before":
            await rig.memory.update(ANNA, made, "Mine", None)
        await rig.completed(made)
        if when == "meanwhile":
            await rig.memory.update(ANNA, made, "Mine", None)
        await rig.looked_after()
        assert (await rig.memory.load(ANNA, made)).conversation.title == "Mine"
        assert writer.titles == []


async def test_a_conversation_deleted_while_it_is_summarised_stays_deleted(tmp_path: Path) -> None:
    deleted = asyncio.Event()

    class Deleting(ScriptedWriter):
        async def summarise(self, material):  # type: ignore[no-untyped-def]
            await rig.memory.delete(ANNA, made)
            deleted.set()
            yield Draft("They speak of clauses and storage.")

    async with rigged(tmp_path, Deleting(nothing)) as rig:
        made = await rig.new()
        await rig.filled(made, 12)
        await rig.completed(made)
        assert await rig.looked_after() == 1
        assert deleted.is_set()
        with pytest.raises(NotFound):
            await rig.memory.load(ANNA, made)
        assert await rig.summaries.state(made) is None


async def test_events_of_what_is_gone_or_foreign_do_nothing(tmp_path: Path) -> None:
    async with rigged(tmp_path, ScriptedWriter(nothing, title="x")) as rig:
        made = await rig.new()
        await rig.filled(made, 12)
        await rig.completed(made, user_id=BEN)
        await rig.completed("01990000-0000-7000-8000-0000000000ff")
        assert await rig.looked_after() == 0


async def test_what_a_dead_replica_took_is_taken_again_when_its_lease_ends(tmp_path: Path) -> None:
    def down(material: Material) -> Sequence[str | Draft]:
        raise Unavailable("database_unavailable")

    writer = ScriptedWriter(down)
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new()
        await rig.filled(made, 12)
        await rig.completed(made)
        assert await rig.care.work_once()
        assert not await rig.care.work_once()
        rig.clock.at += 2_000_000
        writer._writes = nothing
        assert await rig.care.work_once()
        assert (await rig.summary(made)).turns_covered == 8


async def test_the_loop_outlives_a_fault_and_is_woken(tmp_path: Path) -> None:
    done = asyncio.Event()
    calls: list[Material] = []

    def once_broken(material: Material) -> Sequence[str | Draft]:
        calls.append(material)
        if len(calls) == 1:
            raise RuntimeError("a fault")
        done.set()
        return ()

    async with rigged(tmp_path, ScriptedWriter(once_broken)) as rig:
        running = asyncio.create_task(rig.care.run())
        made = await rig.new()
        await rig.filled(made, 12)
        await rig.completed(made)
        async with asyncio.timeout(60):
            while not calls:
                await asyncio.sleep(0.01)
            rig.clock.at += 2_000_000
            await done.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_what_another_replica_left_undone_is_done(tmp_path: Path) -> None:
    """A turn that comes in meanwhile has the conversation taken twice; whoever is slower goes on where the other stopped."""

    class Slower(ScriptedWriter):
        async def summarise(self, material):  # type: ignore[no-untyped-def]
            if not self.shown:
                self.shown.append(material)
                found = await rig.summaries.state(made)
                assert await rig.folding.step(*found)
            yield Draft("They speak of clauses and storage.")

    async with rigged(tmp_path, writer := Slower(nothing)) as rig:
        made = await rig.new()
        await rig.filled(made, 30)
        await rig.completed(made)
        await rig.looked_after()
        assert writer.shown
        assert (await rig.summary(made)).turns_covered == 26


async def test_a_turn_that_comes_after_its_event_is_looked_after_too(tmp_path: Path) -> None:
    writer = ScriptedWriter(nothing, title="What hotels cost")
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new("What do hotels cost?")
        await rig.completed(made, archived=False)
        assert not await rig.looked_after()
        await rig.memory.append(ANNA, made, turn("What do hotels cost?"))
        rig.clock.at += 15 * SECOND
        await rig.looked_after()
        assert (await rig.memory.load(ANNA, made)).conversation.title == "What hotels cost"


async def test_a_conversation_that_is_not_listed_is_named_once_it_is(tmp_path: Path) -> None:
    writer = ScriptedWriter(nothing, title="What hotels cost")
    async with rigged(tmp_path, writer) as rig:
        made = (await rig.memory.create(ANNA, "", "", None, "What do hotels cost?", listed=False))[0].conversation_id
        await rig.tell(made, turn("What do hotels cost?"))
        assert writer.titles == []
        await rig.tell(made, turn("And hostels?"))
        assert (await rig.memory.load(ANNA, made)).conversation.title == "What hotels cost"
