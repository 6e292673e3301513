"""Folding: after turns, on demand, by two replicas, with models that write, lie, and say nothing."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from services.memory.tests.memory_rig import Rig, ScriptedWriter, nothing, rigged, two_rigs
from superagent_memory.domain.conversations import ToolUse
from superagent_memory.domain.rules import Rules
from superagent_memory.domain.summary import Draft, Material, Summary
from tests.support.memory_turns import ANNA, turn

EARLY = (
    turn("My name is Li Wei and my employee number is 48213.", "Nice to meet you."),
    turn("We decided to move the archive to Hamburg on 2027-03-01.", "Noted."),
    turn("预算是十二万元。", "好的。"),
)


def faithful(material: Material) -> Sequence[str | Draft]:
    """A model that tells in two pieces what the newest turn asked, and lists a fact of its own."""
    text = f"They spoke of this and before: {material.turns[-1].splitlines()[0][3:]}"
    return (text[:10], text[10:], Draft(text, ("The assistant is polite",)))


async def chatted(rig: Rig, number: int) -> str:
    made = await rig.new()
    await rig.tell(
        made, *(turn(f"What is clause {at} about?", f"Clause {at} is about storage.") for at in range(number))
    )
    return made


@pytest.mark.parametrize(
    "writer", [None, ScriptedWriter(faithful), ScriptedWriter(nothing)], ids=["rules", "model", "mute"]
)
async def test_early_facts_are_recalled_after_48_turns(tmp_path: Path, writer: ScriptedWriter | None) -> None:
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new()
        others = [
            turn(
                f"How many days may order PO-{7_000 + at} wait, and what of paragraph {at}?",
                f"{at + 10} days [1]. " * 9,
            )
            for at in range(45)
        ]
        await rig.tell(made, *EARLY, *others)
        seen = await rig.memory.load(ANNA, made)
        facts = "\n".join(fact.text for fact in seen.summary.facts)
        for early in EARLY:
            assert early.question in facts
        # Old asides have made room, new ones are there.
        assert "PO-7000" not in facts
        assert "PO-7036" in facts
        assert seen.summary.characters <= 1_400
        assert seen.summary.turns_covered + 4 <= 48 <= seen.summary.turns_covered + 8
        assert set(rig.by) == {"model" if writer and writer.shown and writer._writes is faithful else "rules"}


async def test_nothing_is_folded_up_to_sixteen_messages_and_all_but_four_turns_beyond(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        made = await chatted(rig, 8)
        assert (await rig.summary(made)).turns_covered == 0
        await rig.tell(made, turn())
        assert (await rig.summary(made)).turns_covered == 5
        # What the summary covers is not in the window, and nothing is in neither.
        seen = await rig.memory.load(ANNA, made)
        assert len(seen.turns) == 4
        assert "clause 4" in seen.summary.text
        assert [kept.question for kept in seen.turns][:3] == [f"What is clause {at} about?" for at in (5, 6, 7)]


async def test_a_step_folds_at_most_six_turns(tmp_path: Path) -> None:
    writer = ScriptedWriter(faithful)
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new()
        await rig.filled(made, 30)
        await rig.completed(made)
        await rig.looked_after()
        assert [len(material.turns) for material in writer.shown] == [6, 6, 6, 6, 2]
        assert (await rig.summary(made)).turns_covered == 26


async def test_the_same_event_twice_folds_once(tmp_path: Path) -> None:
    writer = ScriptedWriter(faithful)
    async with rigged(tmp_path, writer) as rig:
        made = await chatted(rig, 9)
        before = await rig.summary(made)
        shown = len(writer.shown)
        for _ in range(2):
            await rig.completed(made)
            await rig.looked_after()
        assert await rig.summary(made) == before
        assert len(writer.shown) == shown


async def test_two_replicas_at_once_fold_each_turn_once(tmp_path: Path) -> None:
    writer = ScriptedWriter(faithful)
    async with two_rigs(tmp_path, writer) as (one, other):
        made = await one.new()
        await one.filled(made, 40)
        conversation, summary = (await one.summaries.state(made)) or pytest.fail("gone")
        # Both begin with the same summary, as after a lease that ran out.
        first = await one.folding.step(conversation, summary)
        assert first is not None
        assert await other.folding.step(conversation, summary) is None
        assert await one.summary(made) == Summary(first.text, first.facts, 6, 12, first.updated_at, 1)


async def test_a_turn_does_not_wait_for_its_summary(tmp_path: Path) -> None:
    """Handling the event only says that the conversation is due; nothing is written by a model meanwhile."""
    writer = ScriptedWriter(faithful)
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new()
        await rig.filled(made, 12)
        await rig.completed(made)
        assert writer.shown == []
        assert await rig.looked_after() == 1
        assert writer.shown


async def test_other_strategies_are_not_summarised(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        made = await rig.new()
        await rig.memory.update(ANNA, made, None, "sliding_window")
        await rig.filled(made, 20)
        await rig.completed(made)
        assert await rig.looked_after() == 0
        # Switched later, it is caught up with.
        await rig.memory.update(ANNA, made, None, "summary")
        await rig.tell(made, turn())
        assert (await rig.summary(made)).turns_covered == 17


async def test_each_kind_of_conversation_has_its_prompt(tmp_path: Path) -> None:
    writer = ScriptedWriter(faithful)
    failed = ToolUse("1", "send_mail", '{"to": "ops"}', False, "mailbox_full")
    async with rigged(
        tmp_path, writer, rules=Rules(fold_turns=1, verbatim_turns=1, summarise_beyond_messages=2)
    ) as rig:
        made = await rig.new()
        await rig.tell(
            made,
            turn("chat about storage", "yes"),
            turn("mail it", "no", (failed,), "tool"),
            turn("ban them", "ok", (), "admin_tool"),
            turn("last"),
        )
        assert [material.kind for material in writer.shown] == ["chat", "tool", "admin_tool"]
        assert 'send_mail {"to": "ops"} -> failed: mailbox_full' in writer.shown[1].turns[0]
        assert any("send_mail" in fact.text and "mailbox_full" in fact.text for fact in (await rig.summary(made)).facts)


async def pieces(rig: Rig, made: str, *, rebuild: bool = False) -> tuple[list[str], Summary]:
    told = [piece async for piece in rig.folding.compress(ANNA, made, rebuild)]
    *texts, summary = told
    assert isinstance(summary, Summary)
    assert all(isinstance(text, str) for text in texts)
    return [text for text in texts if isinstance(text, str)], summary


async def test_compressing_now_streams_the_new_summary(tmp_path: Path) -> None:
    async with rigged(tmp_path, ScriptedWriter(faithful)) as rig:
        made = await chatted(rig, 6)
        texts, summary = await pieces(rig, made)
        assert len(texts) == 2
        assert "".join(texts) == summary.text
        assert summary.turns_covered == 2
        assert await rig.summary(made) == summary
        # Nothing more to do: the summary as it is.
        assert await pieces(rig, made) == ([], summary)


async def test_compressing_without_a_model_tells_the_rules_summary(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        made = await chatted(rig, 6)
        texts, summary = await pieces(rig, made)
        assert (
            "".join(texts)
            == summary.text
            == "\n".join(f"- What is clause {at} about? → Clause {at} is about storage." for at in (0, 1))
        )


async def test_a_summary_is_made_anew_from_the_first_turn_on_demand(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        made = await chatted(rig, 20)
        await rig.summaries.save(
            (await rig.memory.load(ANNA, made)).conversation, Summary("spoilt", (), 16, 32, 5), None
        )
        _, summary = await pieces(rig, made, rebuild=True)
        assert summary.turns_covered == 16
        assert "spoilt" not in summary.text
        assert summary.text.startswith("- What is clause 0 about?")
        assert await rig.summary(made) == summary


async def test_rebuilding_a_long_conversation_asks_the_model_for_its_newest_part_only(tmp_path: Path) -> None:
    writer = ScriptedWriter(faithful)
    async with rigged(tmp_path, writer) as rig:
        made = await rig.new()
        await rig.filled(made, 1_000)
        _, summary = await pieces(rig, made, rebuild=True)
        assert summary.turns_covered == 996
        assert len(writer.shown) == 20
        assert rig.by == ["rules"] * 146 + ["model"] * 20


async def test_compressing_an_empty_conversation_has_nothing_to_tell(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        assert await pieces(rig, await rig.new()) == ([], Summary())


async def test_folding_a_long_backlog_lets_others_be_served_between_its_steps(tmp_path: Path) -> None:
    served = 0

    async def others() -> None:
        nonlocal served
        while True:
            await asyncio.sleep(0)
            served += 1

    async with rigged(tmp_path) as rig:
        made = await rig.new()
        await rig.filled(made, 300)
        serving = asyncio.create_task(others())
        _, summary = await pieces(rig, made, rebuild=True)
        serving.cancel()
        assert summary.turns_covered == 296
        # As often as there are steps of six turns.
        assert served > 40
