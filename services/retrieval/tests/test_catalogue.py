"""What every Catalogue does; the fake that other tests use is held to it, too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.retrieval.tests.catalogues import CATALOGUES, answer, opened_catalogues, parents_of
from services.retrieval.tests.retrieval_rig import ANNA, BEN, LONGER, WORDS, changed, document
from superagent_common.errors import NotFound
from superagent_common.ids import new_id
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.ports import Catalogue

OWNER, OTHER = AccessScope(ANNA.user_id), AccessScope(BEN.user_id)


@pytest.fixture(params=CATALOGUES)
async def catalogue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Catalogue]:
    async with opened_catalogues(request.param, tmp_path) as (opened, _):
        yield opened


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
    assert not await catalogue.activate(known, WORDS)
    assert await catalogue.answering(known.document_id) is None
    assert await catalogue.activate(newer, WORDS)
    assert await catalogue.answering(known.document_id) == newer


async def test_nothing_is_activated_whose_vectors_are_in_an_index_that_does_not_answer(catalogue: Catalogue) -> None:
    known = document()
    await catalogue.learn(known.document_id, known.metadata)
    assert not await catalogue.activate(known, LONGER)
    assert await catalogue.answering(known.document_id) is None


async def test_texts_are_read_whether_their_generation_answers_or_not(catalogue: Catalogue) -> None:
    known = document()
    first, second, _ = parents_of(known)
    await catalogue.write_parents([first, second], known.generation)
    wanted = [first.parent_id, second.parent_id, "unknown"]
    assert await catalogue.texts(wanted) == {first.parent_id: "text 0", second.parent_id: "text 1"}


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
        await catalogue.activate(known, WORDS)
    assert await catalogue.totals() == (1, 3, 5)
