"""Where the embedded Qdrant keeps its shard, and how the shard is set up.

A directory holds numbered shards. The one in use is the highest that is marked complete; a better one is made beside it
and takes over by its mark, so that a process killed at any moment leaves one whole shard.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import qdrant_edge as qdrant

KEYWORD_FIELDS = ("document_id", "access", "domain", "business_category", "tag", "language")
# 16 bits a component: half the memory and a third of the scan of float32, at a cosine error below 1e-5.
_DATATYPE = qdrant.VectorStorageDatatype.Turbo16
_BYTES_PER_COMPONENT = 2
_COMPLETE = "complete"


class ShardDirectory:
    """`graph_from_points`: up to so many vectors are scanned; more get a graph when they are optimised."""

    def __init__(self, directory: Path, dimension: int, graph_from_points: int) -> None:
        self._directory = directory
        self._config = _config(dimension, graph_from_points)
        self._current = 0

    def open(self) -> qdrant.EdgeShard:
        """The shard in use, or an empty one. What an unfinished optimisation left behind is removed.

        Raises an exception when another process holds it or the vectors in it have another dimension.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        numbers = [int(path.name) for path in self._directory.iterdir()]
        complete = [number for number in numbers if (self._path(number) / _COMPLETE).exists()]
        if complete:
            self._current = max(complete)
            shard = qdrant.EdgeShard.load(str(self._path(self._current)), self._config)
        for number in numbers:
            if number != self._current:
                shutil.rmtree(self._path(number))
        return shard if complete else self._create()

    def sync_log(self) -> None:
        """Makes the write-ahead log durable, from which the engine recovers what it has not flushed.

        Works without the GIL, which the engine's own flush holds while the disk writes.
        """
        for path in (self._path(self._current) / "wal").iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())

    def copy(self) -> Path:
        """A copy of the shard in use, which must be flushed and not written to meanwhile."""
        source, copy = self._path(self._current), self._path(self._current + 1)
        shutil.rmtree(copy, ignore_errors=True)  # of an attempt that failed
        shutil.copytree(source, copy, ignore=lambda _, names: {_COMPLETE} & set(names))
        return copy

    def load_copy(self, copy: Path) -> qdrant.EdgeShard:
        return qdrant.EdgeShard.load(str(copy), self._config)

    def take_over(self, copy: Path) -> Path:
        """From now on the copy is the shard in use; returns where the one before it lies."""
        before = self._path(self._current)
        (copy / _COMPLETE).touch()
        self._current += 1
        return before

    def _create(self) -> qdrant.EdgeShard:
        self._current = 1
        path = self._path(self._current)
        path.mkdir()
        shard = qdrant.EdgeShard.create(str(path), self._config)
        for field in KEYWORD_FIELDS:
            shard.update(qdrant.UpdateOperation.create_field_index(field, qdrant.PayloadSchemaType.Keyword))
        shard.flush()
        (path / _COMPLETE).touch()
        return shard

    def _path(self, number: int) -> Path:
        return self._directory / str(number)


def _config(dimension: int, graph_from_points: int) -> qdrant.EdgeConfig:
    graph_from_kib = max(1, graph_from_points * dimension * _BYTES_PER_COMPONENT // 1024)
    return qdrant.EdgeConfig(
        vectors=qdrant.EdgeVectorParams(
            size=dimension, distance=qdrant.Distance.Cosine, datatype=_DATATYPE, memory=qdrant.Memory.Cold
        ),
        hnsw_config=qdrant.HnswIndexConfig(
            m=16,
            ef_construct=128,
            full_scan_threshold=min(10_000, graph_from_kib),
            max_indexing_threads=1,
            memory=qdrant.Memory.Cold,
        ),
        optimizers=qdrant.EdgeOptimizersConfig(indexing_threshold=graph_from_kib, default_segment_number=1),
        max_search_threads=1,
        payload_memory=qdrant.Memory.Cold,
    )
