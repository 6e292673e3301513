"""Program: makes the model directory from a weights file.

    python -m superagent_retrieval.adapters.local_embedder.make WEIGHTS CACHE_DIR

Any number may run at once: one makes the files, the others wait for it and find them made.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import onnx

from superagent_retrieval.adapters.local_embedder.graph import Int8Layers, encoder_graph
from superagent_retrieval.adapters.local_embedder.model_files import (
    GRAPH_FILE,
    INITIALIZERS_FILE,
    MODEL_NAME,
    making_lock,
    model_directory,
)
from superagent_retrieval.adapters.local_embedder.tokenizer import Trie
from superagent_retrieval.adapters.local_embedder.weights import E5Weights

_UNFINISHED = f"{MODEL_NAME}.unfinished"


def make(weights: E5Weights, cache_dir: Path) -> Path:
    """Makes the model directory unless it is there; returns it. Raises OSError when it cannot be written."""
    cache_dir.mkdir(parents=True, exist_ok=True)
    directory = model_directory(weights, cache_dir)
    with making_lock(cache_dir):
        if directory.is_dir():
            return directory
        unfinished = cache_dir / _UNFINISHED
        # Whoever left it was killed: the lock is ours.
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        onnx.save(
            encoder_graph(weights, Int8Layers(weights)),
            unfinished / GRAPH_FILE,
            save_as_external_data=True,
            location=INITIALIZERS_FILE,
        )
        Trie.of(weights.pieces()).save(unfinished)
        for file in [*unfinished.iterdir(), unfinished]:
            _sync(file)
        unfinished.rename(directory)
        _sync(cache_dir)
    return directory


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    make(E5Weights(Path(sys.argv[1])), Path(sys.argv[2]))
