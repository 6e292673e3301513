"""What changes while the embedding model is switched is found as it is, by the old model and by the new one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest

from services.retrieval.tests.rebuilding_steps import (
    TEXTS,
    answers,
    begun,
    best,
    in_trouble,
    index_last,
    let_go,
    new_index_finds,
    until,
    waits_for,
)
from services.retrieval.tests.retrieval_rig import (
    ANNA,
    BEN,
    LONGER,
    WORDS,
    Held,
    Rig,
    batches,
    changed,
    document,
)
from superagent_common.errors import Unavailable
from superagent_common.ids import new_id
from superagent_retrieval.application.indexing import Batch
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.embeddings import IndexRun


async def make_private(rig: Rig, known: IndexedDocument) -> None:
    attributes = known.metadata.attributes
    attributes = replace(attributes, access=replace(attributes.access, is_public=False))
    await rig.generations.update(known.document_id, changed(known, attributes=attributes).metadata)


async def replace_it(rig: Rig, known: IndexedDocument) -> None:
    await rig.index(replace(known, generation=new_id()), "delivery takes two weeks")


async def delete_it(rig: Rig, known: IndexedDocument) -> None:
    await rig.generations.delete(known.document_id)


@pytest.mark.parametrize("change", [make_private, replace_it, delete_it])
@pytest.mark.parametrize("fails", [False, True])
async def test_what_changes_while_it_is_embedded_again_is_as_it_is_now(
    rig: Rig, kept: IndexedDocument, change: Callable[[Rig, IndexedDocument], Awaitable[None]], fails: bool
) -> None:
    held = await begun(rig)
    await change(rig, kept)
    longer = rig.embedders.by_model[LONGER.model]
    if fails:
        longer.failing = Unavailable("embedder_down")
        held.released.set()
        if change is not delete_it:  # Nothing is behind then any more.
            await until(lambda: in_trouble(rig))
        longer.failing = None
    await let_go(rig, held)
    left = {make_private: [kept.generation] * 3, delete_it: []}.get(change)
    generations = await new_index_finds(rig, AccessScope(ANNA.user_id))
    if left is None:
        assert len(generations) == 1 and generations[0] != kept.generation
        assert await best(rig, ANNA, "delivery") == "delivery takes two weeks"
    else:
        assert generations == left
    if change is make_private:
        assert await new_index_finds(rig, AccessScope(BEN.user_id)) == []
        assert await rig.texts(BEN, "warranty") == [] and await rig.texts(ANNA, "warranty")


async def test_what_changes_behind_its_carrying_reaches_the_new_index(rig: Rig, kept: IndexedDocument) -> None:
    """The first two are held by the new index already; a third one keeps the run waiting."""
    gone = document(is_public=True)
    await rig.index(gone, "warranty of the second")
    last = await index_last(rig)
    await rig.rebuilding.rebuild(LONGER.model)
    await waits_for(rig, last)
    assert sorted(set(await new_index_finds(rig, AccessScope(BEN.user_id)))) == sorted(
        [kept.generation, gone.generation]
    )
    await make_private(rig, kept)
    await rig.generations.delete(gone.document_id)
    assert await new_index_finds(rig, AccessScope(BEN.user_id)) == []
    assert set(await new_index_finds(rig, AccessScope(ANNA.user_id))) == {kept.generation}
    rig.embedders.by_model[LONGER.model].poison = ""
    await rig.switched()
    assert set(await new_index_finds(rig, AccessScope(ANNA.user_id))) == {kept.generation, last.generation}


async def test_an_index_run_that_began_before_the_switch_answers_behind_it(rig: Rig, kept: IndexedDocument) -> None:
    late = replace(document(), parents=2, children=2)
    half, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[Batch]:
        async for batch in batches(("guarantee of one", "guarantee of two")):
            yield batch
            half.set()
            await go_on.wait()

    indexing = asyncio.create_task(rig.indexing.index(late, slowly()))
    await asyncio.wait_for(half.wait(), 120)
    run, _ = await rig.rebuilding.rebuild(LONGER.model)
    await until(lambda: answers(rig, run))
    go_on.set()
    assert await indexing == 2
    assert len(await rig.texts(ANNA, "guarantee")) == 2
    assert await rig.spaces.answering.index.count(late.document_id, late.generation) == 2
    await rig.switched()


async def test_an_index_run_goes_over_to_the_index_that_another_process_let_answer(rig: Rig) -> None:
    embedder = rig.embedders.by_model[WORDS.model]
    embedder.held = held = Held()
    made = document()
    indexing = asyncio.create_task(rig.index(made, *TEXTS))
    await held.reached.wait()
    run = IndexRun(new_id(), LONGER, 0)
    await rig.index_catalogue.start(run)
    assert await rig.index_catalogue.finish(run.run_id)
    embedder.held = None
    held.released.set()
    await indexing
    assert (await rig.catalogue.totals(), rig.spaces.answering.name) == ((1, 3, 3), LONGER)
    assert await best(rig, ANNA, "warranty years") == TEXTS[0]


async def test_a_copy_of_what_the_new_index_holds_is_not_embedded_for_it(rig: Rig, kept: IndexedDocument) -> None:
    await index_last(rig)
    await rig.rebuilding.rebuild(LONGER.model)
    longer = rig.embedders.by_model[LONGER.model]
    await until(lambda: in_trouble(rig))
    assert longer.embedded == 3
    copy = document(BEN)
    await rig.copying.copy(kept.document_id, copy.document_id, copy.generation, copy.metadata)
    longer.poison = ""
    await rig.switched()
    assert longer.passages.count(TEXTS[0]) == 1
    assert await best(rig, BEN, "warranty") == TEXTS[0]
    assert await rig.spaces.answering.index.count(copy.document_id, copy.generation) == 3
