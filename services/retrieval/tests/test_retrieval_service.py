"""Index runs and searches on a real catalogue and both embedded engines, with an embedder that can be told to fail."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from services.retrieval.tests.retrieval_rig import ANNA, BEN, Rig, batches, changed, document
from superagent_common.errors import InvalidInput, Unavailable
from superagent_common.ids import new_id
from superagent_retrieval.application.channels import ChannelSettings
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.access import DocumentAccess
from superagent_retrieval.domain.records import SearchFilters


async def test_what_is_indexed_is_found_at_once(rig: Rig) -> None:
    assert await rig.index(document(), "warranty lasts two years", "restore takes four hours") == 2
    found = await rig.searching.search(ANNA, Query("how long is the warranty"))
    best = found.evidence[0]
    assert best.window.text.startswith("warranty lasts two years") and found.mode == "hybrid"
    assert set(best.passage.channels) >= {"keyword"} and best.passage.heading_path == ("Section",)


async def test_the_same_run_again_embeds_nothing_and_doubles_nothing(rig: Rig) -> None:
    kept = document()
    await rig.index(kept, "warranty lasts two years")
    assert await rig.index(kept, "warranty lasts two years") == 0
    assert await rig.catalogue.totals() == (1, 1, 1)
    assert await rig.texts(ANNA, "warranty") == ["warranty lasts two years"]


async def test_a_new_generation_replaces_the_old_one_whole(rig: Rig) -> None:
    first = document()
    await rig.index(first, "warranty lasts two years", "delivery takes a week")
    await rig.index(replace(first, generation=new_id()), "warranty lasts three years")
    assert await rig.texts(ANNA, "warranty delivery") == ["warranty lasts three years"]
    assert await rig.catalogue.totals() == (1, 1, 1)
    assert await rig.vectors.count(first.document_id, first.generation) == 0
    assert await rig.keywords.count(first.document_id, first.generation) == 0


async def test_a_run_that_breaks_off_leaves_the_old_answer(rig: Rig) -> None:
    first = document()
    await rig.index(first, "warranty lasts two years")
    rig.embedder.failing = Unavailable("embedder_down")
    with pytest.raises(Unavailable):
        await rig.index(replace(first, generation=new_id()), "warranty lasts three years")
    rig.embedder.failing = None
    assert await rig.texts(ANNA, "warranty") == ["warranty lasts two years"]


async def test_a_run_that_is_not_whole_is_refused(rig: Rig) -> None:
    wanted = replace(document(), parents=2, children=2)
    with pytest.raises(InvalidInput) as refused:
        await rig.indexing.index(wanted, batches(["only one"]))
    assert refused.value.reason == "incomplete_index_run"
    assert await rig.texts(ANNA, "only one") == []


async def test_a_deleted_document_answers_no_more_and_its_content_may_come_again(rig: Rig) -> None:
    kept = document()
    await rig.index(kept, "warranty lasts two years")
    await rig.generations.delete(kept.document_id)
    await rig.generations.delete(kept.document_id)
    assert await rig.texts(ANNA, "warranty") == [] and await rig.catalogue.totals() == (0, 0, 0)
    await rig.index(document(), "warranty lasts two years")
    assert await rig.texts(ANNA, "warranty") == ["warranty lasts two years"]


async def test_changed_access_reaches_both_engines_and_the_catalogue(rig: Rig) -> None:
    kept = document()
    await rig.index(kept, "warranty lasts two years")
    assert await rig.texts(BEN, "warranty") == []
    shared = replace(kept.metadata.attributes, access=DocumentAccess(ANNA.user_id, None, True), domain="sales")
    await rig.generations.update(kept.document_id, changed(kept, title="New title", attributes=shared).metadata)
    found = await rig.searching.search(BEN, Query("warranty"))
    assert [each.passage.title for each in found.evidence] == ["New title"]
    assert [domain.code for domain in await rig.searching.domains(BEN)] == ["sales"]


async def test_one_channel_down_leaves_the_other(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")
    rig.embedder.failing = Unavailable("embedder_down")
    found = await rig.searching.search(ANNA, Query("warranty"))
    assert (found.mode, len(found.evidence)) == ("text_only", 1)


async def test_nothing_found_says_whether_a_channel_was_missing(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")
    assert (await rig.searching.search(BEN, Query("warranty"))).mode == "none"

    async def broken(*_: object) -> list[object]:
        raise OSError("disk")

    rig.embedder.failing = Unavailable("embedder_down")
    found = await rig.searching.search(BEN, Query("warranty"))
    assert (found.evidence, found.mode) == ([], "text_only")
    rig.embedder.failing, rig.keywords.search = None, broken  # type: ignore[method-assign, assignment]
    found = await rig.searching.search(BEN, Query("warranty"))
    assert (found.evidence, found.mode) == ([], "vector_only")


async def test_a_slow_channel_is_left_behind(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")
    rig.searching = rig.searching_with(channels=ChannelSettings(vector_seconds=0.05))

    async def slow(text: str) -> list[float]:
        await asyncio.sleep(60)
        return []

    rig.embedder.embed_query = slow  # type: ignore[method-assign]
    assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "text_only"


async def test_both_channels_down_is_unavailable(rig: Rig) -> None:
    rig.embedder.failing = RuntimeError("boom")

    async def broken(*_: object) -> list[object]:
        raise OSError("disk")

    rig.keywords.search = broken  # type: ignore[method-assign, assignment]
    with pytest.raises(Unavailable) as refused:
        await rig.searching.search(ANNA, Query("warranty"))
    assert refused.value.reason == "retrieval_unavailable"


async def test_five_failures_open_the_breaker(rig: Rig) -> None:
    rig.embedder.failing = Unavailable("embedder_down")
    for _ in range(5):
        await rig.searching.search(ANNA, Query("warranty"))
    rig.embedder.failing = None
    await rig.index(document(), "warranty lasts two years")
    assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "text_only"


async def test_unknown_domains_match_nothing_and_are_named(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")
    await rig.index(document(BEN, "secret"), "warranty of ben")
    found = await rig.searching.search(ANNA, Query("warranty", SearchFilters(domains=("secret", "nowhere"))))
    assert (found.evidence, found.unknown_domains, found.mode) == ([], ("secret", "nowhere"), "none")
    found = await rig.searching.search(ANNA, Query("warranty", SearchFilters(domains=("ops", "secret"))))
    assert len(found.evidence) == 1 and found.unknown_domains == ("secret",)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (Query(""), "empty_question"),
        (Query(" \n "), "empty_question"),
        (Query("x" * 8_001), "question_too_long"),
        (Query("x", top_k=51), "invalid_top_k"),
        (Query("x", top_k=-1), "invalid_top_k"),
    ],
)
async def test_bad_queries_are_refused(rig: Rig, query: Query, reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await rig.searching.search(ANNA, query)
    assert refused.value.reason == reason


@pytest.mark.parametrize("question", ["???", "the of and", 'title:"x" AND (', "🙂", "\x00", "a\ud800b", "*"])
async def test_odd_questions_have_a_defined_answer(rig: Rig, question: str) -> None:
    await rig.index(document(), "warranty lasts two years")
    assert isinstance(await rig.texts(ANNA, question), list)
