"""What a turn and a step cost does not grow with the conversation: rows read, statements, characters sent to a model."""

from pathlib import Path

import pytest

from services.memory.tests.memory_rig import ScriptedWriter, rigged
from superagent_memory.domain.summary import Draft, Material
from tests.support.memory_turns import ANNA, turn

LENGTHS = (10, 100, 1_000, 10_000)


def steady(material: Material) -> tuple[str | Draft, ...]:
    """A model whose summary is always as long as it may be."""
    text = ("They speak of clauses and of storage. " * 60)[: material.characters].strip()
    return (Draft(text),)


async def cost(folder: Path, length: int) -> dict[str, tuple[int, int] | int]:
    """Statements and rows of loading, of storing, of the event and of folding, and characters for the model."""
    writer = ScriptedWriter(steady)
    async with rigged(folder, writer) as rig:
        made = await rig.new()
        await rig.filled(made, length)
        # Caught up with, and then as many turns as make the next step due.
        async for _ in rig.folding.compress(ANNA, made, False):
            pass
        for _ in range(5):
            await rig.memory.append(ANNA, made, turn("What is clause 7 about?", "Clause 7 is about storage. " * 60))
        writer.shown.clear()
        rig.counting.counted()
        costs: dict[str, tuple[int, int] | int] = {}
        seen = await rig.memory.load(ANNA, made)
        costs["load"] = rig.counting.counted()
        assert len(seen.turns) == 9
        costs["context"] = sum(kept.characters for kept in seen.turns) // 100
        await rig.memory.append(ANNA, made, turn())
        costs["append"] = rig.counting.counted()
        await rig.completed(made)
        costs["event"] = rig.counting.counted()
        assert await rig.looked_after() == 1
        costs["fold"] = rig.counting.counted()
        assert len(writer.shown) == 1
        # Numbers of clauses differ in length.
        costs["model"] = len(writer.shown[0].source) // 100
        return costs


async def test_costs_are_the_same_for_ten_and_for_ten_thousand_turns(tmp_path: Path) -> None:
    costs = []
    for length in LENGTHS:
        folder = tmp_path / str(length)
        folder.mkdir()
        costs.append(await cost(folder, length))
    assert costs[1:] == costs[:1] * (len(LENGTHS) - 1)
    # Two statements to load: the conversation with its summary, and the nine turns outside of it.
    assert costs[0]["load"] == (2, 10)
    assert costs[0]["append"] == (3, 1)
    assert costs[0]["event"] == (2, 1)


@pytest.mark.parametrize("strategy", ["none", "sliding_window", "summary"])
async def test_a_conversation_that_was_never_summarised_costs_no_more_than_its_window(
    tmp_path: Path, strategy: str
) -> None:
    async with rigged(tmp_path) as rig:
        made = await rig.new()
        await rig.filled(made, 10_000)
        rig.counting.counted()
        seen = await rig.memory.load(ANNA, made, strategy)  # type: ignore[arg-type]
        statements, rows = rig.counting.counted()
        assert statements <= 2
        assert rows == 1 + {"none": 0, "sliding_window": 6, "summary": 20}[strategy]
        assert sum(kept.messages for kept in seen.turns) <= 40
        assert sum(kept.characters for kept in seen.turns) <= 3_600
