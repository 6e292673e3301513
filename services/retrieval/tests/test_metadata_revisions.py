"""What is said of a document changes while it is indexed, copied, removed: the newest wins, and nobody sees too much."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from services.retrieval.tests.retrieval_rig import ANNA, BEN, Rig, batches, changed, document
from superagent_common.errors import NotFound, Unavailable
from superagent_common.ids import new_id
from superagent_retrieval.application.indexing import Batch
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.records import SearchFilters

TEXTS = ("warranty lasts two years", "delivery takes a week", "warranty of parts lasts a year")


def private(known: IndexedDocument) -> IndexedDocument:
    return _with_access(known, is_public=False)


def public(known: IndexedDocument) -> IndexedDocument:
    return _with_access(known, is_public=True)


def _with_access(known: IndexedDocument, *, is_public: bool) -> IndexedDocument:
    attributes = known.metadata.attributes
    return changed(known, attributes=replace(attributes, access=replace(attributes.access, is_public=is_public)))


async def update(rig: Rig, document: IndexedDocument) -> None:
    await rig.generations.update(document.document_id, document.metadata)


async def engines_find(rig: Rig, scope: AccessScope) -> tuple[int, int]:
    """Hits of both engines themselves, whatever the catalogue says."""
    vector = await rig.embedder.embed_query("warranty")
    return (
        len(await rig.vectors.search(vector, scope, SearchFilters(), 100)),
        len(await rig.keywords.search("warranty", scope, SearchFilters(), 100)),
    )


def between(rig: Rig, known: IndexedDocument) -> AsyncIterator[Batch]:
    """The document's batches; after the second one it is made private."""

    async def come() -> AsyncIterator[Batch]:
        number = 0
        async for batch in batches(TEXTS):
            number += 1
            if number == 3:
                await update(rig, private(known))
            yield batch

    return come()


async def test_an_older_update_changes_nothing(rig: Rig) -> None:
    first = document(is_public=True)
    await rig.index(first, *TEXTS)
    second = private(first)
    third = changed(second, title="Third")
    await update(rig, third)
    await update(rig, second)
    await update(rig, changed(first, title="Another second"))
    assert await rig.texts(BEN, "warranty") == []
    found = await rig.searching.search(ANNA, Query("warranty"))
    assert {each.passage.title for each in found.evidence} == {"Third"}
    assert await engines_find(rig, AccessScope(BEN.user_id)) == (0, 0)


async def test_an_update_before_the_first_run_holds_for_it(rig: Rig) -> None:
    first = document(is_public=True)
    await update(rig, private(first))
    assert await rig.catalogue.totals() == (0, 0, 0)
    assert await rig.searching.domains(ANNA) == []
    await rig.index(first, *TEXTS)
    assert await rig.texts(BEN, "warranty") == []
    assert len(await rig.texts(ANNA, "warranty")) == 2
    assert await engines_find(rig, AccessScope(BEN.user_id)) == (0, 0)


async def test_a_document_made_private_while_it_is_first_indexed_is_never_found_by_others(rig: Rig) -> None:
    first = document(is_public=True)
    whole = replace(first, parents=3, children=3)
    await rig.indexing.index(whole, between(rig, first))
    assert await rig.texts(BEN, "warranty") == []
    assert len(await rig.texts(ANNA, "warranty")) == 2
    assert await engines_find(rig, AccessScope(BEN.user_id)) == (0, 0)


async def test_a_document_made_private_while_it_is_indexed_again_is_not_found_from_then_on(rig: Rig) -> None:
    first = document(is_public=True)
    await rig.index(first, *TEXTS)
    assert len(await rig.texts(BEN, "warranty")) == 2
    again = replace(first, generation=new_id(), parents=3, children=3)
    seen: list[list[str]] = []
    activate = rig.catalogue.activate

    async def watched(known: IndexedDocument, index: IndexName) -> bool:
        seen.append(await rig.texts(BEN, "warranty"))
        activated = await activate(known, index)
        seen.append(await rig.texts(BEN, "warranty"))
        return activated

    rig.catalogue.activate = watched  # type: ignore[method-assign]
    await rig.indexing.index(again, between(rig, first))
    assert seen == [[], []]
    assert await rig.texts(BEN, "warranty") == [] and len(await rig.texts(ANNA, "warranty")) == 2


async def test_an_update_between_correction_and_activation_holds_too(rig: Rig) -> None:
    first = document(is_public=True)
    activate, calls = rig.catalogue.activate, 0

    async def late(known: IndexedDocument, index: IndexName) -> bool:
        nonlocal calls
        calls += 1
        if calls == 1:
            # Learnt by the catalogue, and not yet in the indexes.
            await rig.catalogue.learn(first.document_id, private(first).metadata)
        return await activate(known, index)

    rig.catalogue.activate = late  # type: ignore[method-assign]
    await rig.index(first, *TEXTS)
    assert calls == 2
    assert await engines_find(rig, AccessScope(BEN.user_id)) == (0, 0)
    assert len(await rig.texts(ANNA, "warranty")) == 2


async def test_a_run_that_goes_on_later_corrects_what_it_wrote_before(rig: Rig) -> None:
    first = document(is_public=True)
    whole = replace(first, parents=3, children=3)

    async def broken() -> AsyncIterator[Batch]:
        number = 0
        async for batch in batches(TEXTS):
            number += 1
            if number == 3:
                raise Unavailable("caller_gone")
            yield batch

    with pytest.raises(Unavailable):
        await rig.indexing.index(whole, broken())
    # The change was told to nobody here; the next try brings it along.
    assert await rig.index(private(first), *TEXTS) == 1
    assert await engines_find(rig, AccessScope(BEN.user_id)) == (0, 0)
    assert await engines_find(rig, AccessScope(ANNA.user_id)) == (3, 2)


async def test_narrowing_holds_though_an_engine_fails(rig: Rig) -> None:
    first = document(is_public=True)
    await rig.index(first, *TEXTS)
    write = rig.keywords.update_document

    async def fail(*_: object) -> None:
        raise Unavailable("keyword_index_down")

    rig.keywords.update_document = fail  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await update(rig, private(first))
    assert await rig.texts(BEN, "warranty") == []
    rig.keywords.update_document = write  # type: ignore[method-assign]
    await update(rig, private(first))
    assert await engines_find(rig, AccessScope(BEN.user_id)) == (0, 0)


async def test_an_index_run_with_older_metadata_does_not_open_a_document_again(rig: Rig) -> None:
    first = document(is_public=True)
    await rig.index(first, *TEXTS)
    await update(rig, private(first))
    await rig.index(replace(first, generation=new_id()), *TEXTS)
    assert await rig.texts(BEN, "warranty") == []


async def test_a_copy_with_older_metadata_does_not_open_a_document_again(rig: Rig) -> None:
    source = document(ANNA)
    await rig.index(source, *TEXTS)
    target = document(ANNA, is_public=True)
    await update(rig, private(target))
    await rig.copying.copy(source.document_id, target.document_id, target.generation, target.metadata)
    assert await rig.texts(BEN, "warranty") == []
    assert await engines_find(rig, AccessScope(BEN.user_id)) == (0, 0)


async def test_changed_tags_and_title_hold_in_filters_and_words(rig: Rig) -> None:
    first = document()
    await rig.index(first, *TEXTS)
    attributes = replace(first.metadata.attributes, tags=("2026",))
    await update(rig, changed(first, title="Zebra", attributes=attributes))
    assert len(await rig.texts(ANNA, "warranty", tags=("2026",))) == 2
    assert await rig.texts(ANNA, "warranty", tags=("2025",)) == []
    assert len(await rig.keywords.search("zebra", AccessScope(ANNA.user_id), SearchFilters(), 10)) == 3


async def test_a_removed_document_is_not_revived_by_what_comes_late(rig: Rig) -> None:
    first, source = document(), document()
    await rig.index(source, *TEXTS)
    await rig.index(first, *TEXTS)
    await rig.generations.delete(first.document_id)
    for late in (
        rig.index(first, *TEXTS),
        update(rig, changed(first)),
        rig.copying.copy(source.document_id, first.document_id, new_id(), first.metadata),
    ):
        with pytest.raises(NotFound) as refused:
            await late
        assert refused.value.reason == "unknown_document"
    assert await rig.catalogue.totals() == (1, 3, 3)
    assert await engines_find(rig, AccessScope(ANNA.user_id)) == (3, 2)


@pytest.mark.parametrize("caller_stays", [True, False])
async def test_a_document_that_is_removed_while_it_is_indexed_leaves_nothing(rig: Rig, caller_stays: bool) -> None:
    first = document()
    removed = asyncio.Event()

    async def come() -> AsyncIterator[Batch]:
        number = 0
        async for batch in batches(TEXTS):
            number += 1
            if number == 2:
                await rig.generations.delete(first.document_id)
            if number == 3:
                removed.set()
                if not caller_stays:
                    await asyncio.Event().wait()
            yield batch

    running = asyncio.create_task(rig.indexing.index(replace(first, parents=3, children=3), come()))
    await removed.wait()
    if not caller_stays:
        running.cancel()
    with pytest.raises(NotFound if caller_stays else asyncio.CancelledError):
        await running
    assert await engines_find(rig, AccessScope(ANNA.user_id)) == (0, 0)
    assert await rig.vectors.count(first.document_id, first.generation) == 0
    assert await rig.keywords.count(first.document_id, first.generation) == 0
    assert await rig.catalogue.metadata(first.document_id) is None


async def test_what_a_dead_process_wrote_after_a_removal_is_cleared_at_the_next_start(rig: Rig) -> None:
    first, kept = document(), document()
    await rig.index(kept, *TEXTS)
    await rig.generations.delete(first.document_id)
    running = rig.generations
    run = replace(first, parents=3, children=3)
    parents = (await rig.catalogue.parents_behind(kept.document_id, kept.generation, -1, 10))[:1]
    await running.write_parents(run, [replace(parents[0], parent_id=new_id(), document_id=first.document_id)])
    await running.clear_removed()
    assert await rig.keywords.count(first.document_id, first.generation) == 0
    assert len(await rig.texts(ANNA, "warranty")) == 2


async def test_a_search_that_a_new_generation_overtakes_still_finds_the_document(rig: Rig) -> None:
    first = document()
    await rig.index(first, *TEXTS)
    parents, overtaken = rig.catalogue.parents, 0

    async def overtake(ids: Sequence[str], scope: AccessScope) -> object:
        nonlocal overtaken
        overtaken += 1
        if overtaken == 1:
            await rig.index(replace(first, generation=new_id()), *TEXTS)
        return await parents(ids, scope)

    rig.catalogue.parents = overtake  # type: ignore[method-assign, assignment]
    assert len(await rig.texts(ANNA, "warranty")) == 2
    assert overtaken == 2


async def test_a_generation_that_is_being_written_makes_no_search_begin_anew(rig: Rig) -> None:
    first = document()
    await rig.index(first, *TEXTS)
    searched = 0
    vector_search = rig.vectors.search

    async def counted(*arguments: object) -> object:
        nonlocal searched
        searched += 1
        return await vector_search(*arguments)  # type: ignore[arg-type]

    async def come() -> AsyncIterator[Batch]:
        async for batch in batches(TEXTS):
            yield batch
        await rig.keywords.refresh()
        await rig.vectors.refresh()
        rig.vectors.search = counted  # type: ignore[method-assign, assignment]
        found = await rig.searching.search(ANNA, Query("warranty"))
        assert len(found.evidence) == 2 and found.dropped["inactive_generation"] > 0
        assert searched == 1

    await rig.indexing.index(replace(first, generation=new_id(), parents=3, children=3), come())
