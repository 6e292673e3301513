"""What every Catalogue does; the fake that other tests use is held to it, too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer

from services.retrieval.tests.memory_catalogue import MemoryCatalogue
from services.retrieval.tests.retrieval_rig import ANNA, BEN, changed, document
from superagent_common.db import Database
from superagent_common.errors import NotFound
from superagent_common.ids import new_id
from superagent_retrieval.adapters.sql_catalogue import SqlCatalogue
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.ports import Catalogue
from tests.support.databases import new_database

OWNER, OTHER = AccessScope(ANNA.user_id), AccessScope(BEN.user_id)


@pytest.fixture(params=["memory", "sql"])
async def catalogue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Catalogue]:
    if request.param == "memory":
        yield MemoryCatalogue()
        return
    async with Database.opened(await new_database("superagent_retrieval", tmp_path), tracer=NoOpTracer()) as database:
        yield SqlCatalogue(database)


def parents_of(known: IndexedDocument, count: int = 3) -> list[Parent]:
    return [
        Parent(
            f"{known.generation[:30]}/{position}",
            known.document_id,
            known.metadata.title,
            known.metadata.attributes.domain,
            ("Section",),
            position,
            f"text {position}",
            position * 10,
            position * 10 + 6,
        )
        for position in range(count)
    ]


async def answer(catalogue: Catalogue, known: IndexedDocument) -> list[str]:
    """Makes the document answer; gives the ids of its parents."""
    await catalogue.learn(known.document_id, known.metadata)
    parents = parents_of(known)
    await catalogue.write_parents(parents, known.generation)
    assert await catalogue.activate(replace(known, parents=3, children=5))
    return [parent.parent_id for parent in parents]


async def test_what_is_known_without_a_generation_answers_nobody(catalogue: Catalogue) -> None:
    known = document(is_public=True)
    assert await catalogue.metadata(known.document_id) is None
    assert await catalogue.learn(known.document_id, known.metadata) == known.metadata
    assert await catalogue.metadata(known.document_id) == known.metadata
    assert await catalogue.answering(known.document_id) is None
    assert await catalogue.readable(known.document_id, OWNER) is None
    assert await catalogue.outline(known.document_id, OWNER) is None
    assert await catalogue.generations([known.document_id]) == {}
    assert await catalogue.domains(OWNER) == []
    assert await catalogue.totals() == (0, 0, 0)


async def test_the_newest_revision_is_known(catalogue: Catalogue) -> None:
    first = document()
    second, third = changed(first, title="Second"), changed(changed(first), title="Third")
    for said, newest in ((first, first), (third, third), (second, third), (first, third), (third, third)):
        assert await catalogue.learn(first.document_id, said.metadata) == newest.metadata
        assert await catalogue.metadata(first.document_id) == newest.metadata


async def test_only_the_newest_revision_is_activated(catalogue: Catalogue) -> None:
    known = document()
    await catalogue.learn(known.document_id, known.metadata)
    newer = changed(known, title="New")
    await catalogue.learn(known.document_id, newer.metadata)
    assert not await catalogue.activate(known)
    assert await catalogue.answering(known.document_id) is None
    assert await catalogue.activate(newer)
    assert await catalogue.answering(known.document_id) == newer


async def test_parents_come_with_title_and_for_readers_only(catalogue: Catalogue) -> None:
    known = document()
    ids = await answer(catalogue, known)
    assert list(await catalogue.parents([*ids, "unknown"], OWNER)) == ids
    assert await catalogue.parents(ids, OTHER) == {} == await catalogue.parents([], OWNER)
    attributes = replace(known.metadata.attributes, domain="law")
    opened = replace(attributes, access=replace(attributes.access, is_public=True))
    await catalogue.learn(known.document_id, changed(known, title="Open", attributes=opened).metadata)
    assert {(each.title, each.domain) for each in (await catalogue.parents(ids, OTHER)).values()} == {("Open", "law")}
    assert await catalogue.totals() == (1, 3, 5)


async def test_a_new_generation_takes_over_whole(catalogue: Catalogue) -> None:
    first = document()
    before = await answer(catalogue, first)
    second = replace(first, generation=new_id())
    await catalogue.write_parents(parents_of(second), second.generation)
    assert list(await catalogue.parents([each.parent_id for each in parents_of(second)], OWNER)) == []
    assert await catalogue.parents_behind(first.document_id, second.generation, -1, 10) == []
    after = await answer(catalogue, second)
    assert await catalogue.parents(before, OWNER) == {}
    assert list(await catalogue.parents(after, OWNER)) == after
    assert await catalogue.generations([first.document_id, "unknown"]) == {first.document_id: second.generation}


async def test_parents_are_read_in_order_page_by_page(catalogue: Catalogue) -> None:
    known = document()
    await answer(catalogue, known)
    read = parents_of(known)
    assert await catalogue.parents_behind(known.document_id, known.generation, -1, 2) == read[:2]
    assert await catalogue.parents_behind(known.document_id, known.generation, 1, 2) == read[2:]
    assert await catalogue.parents_behind(known.document_id, known.generation, 2, 2) == []


async def test_a_discarded_generation_may_be_written_again(catalogue: Catalogue) -> None:
    known = document()
    await catalogue.write_parents(parents_of(known, 5), known.generation)
    assert await catalogue.count(known.document_id, known.generation) == 5
    await catalogue.discard(known.document_id, known.generation)
    await answer(catalogue, known)
    assert await catalogue.count(known.document_id, known.generation) == 3
    assert await catalogue.count(known.document_id, new_id()) == 0


async def test_a_removed_document_is_gone_and_stays_so(catalogue: Catalogue) -> None:
    known, kept = document(), document()
    ids = await answer(catalogue, known)
    await answer(catalogue, kept)
    await catalogue.remove(known.document_id)
    await catalogue.remove(known.document_id)
    assert await catalogue.metadata(known.document_id) is None
    assert await catalogue.parents(ids, OWNER) == {}
    assert await catalogue.removed() == [known.document_id]
    with pytest.raises(NotFound):
        await catalogue.learn(known.document_id, changed(known).metadata)
    with pytest.raises(NotFound):
        await catalogue.activate(known)
    assert await catalogue.totals() == (1, 3, 5)
