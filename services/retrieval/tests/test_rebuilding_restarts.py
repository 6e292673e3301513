"""A switch of the embedding model that outlives its process."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.retrieval.tests.rebuilding_steps import TEXTS, answers, best, index_last, new_index_finds, waits_for
from services.retrieval.tests.retrieval_rig import (
    ANNA,
    LONGER,
    WORDS,
    Rig,
    WordEmbedders,
    document,
)
from superagent_common.errors import Unavailable
from superagent_common.ids import new_id
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.records import ChildVector
from tests.support.databases import new_database


async def test_a_new_process_goes_on_where_the_one_before_was(tmp_path: Path) -> None:
    url = await new_database("superagent_retrieval", tmp_path)
    embedders = WordEmbedders()
    longer = embedders.by_model[LONGER.model]
    async with Rig.opened(url, tmp_path, embedders) as rig:
        made = document()
        await rig.index(made, *TEXTS)
        last = await index_last(rig)
        run, _ = await rig.rebuilding.rebuild(LONGER.model)
        await waits_for(rig, last)
    longer.poison = ""
    async with Rig.opened(url, tmp_path, embedders) as rig:
        assert await rig.rebuilding.rebuild(LONGER.model) in ((run, False), (run, True))
        await rig.switched()
        assert await answers(rig, run)
        assert await best(rig, ANNA, "warranty years") == TEXTS[0]
    assert (longer.embedded, longer.passages.count(TEXTS[0])) == (4, 1)
    async with Rig.opened(url, tmp_path, embedders) as rig:
        assert rig.spaces.answering.name == LONGER and await rig.rebuilding.progress() is None
        assert await best(rig, ANNA, "warranty years") == TEXTS[0]


async def test_what_a_process_that_died_carried_of_an_earlier_generation_is_removed(
    rig: Rig, kept: IndexedDocument
) -> None:
    last = await index_last(rig)
    await rig.rebuilding.rebuild(LONGER.model)
    await waits_for(rig, last)
    assert rig.spaces.building is not None
    index = rig.spaces.building.index
    vector = [1.0] * LONGER.dimension
    await index.upsert(
        [ChildVector(new_id(), new_id(), last.document_id, "earlier", last.metadata.attributes, 0, 1, vector)]
    )
    rig.embedders.by_model[LONGER.model].poison = ""
    await rig.switched()
    assert (await index.count(last.document_id, "earlier"), await index.count(last.document_id, last.generation)) == (
        0,
        1,
    )


async def test_what_was_deleted_when_the_process_died_is_not_in_the_new_index(tmp_path: Path) -> None:
    url = await new_database("superagent_retrieval", tmp_path)
    embedders = WordEmbedders()
    async with Rig.opened(url, tmp_path, embedders) as rig:
        made = document()
        await rig.index(made, *TEXTS)
        last = await index_last(rig)
        await rig.rebuilding.rebuild(LONGER.model)
        await waits_for(rig, last)
        # The process ends before the indexes follow.
        await rig.catalogue.remove(made.document_id)
    async with Rig.opened(url, tmp_path, embedders) as rig:
        assert await new_index_finds(rig, AccessScope(ANNA.user_id)) == []


async def test_another_model_in_the_settings_changes_nothing_until_it_is_asked_for(tmp_path: Path) -> None:
    url = await new_database("superagent_retrieval", tmp_path)
    async with Rig.opened(url, tmp_path) as rig:
        await rig.index(document(), *TEXTS)
    async with Rig.opened(url, tmp_path, WordEmbedders(LONGER.model)) as rig:
        shown = await rig.status.shown()
        assert (shown.answering, shown.wanted, shown.rebuild_due, shown.degraded) == (WORDS, LONGER, True, "")
        assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "hybrid"
        await rig.rebuilding.rebuild("")
        await rig.switched()
        shown = await rig.status.shown()
        assert (shown.answering, shown.rebuild_due, shown.rebuild) == (LONGER, False, None)


async def test_without_the_model_of_before_words_are_searched_until_the_index_is_rebuilt(tmp_path: Path) -> None:
    url = await new_database("superagent_retrieval", tmp_path)
    async with Rig.opened(url, tmp_path) as rig:
        await rig.index(document(), *TEXTS)
    async with Rig.opened(url, tmp_path, WordEmbedders(LONGER.model, [LONGER])) as rig:
        shown = await rig.status.shown()
        assert (shown.answering, shown.embedder_ready, shown.degraded) == (WORDS, False, "embedder_not_configured")
        for _ in range(6):
            found = await rig.searching.search(ANNA, Query("warranty"))
            assert (found.mode, found.evidence[0].window.text) == ("text_only", TEXTS[0])
        with pytest.raises(Unavailable) as refused:
            await rig.index(document(), "warranty of the next")
        assert refused.value.reason == "embedder_not_configured"
        await rig.rebuilding.rebuild(LONGER.model)
        await rig.switched()
        # Also the vectors of the channel whose breaker was open.
        assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "hybrid"
        assert (await rig.status.shown()).degraded == ""
