"""What every IndexCatalogue does; the fake that other tests use is held to it, too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.retrieval.tests.catalogues import CATALOGUES, answer, opened_catalogues
from services.retrieval.tests.retrieval_rig import LONGER, WORDS, document
from superagent_common.ids import new_id
from superagent_retrieval.domain.embeddings import IndexName, IndexRun
from superagent_retrieval.ports import Catalogue, IndexCatalogue

OTHER = IndexName("other", 3)
RUN = IndexRun("run", LONGER, 7)


@pytest.fixture(params=CATALOGUES)
async def catalogues(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Catalogue, IndexCatalogue]]:
    async with opened_catalogues(request.param, tmp_path) as both:
        yield both


@pytest.fixture
def documents(catalogues: tuple[Catalogue, IndexCatalogue]) -> Catalogue:
    return catalogues[0]


@pytest.fixture
def indexes(catalogues: tuple[Catalogue, IndexCatalogue]) -> IndexCatalogue:
    return catalogues[1]


async def test_the_model_of_an_empty_catalogue_is_the_one_that_the_settings_want(indexes: IndexCatalogue) -> None:
    before = await indexes.states()
    assert (before.answering.index, before.building, before.retired) == (WORDS, None, ())
    assert await indexes.claim(WORDS) == before
    after = await indexes.claim(LONGER)
    assert (after.answering.index, after.retired) == (LONGER, (WORDS,))
    assert after.answering.run_id != before.answering.run_id
    # What is not gone yet is not taken into use again.
    assert await indexes.claim(WORDS) == after


async def test_documents_keep_the_model_that_they_were_embedded_with(
    documents: Catalogue, indexes: IndexCatalogue
) -> None:
    await documents.learn(document().document_id, document().metadata)
    await answer(documents, document())
    before = await indexes.states()
    assert await indexes.claim(LONGER) == before


async def test_a_run_is_remembered_until_it_is_finished(documents: Catalogue, indexes: IndexCatalogue) -> None:
    known = document()
    await answer(documents, known)
    await indexes.start(RUN)
    states = await indexes.states()
    assert (states.building, states.answering.index) == (RUN, WORDS)
    assert await indexes.claim(OTHER) == states
    assert await indexes.progress(RUN.run_id) == (0, 1)
    assert not await indexes.finish(RUN.run_id)
    assert await indexes.states() == states
    await indexes.mark(RUN.run_id, known.document_id, known.generation)
    assert await indexes.progress(RUN.run_id) == (1, 1)
    assert await indexes.finish(RUN.run_id)
    states = await indexes.states()
    assert (states.answering, states.building, states.retired) == (RUN, None, (WORDS,))
    await indexes.forget(WORDS)
    assert (await indexes.states()).retired == ()


async def test_a_run_is_finished_only_when_it_holds_what_answers_now(
    documents: Catalogue, indexes: IndexCatalogue
) -> None:
    first, second = document(), document()
    for known in (first, second):
        await answer(documents, known)
    await indexes.start(RUN)
    for known in (first, second):
        await indexes.mark(RUN.run_id, known.document_id, known.generation)
    replaced = replace(first, generation=new_id())
    await answer(documents, replaced)
    late = document()
    await answer(documents, late)
    await documents.learn(document().document_id, document().metadata)
    assert await indexes.progress(RUN.run_id) == (1, 3)
    # The generation before does not answer any more.
    await indexes.mark(RUN.run_id, first.document_id, first.generation)
    await indexes.mark(RUN.run_id, "unknown", first.generation)
    behind = sorted([first.document_id, late.document_id])
    assert await indexes.behind(RUN.run_id, "", 10) == behind
    assert await indexes.behind(RUN.run_id, "", 1) == behind[:1]
    assert await indexes.behind(RUN.run_id, behind[0], 10) == behind[1:]
    assert not await indexes.finish(RUN.run_id)
    await indexes.mark(RUN.run_id, first.document_id, replaced.generation)
    assert not await indexes.finish(RUN.run_id)
    await documents.remove(late.document_id)
    assert await indexes.finish(RUN.run_id)


async def test_an_abandoned_run_leaves_what_answered(documents: Catalogue, indexes: IndexCatalogue) -> None:
    known = document()
    await answer(documents, known)
    await indexes.start(RUN)
    await indexes.mark(RUN.run_id, known.document_id, known.generation)
    await indexes.abandon(RUN.run_id)
    states = await indexes.states()
    assert (states.answering.index, states.building, states.retired) == (WORDS, None, (LONGER,))
    await indexes.forget(LONGER)
    # What an earlier run held says nothing of the next one.
    await indexes.start(IndexRun("next run", LONGER, 8))
    assert await indexes.behind("next run", "", 10) == [known.document_id]
