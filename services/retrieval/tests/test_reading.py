"""Passages of a document as a whole, for those who may read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.retrieval.tests.retrieval_rig import ANNA, BEN, Rig, document
from superagent_common.errors import InvalidInput, NotFound
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_retrieval.application.reading import CHUNK_IDS
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.catalogue import IndexedDocument, child_id, parent_id

TEXTS = ("warranty lasts two years", "restore takes four hours", "lunch is at noon")


def children_of(indexed: IndexedDocument) -> list[str]:
    return [child_id(indexed.document_id, indexed.generation, at, text) for at, text in enumerate(TEXTS)]


def parents_of(indexed: IndexedDocument) -> list[str]:
    return [parent_id(indexed.document_id, indexed.generation, at, text) for at, text in enumerate(TEXTS)]


async def read(rig: Rig, who: Principal, indexed: IndexedDocument, *chunk_ids: str) -> list[tuple[str, list[str]]]:
    """Text and the texts of the children of each passage."""
    found, cited = await rig.reading.passages(who, indexed.document_id, chunk_ids)
    assert (found.document_id, found.metadata.title) == (indexed.document_id, indexed.metadata.title)
    return [
        (each.parent.text, [each.parent.text[child.start : child.end] for child in each.children]) for each in cited
    ]


@pytest.fixture
async def indexed(rig: Rig) -> IndexedDocument:
    made = document()
    await rig.index(made, *TEXTS)
    return made


async def test_children_and_parents_lead_to_whole_passages_in_reading_order(rig: Rig, indexed: IndexedDocument) -> None:
    children, parents = children_of(indexed), parents_of(indexed)
    assert await read(rig, ANNA, indexed, children[2], children[0], children[0]) == [
        (TEXTS[0], [TEXTS[0]]),
        (TEXTS[2], [TEXTS[2]]),
    ]
    assert await read(rig, ANNA, indexed, parents[1], children[1], parents[0]) == [
        (TEXTS[0], []),
        (TEXTS[1], [TEXTS[1]]),
    ]


async def test_what_a_search_cites_can_be_read_where_it_stands(rig: Rig, indexed: IndexedDocument) -> None:
    (evidence, *_) = (await rig.searching.search(ANNA, Query("warranty lasts two years"))).evidence
    chunk_ids = [child.chunk_id for child in evidence.passage.children]
    passages = await read(rig, ANNA, indexed, *chunk_ids)
    assert evidence.passage.text in "".join(text for text, _ in passages)


async def test_ids_that_lead_nowhere_in_this_document_are_left_out(rig: Rig, indexed: IndexedDocument) -> None:
    other = document()
    await rig.index(other, *TEXTS)
    foreign = document(BEN)
    await rig.index(foreign, *TEXTS)
    strange = ("", "x", new_id(), "../..", children_of(indexed)[0].upper(), "é" * 36)
    nowhere = (*children_of(other), *parents_of(other), *children_of(foreign), *parents_of(foreign), *strange)
    assert await read(rig, ANNA, indexed, *nowhere) == []
    assert await read(rig, ANNA, indexed, *nowhere, children_of(indexed)[1]) == [(TEXTS[1], [TEXTS[1]])]


async def test_an_earlier_generation_is_not_read_any_more(rig: Rig, indexed: IndexedDocument) -> None:
    before = children_of(indexed)
    anew = replace(indexed, generation=new_id())
    await rig.index(anew, *TEXTS)
    assert await read(rig, ANNA, indexed, *before) == []
    assert len(await read(rig, ANNA, indexed, *children_of(anew))) == 3


async def test_a_document_that_is_not_readable_is_as_one_that_is_not_there(rig: Rig, indexed: IndexedDocument) -> None:
    tagged = document(org_tag="sales")
    await rig.index(tagged, *TEXTS)
    reasons = set()
    for who, document_id in (
        (BEN, indexed.document_id),
        (BEN, tagged.document_id),
        (Principal("x", "x", ("admin",), ("tech",)), tagged.document_id),
        (ANNA, new_id()),
        (ANNA, "no id"),
    ):
        with pytest.raises(NotFound) as error:
            await rig.reading.passages(who, document_id, children_of(tagged))
        reasons.add((error.value.reason, error.value.message))
    assert len(reasons) == 1
    for tags in (("sales",), ("company",)):
        assert len(await read(rig, Principal("y", "y", ("user",), tags), tagged, *children_of(tagged))) == 3


@pytest.mark.parametrize("count", [0, CHUNK_IDS + 1])
async def test_none_and_too_many_are_refused(rig: Rig, indexed: IndexedDocument, count: int) -> None:
    with pytest.raises(InvalidInput) as error:
        await rig.reading.passages(ANNA, indexed.document_id, ["x"] * count)
    assert error.value.reason == "invalid_chunk_ids"
