"""Questions that are none, and engines that answer slowly, wrongly or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from services.retrieval.tests.retrieval_rig import ANNA, BEN, DIMENSION, Rig, document
from superagent_common.errors import InvalidInput, Unavailable
from superagent_retrieval.application.channels import ChannelSettings
from superagent_retrieval.application.indexing import Batch, NewChild, NewParent
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.records import KeywordHit, SearchFilters, VectorHit

NAN = float("nan")


@pytest.mark.parametrize(
    "question",
    [
        "???",
        "。，！？…",
        "the of and is",
        "的吗呢",
        'title:"x" AND (warranty OR *) ~2^9 [a TO z] \\',
        "{}[]()+-=&|><!^~*?:/",
        "🙂🔋👨‍👩‍👧",
        "\x00",
        "warranty\x00\x07",
        "a\ud800b warranty",
        "\u202ewarranty\u200b",
        "保修 warranty 何年 ２ years ъ́ ขอ",
        "x" * 8_000,
        "质保" * 4_000,
        "第" + "十" * 500 + "章",
        "chapter " + "x" * 400,
        "section " + "1." * 2_000,
        "chapter " + "9" * 7_900,
        "第" + "一" * 7_900 + "章",
        "附录" + "一" * 7_900,
    ],
)
async def test_any_text_is_a_question(rig: Rig, question: str) -> None:
    await rig.index(document(), "warranty lasts two years")
    found = await rig.searching.search(
        ANNA, Query(question, hint_words=(question,), history_hint=question, use_outline=True)
    )
    assert found.mode in ("hybrid", "none")
    assert found.channels_down == {}


async def test_a_heading_of_thousands_of_digits_keeps_nobody_from_searching(rig: Rig) -> None:
    heading = "一" * 5_000 + "、"
    whole = replace(document(is_public=True), parents=1, children=1)
    parent = NewParent(0, "warranty lasts two years", (heading, f"第{heading}章", "9" * 5_000), None, None, 0, 24)
    child = NewChild(0, 0, parent.text, 0, 24)

    async def batches() -> AsyncIterator[Batch]:
        yield Batch([parent], [child])

    await rig.indexing.index(whole, batches())
    assert await rig.texts(BEN, "warranty of chapter 3") == ["warranty lasts two years"]


@pytest.mark.parametrize("question", ["", " \n\t", "\u3000"])
async def test_a_question_without_a_character_is_refused(rig: Rig, question: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await rig.searching.search(ANNA, Query(question))
    assert refused.value.reason == "empty_question"


async def test_without_a_number_of_results_there_are_five(rig: Rig) -> None:
    for number in range(7):
        await rig.index(document(), f"warranty number {number} lasts two years")
    assert len((await rig.searching.search(ANNA, Query("warranty years", budget_chars=-1))).evidence) == 5
    assert len((await rig.searching.search(ANNA, Query("warranty years", top_k=50, budget_chars=-1))).evidence) == 7


async def test_hints_of_any_length_cost_no_more_than_short_ones(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")
    query = Query("warranty", hint_words=("battery " * 50_000,) * 2_000, history_hint="receipt " * 100_000)
    found = await rig.searching.search(ANNA, query)
    assert [each.kind for each in found.variants] == ["question", "hints", "history"]
    assert max(len(each.text) for each in found.variants) < 300
    assert len(found.evidence) == 1


async def test_traditional_and_simplified_characters_find_each_other(rig: Rig) -> None:
    await rig.index(document(), "員工請假應提前三天申請")
    await rig.index(document(), "发票抬头填错时先作废再重开")
    assert await rig.texts(ANNA, "员工请假") == ["員工請假應提前三天申請"]
    assert await rig.texts(ANNA, "發票抬頭") == ["发票抬头填错时先作废再重开"]


async def test_a_collection_that_holds_nothing_has_no_evidence(rig: Rig) -> None:
    found = await rig.searching.search(ANNA, Query("warranty", use_outline=True))
    assert (found.evidence, found.mode, found.dropped) == ([], "none", {})
    await rig.index(document(), "warranty lasts two years")
    assert (await rig.searching.search(BEN, Query("warranty"))).evidence == []
    nowhere = Query("warranty", SearchFilters(document_ids=("no-such-document",), tags=("\x00",), languages=("xx",)))
    assert (await rig.searching.search(ANNA, nowhere)).evidence == []


def hit(score: float, parent: str = "ghost") -> VectorHit:
    return VectorHit("c", parent, "d", "g", 0, 4, score)


WRONG = [RuntimeError("shard"), MemoryError(), None, [object()], "nonsense"]


def answering(answer: Any) -> Callable[..., Awaitable[Any]]:
    async def search(*_: object) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return search


@pytest.mark.parametrize("answer", [*WRONG, [hit(NAN)], [hit(float("inf"))]], ids=repr)
async def test_a_vector_engine_that_answers_wrongly_is_left_behind(rig: Rig, answer: Any) -> None:
    await rig.index(document(), "warranty lasts two years")
    rig.vectors.search = answering(answer)  # type: ignore[method-assign]
    found = await rig.searching.search(ANNA, Query("warranty"))
    assert (found.mode, len(found.evidence), found.channels_down.keys()) == ("text_only", 1, {"vector"})
    assert "shard" not in found.channels_down["vector"]


@pytest.mark.parametrize(
    "answer", [*WRONG, [KeywordHit("p", "d", "g", NAN)], [KeywordHit("p", "d", "g", -float("inf"))]], ids=repr
)
async def test_a_keyword_engine_that_answers_wrongly_is_left_behind(rig: Rig, answer: Any) -> None:
    await rig.index(document(), "warranty lasts two years")
    rig.keywords.search = answering(answer)  # type: ignore[method-assign]
    found = await rig.searching.search(ANNA, Query("warranty lasts two years"))
    assert (found.mode, len(found.evidence), found.channels_down.keys()) == ("vector_only", 1, {"keyword"})
    assert "shard" not in found.channels_down["keyword"]


async def test_hits_that_nobody_indexed_are_no_evidence(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")

    async def search(*_: object) -> list[KeywordHit]:
        return [KeywordHit("ghost", "d", "g", 9.0), KeywordHit("ghost", "d", "g", 8.0)]

    rig.keywords.search = search  # type: ignore[method-assign]
    found = await rig.searching.search(ANNA, Query("warranty lasts two years"))
    assert [each.window.text for each in found.evidence] == ["warranty lasts two years"]
    assert found.dropped == {"inactive_generation": 1}


@pytest.mark.parametrize("vector", [[], [0.0] * (DIMENSION + 1), [NAN] * DIMENSION])
async def test_an_embedder_that_answers_wrongly_is_left_behind(rig: Rig, vector: list[float]) -> None:
    await rig.index(document(), "warranty lasts two years")

    async def embed(text: str) -> list[float]:
        return vector

    rig.embedder.embed_query = embed  # type: ignore[method-assign]
    found = await rig.searching.search(ANNA, Query("warranty"))
    assert (found.mode, len(found.evidence)) == ("text_only", 1)


async def test_each_channel_has_its_own_deadline(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")

    async def never(*_: object) -> list[KeywordHit]:
        await asyncio.Event().wait()
        return []

    rig.keywords.search = never  # type: ignore[method-assign]
    searching = rig.searching_with(channels=ChannelSettings(vector_seconds=30, keyword_seconds=0.05))
    found = await searching.search(ANNA, Query("warranty lasts two years"))
    assert (found.mode, found.channels_down) == ("vector_only", {"keyword": "timeout"})
    assert len(found.evidence) == 1


async def test_headings_that_cannot_be_searched_fail_nothing(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")

    async def broken(*_: object) -> list[KeywordHit]:
        raise OSError("disk")

    rig.keywords.headings = broken  # type: ignore[method-assign]
    found = await rig.searching.search(ANNA, Query("warranty", use_outline=True))
    assert (found.mode, found.channels_down, len(found.evidence)) == ("hybrid", {"outline": "engine_failed"}, 1)


async def test_nothing_that_answers_is_unavailable_and_says_no_more(rig: Rig) -> None:
    async def broken(*_: object) -> list[KeywordHit]:
        raise OSError("disk")

    rig.keywords.search = broken  # type: ignore[method-assign]
    rig.embedder.failing = RuntimeError("boom")
    with pytest.raises(Unavailable) as refused:
        await rig.searching.search(ANNA, Query("warranty"))
    assert (refused.value.reason, refused.value.metadata) == ("retrieval_unavailable", {})
