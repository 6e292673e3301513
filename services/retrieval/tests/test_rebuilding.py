"""The embedding model is switched while documents come and go, on a real catalogue and both embedded engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import astuple, replace
from pathlib import Path

import pytest

from services.retrieval.tests.retrieval_rig import (
    ANNA,
    BEN,
    LONGER,
    WORDS,
    Held,
    Rig,
    WordEmbedders,
    batches,
    changed,
    document,
)
from superagent_common.errors import Conflict, InvalidInput, Unavailable
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_retrieval.application.indexing import Batch, NewChild, NewParent
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.embeddings import IndexRun
from superagent_retrieval.domain.records import ChildVector, SearchFilters
from tests.support.databases import new_database

TEXTS = ("warranty lasts two years", "delivery takes a week", "restore takes four hours")


@pytest.fixture
async def kept(rig: Rig) -> IndexedDocument:
    """A public document of ANNA's."""
    made = document(is_public=True)
    await rig.index(made, *TEXTS)
    return made


async def best(rig: Rig, who: Principal, question: str) -> str:
    """The first that is found; words may be near each other by chance."""
    return (await rig.texts(who, question))[0]


async def begun(rig: Rig) -> Held:
    """Begins a switch, which waits where the first passages would be embedded."""
    rig.embedders.by_model[LONGER.model].held = held = Held()
    _, done = await rig.rebuilding.rebuild(LONGER.model)
    assert not done
    async with asyncio.timeout(30):
        await held.reached.wait()
    return held


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Returns when it holds; fails after some seconds."""
    async with asyncio.timeout(30):
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
    await asyncio.wait_for(held.reached.wait(), 30)
    run, _ = await rig.rebuilding.rebuild(LONGER.model)
    await until(lambda: answers(rig, run))
    assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "hybrid"
    # Somebody still searches in it.
    assert (await rig.index_catalogue.states()).retired == (WORDS,)
    held.released.set()
    found = await searching
    assert (found.mode, found.evidence[0].window.text) == ("hybrid", TEXTS[0])
    await rig.switched()


async def test_an_index_run_that_began_before_the_switch_answers_behind_it(rig: Rig, kept: IndexedDocument) -> None:
    late = replace(document(), parents=2, children=2)
    half, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[Batch]:
        async for batch in batches(("guarantee of one", "guarantee of two")):
            yield batch
            half.set()
            await go_on.wait()

    indexing = asyncio.create_task(rig.indexing.index(late, slowly()))
    await asyncio.wait_for(half.wait(), 30)
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
