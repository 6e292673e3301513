"""One text to one vector: tokens, summed embeddings, the ONNX graph, unit length."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import onnxruntime

from superagent_retrieval.adapters.local_embedder.model_files import GRAPH_FILE, GRAPH_INPUT, GRAPH_OUTPUT
from superagent_retrieval.adapters.local_embedder.tokenizer import Tokenizer, Trie
from superagent_retrieval.adapters.local_embedder.weights import E5Weights, Floats


class E5Model:
    """Embeds on the calling thread, one text at a time (batches are slower: padding and cache misses)."""

    def __init__(self, weights: E5Weights, tokenizer: Tokenizer, session: onnxruntime.InferenceSession) -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self._session = session
        positions = weights.vector("emb.pos").reshape(-1, weights.hidden)
        self._position_rows = positions + weights.vector("emb.type")[: weights.hidden]

    @classmethod
    def load(cls, weights: E5Weights, directory: Path) -> E5Model:
        """The model whose files `make` wrote into the directory."""
        tokenizer = Tokenizer(weights, Trie.load(directory))
        return cls(weights, tokenizer, encoder_session(directory / GRAPH_FILE))

    def encode(self, text: str) -> Floats:
        """The unit vector (float32, [hidden]) of a text that begins with its `query: ` or `passage: ` prefix."""
        ids = self._tokenizer.encode(text)
        embeddings = self._weights.word_rows(ids)
        embeddings += self._position_rows[: len(ids)]
        (means,) = self._session.run([GRAPH_OUTPUT], {GRAPH_INPUT: embeddings[None]})
        mean: Floats = means[0]
        return mean / np.linalg.norm(mean)

    def release_memory(self) -> None:
        """Gives back what is only kept for the next text; it costs a few milliseconds when that comes."""
        self._weights.release_pages()
        if sys.platform == "linux":
            ctypes.CDLL(None).malloc_trim(0)


def encoder_session(model: Path | bytes) -> onnxruntime.InferenceSession:
    """A single-threaded session for a graph of `graph.encoder_graph`."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The graph is written in its fused form; optimising it makes it slower (see graph.py).
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # The arena would keep the activations of the longest text for ever.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
