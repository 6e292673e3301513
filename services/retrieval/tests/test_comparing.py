"""Neighbours' similarity: cosines of texts that follow each other."""

from __future__ import annotations

import pytest

from services.retrieval.tests.brute_force_indexes import BruteForceVectorIndex
from services.retrieval.tests.retrieval_rig import RANKING, WORDS, WordEmbedder
from superagent_common.errors import InvalidInput, Unavailable
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.comparing import TEXTS, Comparing
from superagent_retrieval.application.spaces import Space, Spaces


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def comparing(embedder: WordEmbedder) -> Comparing:
    space = Space(WORDS, embedder, BruteForceVectorIndex(WORDS.dimension), RANKING.calibration)
    return Comparing(Spaces(space), Telemetry("retrieval"))


async def test_each_text_is_compared_with_the_next(comparing: Comparing) -> None:
    same, shared, other = await comparing.neighbours(["tea at noon", "tea at noon", "tea at night", "zebra"])
    assert same == pytest.approx(1)
    assert 1 > shared > other >= -1


@pytest.mark.parametrize("texts", [[], ["alone"]])
async def test_fewer_than_two_have_no_neighbours(
    comparing: Comparing, embedder: WordEmbedder, texts: list[str]
) -> None:
    assert await comparing.neighbours(texts) == []
    assert embedder.embedded == 0


async def test_so_many_are_compared_and_no_more(comparing: Comparing) -> None:
    assert len(await comparing.neighbours(["word"] * TEXTS)) == TEXTS - 1
    with pytest.raises(InvalidInput) as refused:
        await comparing.neighbours(["word"] * (TEXTS + 1))
    assert refused.value.reason == "too_many_texts"


async def test_what_the_embedder_cannot_is_said(comparing: Comparing, embedder: WordEmbedder) -> None:
    embedder.failing = Unavailable("embedder_down")
    with pytest.raises(Unavailable):
        await comparing.neighbours(["one", "two"])
