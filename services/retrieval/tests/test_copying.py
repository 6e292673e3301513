"""Copies of a document's chunks to another document: nothing is embedded, and nothing of the source's access comes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.retrieval.tests.retrieval_rig import ANNA, BEN, Rig, changed, document
from superagent_common.errors import InvalidInput, NotFound, Unavailable
from superagent_common.ids import new_id
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.records import StoredVector

TEXTS = tuple(f"warranty of machine{number} lasts {number} years" for number in range(70))


async def copy(rig: Rig, source: IndexedDocument, target: IndexedDocument) -> IndexedDocument:
    return await rig.copying.copy(source.document_id, target.document_id, target.generation, target.metadata)


@pytest.fixture
async def source(rig: Rig) -> IndexedDocument:
    made = document(ANNA)
    await rig.index(made, *TEXTS)
    rig.embedder.embedded = 0
    return made


async def test_a_copy_answers_its_own_reader_and_embeds_nothing(rig: Rig, source: IndexedDocument) -> None:
    target = changed(document(BEN, "sales"), title="Ben's")
    made = await copy(rig, source, target)
    assert (made.parents, made.children, rig.embedder.embedded) == (70, 70, 0)
    found = await rig.searching.search(BEN, Query("warranty of machine7"))
    assert found.mode == "hybrid"
    assert {each.passage.document_id for each in found.evidence} == {target.document_id}
    assert found.evidence[0].passage.title == "Ben's"
    assert found.evidence[0].window.text == TEXTS[7]
    assert [
        found.evidence[0].passage.text[child.start : child.end] for child in found.evidence[0].passage.children
    ] == [TEXTS[7]]
    assert [entry.heading for entry in await rig.searching.outline(BEN, target.document_id)] == ["Section"]
    assert await rig.texts(ANNA, "warranty of machine7", document_ids=(target.document_id,)) == []


async def test_a_copy_scores_as_its_source_does(rig: Rig, source: IndexedDocument) -> None:
    await copy(rig, source, document(BEN))
    question = Query("warranty of machine7")
    theirs = await rig.searching.search(ANNA, question)
    own = await rig.searching.search(BEN, question)
    assert [each.passage.vector for each in own.evidence] == pytest.approx(
        [each.passage.vector for each in theirs.evidence], abs=1e-4
    )


async def test_the_same_copy_again_doubles_nothing(rig: Rig, source: IndexedDocument) -> None:
    target = document(BEN)
    await copy(rig, source, target)
    await copy(rig, source, target)
    assert await rig.catalogue.totals() == (2, 140, 140)
    assert await rig.vectors.count(target.document_id, target.generation) == 70
    assert await rig.keywords.count(target.document_id, target.generation) == 70


async def test_deleting_the_source_does_not_harm_the_copy(rig: Rig, source: IndexedDocument) -> None:
    await copy(rig, source, document(BEN))
    await rig.generations.delete(source.document_id)
    assert (await rig.texts(BEN, "warranty of machine7"))[0] == TEXTS[7]
    assert await rig.texts(ANNA, "warranty of machine7") == []


async def test_what_does_not_answer_cannot_be_copied(rig: Rig, source: IndexedDocument) -> None:
    with pytest.raises(NotFound) as refused:
        await copy(rig, document(), document(BEN))
    assert refused.value.reason == "unknown_document"
    with pytest.raises(InvalidInput):
        await copy(rig, source, source)


async def test_a_source_that_is_replaced_meanwhile_leaves_no_half_copy(rig: Rig, source: IndexedDocument) -> None:
    target = document(BEN)
    read = rig.vectors.children
    pages = 0

    async def replaced(document_id: str, generation: str, after: str | None, limit: int) -> list[StoredVector]:
        nonlocal pages
        pages += 1
        if pages == 2:
            await rig.index(replace(source, generation=new_id()), "warranty lasts for ever")
        return await read(document_id, generation, after, 20)

    rig.vectors.children = replaced  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await copy(rig, source, target)
    assert await rig.texts(BEN, "warranty") == []
    assert await rig.vectors.count(target.document_id, target.generation) == 0
    assert await rig.keywords.count(target.document_id, target.generation) == 0
    # The next try finds the new generation, which has other chunks.
    await copy(rig, source, target)
    assert await rig.texts(BEN, "warranty") == ["warranty lasts for ever"]
