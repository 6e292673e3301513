"""Steps of the tests that switch the embedding model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from services.retrieval.tests.retrieval_rig import (
    LONGER,
    Held,
    Rig,
    document,
)
from superagent_common.identity import Principal
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.embeddings import IndexRun
from superagent_retrieval.domain.records import SearchFilters

TEXTS = ("warranty lasts two years", "delivery takes a week", "restore takes four hours")


async def best(rig: Rig, who: Principal, question: str) -> str:
    """The first that is found; words may be near each other by chance."""
    return (await rig.texts(who, question))[0]


async def begun(rig: Rig) -> Held:
    """Begins a switch, which waits where the first passages would be embedded."""
    rig.embedders.by_model[LONGER.model].held = held = Held()
    _, done = await rig.rebuilding.rebuild(LONGER.model)
    assert not done
    async with asyncio.timeout(120):
        await held.reached.wait()
    return held


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Returns when it holds; fails after some seconds."""
    async with asyncio.timeout(120):
        while not await condition():
            await asyncio.sleep(0.005)


async def in_trouble(rig: Rig) -> bool:
    progress = await rig.rebuilding.progress()
    return progress is not None and progress.trouble is not None


async def answers(rig: Rig, run: IndexRun) -> bool:
    return (await rig.index_catalogue.states()).answering == run


async def let_go(rig: Rig, held: Held) -> None:
    rig.embedders.by_model[LONGER.model].held = None
    held.released.set()
    await rig.switched()
    assert rig.spaces.answering.name == LONGER


async def new_index_finds(rig: Rig, scope: AccessScope, question: str = "warranty") -> list[str]:
    """Generations of the hits of the new index itself, whatever the catalogue says."""
    vector = await rig.embedders.by_model[LONGER.model].embed_query(question)
    space = rig.spaces.building or rig.spaces.answering
    assert space.name == LONGER
    await space.index.refresh()
    return [hit.generation for hit in await space.index.search(vector, scope, SearchFilters(), 100)]


async def index_last(rig: Rig) -> IndexedDocument:
    """Indexes a document that the new model cannot embed."""
    rig.embedders.by_model[LONGER.model].poison = "poison"
    last = document()
    await rig.index(last, "poison for the new model")
    return last


async def waits_for(rig: Rig, last: IndexedDocument) -> None:
    """Returns when all but one document is held by the new index, and that one keeps failing."""

    async def only_it() -> bool:
        progress = await rig.rebuilding.progress()
        assert progress is not None
        return progress.trouble is not None and await rig.index_catalogue.behind(progress.run.run_id, "", 10) == [
            last.document_id
        ]

    await until(only_it)
