"""The embedding model is switched while documents come and go, on a real catalogue and both embedded engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from dataclasses import astuple, replace

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
    document,
)
from superagent_common.errors import Conflict, InvalidInput, Unavailable
from superagent_retrieval.application.indexing import Batch, NewChild, NewParent
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.catalogue import IndexedDocument


async def test_everything_is_found_as_before_by_the_new_model(rig: Rig, kept: IndexedDocument) -> None:
    private = document(BEN)
    await rig.index(private, "warranty of ben")
    before = {question: await best(rig, ANNA, question) for question in ("warranty years", "how long takes a restore")}
    await rig.rebuilding.rebuild(LONGER.model)
    await rig.switched()
    assert rig.spaces.answering.name == LONGER
    assert {question: await best(rig, ANNA, question) for question in before} == before
    assert (await rig.searching.search(BEN, Query("warranty"))).mode == "hybrid"
    assert await best(rig, BEN, "of ben") == "warranty of ben"
    longer = rig.embedders.by_model[LONGER.model]
    assert sorted(longer.passages) == sorted([*TEXTS, "warranty of ben"])
    # What answered before is gone, and the next document needs the new model alone.
    words = rig.embedders.by_model[WORDS.model].embedded
    await rig.index(document(), "guarantee of the next")
    assert await best(rig, ANNA, "guarantee of the next") == "guarantee of the next"
    assert (longer.embedded, rig.embedders.by_model[WORDS.model].embedded) == (5, words)


async def test_what_stood_in_front_of_a_child_is_embedded_again(rig: Rig) -> None:
    header = "| item | price |\n"
    body = "| bolt | 3 |\n| nut | 2 |\n"
    table = replace(document(), parents=1, children=2)

    async def rows() -> AsyncIterator[Batch]:
        parent = NewParent(0, header + body, ("Prices",), None, None, 100, 100 + len(body))
        first = NewChild(0, 0, header + "| bolt | 3 |\n", 100, 113)
        yield Batch([parent], [first, NewChild(1, 0, header + "| nut | 2 |\n", 113, 100 + len(body))])

    await rig.indexing.index(table, rows())
    await rig.rebuilding.rebuild(LONGER.model)
    await rig.switched()
    assert sorted(rig.embedders.by_model[LONGER.model].passages) == sorted(rig.embedder.passages)


async def test_searches_are_answered_as_ever_while_the_new_index_is_made(rig: Rig, kept: IndexedDocument) -> None:
    held = await begun(rig)
    late = document()
    await rig.index(late, "guarantee of the late one")
    for question, text in (("warranty", TEXTS[0]), ("guarantee of the late one", "guarantee of the late one")):
        found = await rig.searching.search(ANNA, Query(question))
        assert (found.mode, found.evidence[0].window.text) == ("hybrid", text)
    progress = await rig.rebuilding.progress()
    assert progress is not None and (progress.documents_done, progress.documents_total) == (0, 2)
    await let_go(rig, held)
    assert await best(rig, ANNA, "guarantee of the late one") == "guarantee of the late one"
    assert sorted(await new_index_finds(rig, AccessScope(ANNA.user_id))) == [kept.generation] * 3 + [late.generation]


async def test_a_document_that_cannot_be_embedded_keeps_no_other_back_and_is_not_lost(
    rig: Rig, kept: IndexedDocument
) -> None:
    last = await index_last(rig)
    await rig.rebuilding.rebuild(LONGER.model)
    await waits_for(rig, last)
    progress = await rig.rebuilding.progress()
    assert progress is not None and progress.trouble is not None
    assert (progress.documents_done, progress.documents_total) == (1, 2)
    assert progress.trouble.reason == "embedder_failed" and progress.trouble.retry_at > progress.run.started_at
    late = document()
    await rig.index(late, "guarantee of the late one")

    async def late_is_held() -> bool:
        progress = await rig.rebuilding.progress()
        return progress is not None and progress.documents_done == 2

    await until(late_is_held)
    assert rig.spaces.answering.name == WORDS
    assert await best(rig, ANNA, "poison") == "poison for the new model"
    await rig.generations.delete(last.document_id)
    await rig.switched()
    assert rig.spaces.answering.name == LONGER


async def test_an_embedder_that_is_down_is_waited_for(rig: Rig, kept: IndexedDocument) -> None:
    longer = rig.embedders.by_model[LONGER.model]
    longer.failing = Unavailable("embedder_down")
    await rig.rebuilding.rebuild(LONGER.model)
    await until(lambda: in_trouble(rig))
    progress = await rig.rebuilding.progress()
    assert progress and progress.trouble
    assert (progress.trouble.reason, progress.documents_done) == ("embedder_down", 0)
    assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "hybrid"
    longer.failing = None
    await rig.switched()
    assert await best(rig, ANNA, "warranty") == TEXTS[0]


async def test_a_search_keeps_the_model_that_it_began_with(rig: Rig, kept: IndexedDocument) -> None:
    rig.embedder.held = held = Held()
    searching = asyncio.create_task(rig.searching.search(ANNA, Query("warranty")))
    await asyncio.wait_for(held.reached.wait(), 120)
    run, _ = await rig.rebuilding.rebuild(LONGER.model)
    await until(lambda: answers(rig, run))
    assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "hybrid"
    # Somebody still searches in it.
    assert (await rig.index_catalogue.states()).retired == (WORDS,)
    held.released.set()
    found = await searching
    assert (found.mode, found.evidence[0].window.text) == ("hybrid", TEXTS[0])
    await rig.switched()


async def test_what_was_asked_for_is_not_begun_twice(rig: Rig, kept: IndexedDocument) -> None:
    held = await begun(rig)
    run, done = await rig.rebuilding.rebuild(LONGER.model)
    assert ((await rig.index_catalogue.states()).building, done) == (run, False)
    await let_go(rig, held)
    assert await rig.rebuilding.rebuild(LONGER.model) == (run, True)
    assert await rig.rebuilding.progress() is None
    again, done = await rig.rebuilding.rebuild("")
    assert not done and again.index == WORDS
    await rig.switched()
    assert await best(rig, ANNA, "warranty") == TEXTS[0]


async def test_a_run_has_no_part_in_the_call_that_began_it(rig: Rig, kept: IndexedDocument) -> None:
    caller: ContextVar[str] = ContextVar("caller", default="nobody")
    longer, seen = rig.embedders.by_model[LONGER.model], []
    embed = longer.embed_passages

    async def watched(texts: Sequence[str]) -> list[list[float]]:
        seen.append(caller.get())
        return await embed(texts)

    longer.embed_passages = watched  # type: ignore[method-assign]
    caller.set("administrator")
    await rig.rebuilding.rebuild(LONGER.model)
    await rig.switched()
    assert seen == ["nobody"]


async def test_one_run_at_a_time_and_only_to_models_that_are_configured(rig: Rig, kept: IndexedDocument) -> None:
    with pytest.raises(InvalidInput) as unknown:
        await rig.rebuilding.rebuild("unheard-of")
    assert unknown.value.reason == "unknown_embedding_model"
    held = await begun(rig)
    rig.embedders.add(replace(LONGER, model="third"))
    with pytest.raises(Conflict) as refused:
        await rig.rebuilding.rebuild("third")
    assert refused.value.reason == "rebuild_running"
    await let_go(rig, held)


async def test_to_ask_for_the_answering_model_ends_the_run_to_another(rig: Rig, kept: IndexedDocument) -> None:
    await begun(rig)
    run, done = await rig.rebuilding.rebuild(WORDS.model)
    assert (run.index, done) == (WORDS, True)
    await rig.switched()
    assert (rig.spaces.answering.name, rig.spaces.building) == (WORDS, None)
    assert await best(rig, ANNA, "warranty") == TEXTS[0]
    assert await (await rig.indexes.open(*astuple(LONGER))).count(kept.document_id, kept.generation) == 0
