"""Deterministic vectors: texts that share character bigrams are near each other, so that search tests mean something."""

from __future__ import annotations

import itertools
import json
import math
import zlib
from functools import lru_cache

DIMENSIONS = 384


@lru_cache(maxsize=8192)
def vector(text: str, dimensions: int = DIMENSIONS) -> tuple[float, ...]:
    """Unit vector of hashed character bigrams, case ignored."""
    values = [0.0] * dimensions
    padded = f" {text.casefold()} "
    for first, second in itertools.pairwise(padded):
        values[zlib.crc32((first + second).encode("utf-8", "replace")) % dimensions] += 1.0
    length = math.sqrt(sum(value * value for value in values))
    return tuple(value / length for value in values)


def embeddings_body(model: str, texts: list[str], dimensions: int) -> bytes:
    data = [
        {"object": "embedding", "index": index, "embedding": vector(text, dimensions)}
        for index, text in enumerate(texts)
    ]
    tokens = sum(len(text) for text in texts) // 4 + 1
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return json.dumps({"object": "list", "model": model, "data": data, "usage": usage}).encode()
