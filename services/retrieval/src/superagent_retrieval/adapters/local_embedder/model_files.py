"""Where the files made of the weights lie, and making them when they are missing.

A model directory is complete or absent: it is filled beside its place and renamed, under a lock, by a process of its
own, whose memory is gone afterwards.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from superagent_retrieval.adapters.local_embedder.weights import E5Weights

MODEL_NAME = "multilingual-e5-small-int8"
GRAPH_FILE = "encoder.onnx"
# Initialisers lie beside the graph, so that onnxruntime maps them instead of copying them.
INITIALIZERS_FILE = "encoder.weights"
GRAPH_INPUT = "embeddings"
GRAPH_OUTPUT = "mean"
# Raise it whenever other weights → files steps give other files.
FORM_VERSION = 1


class ModelNotMade(Exception):
    """The program that makes the model files failed; the message holds the end of what it said."""


def model_directory(weights: E5Weights, cache_dir: Path) -> Path:
    """The directory for exactly these weights in exactly this form."""
    return cache_dir / f"{MODEL_NAME}-v{FORM_VERSION}-{weights.digest()[:16]}"


def made_model_directory(weights: E5Weights, cache_dir: Path) -> Path:
    """The model directory, made first when it is not there (about a second of CPU).

    Raises ModelNotMade when that fails.
    """
    directory = model_directory(weights, cache_dir)
    if not directory.is_dir():
        program = "superagent_retrieval.adapters.local_embedder.make"
        made = subprocess.run(
            [sys.executable, "-m", program, str(weights.path), str(cache_dir)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        if made.returncode != 0:
            raise ModelNotMade(f"making the model failed ({made.returncode}): {made.stderr[-500:].strip()}")
    return directory


@contextmanager
def making_lock(cache_dir: Path) -> Iterator[None]:
    """Held by the one process that makes model files in this directory; freed by the system when it dies."""
    with (cache_dir / f"{MODEL_NAME}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
