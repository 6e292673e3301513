"""Where the embedded Qdrant keeps its shard, and how the shard is set up.

A directory holds numbered shards. The one in use is the highest that is marked complete; a better one is made beside it
and takes over by its mark, so that a process killed at any moment leaves one whole shard.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from typing import IO

import qdrant_edge as qdrant

from superagent_retrieval.adapters.vector_labels import LABELS_FIELD

# 16 bits a component: half the memory and a third of the scan of float32, at a cosine error below 1e-5.
_DATATYPE = qdrant.VectorStorageDatatype.Turbo16
_BYTES_PER_COMPONENT = 2
_COMPLETE = "complete"
_LOG = "wal"


class ShardDirectory:
    """`graph_from_points`: up to so many vectors are scanned; more get a graph when they are optimised."""

    def __init__(self, directory: Path, dimension: int, graph_from_points: int) -> None:
        self._directory = directory
        self._dimension = dimension
        self._graph_from_points = graph_from_points
        self._current = 0
        self._lock: IO[bytes] | None = None

    def open(self) -> qdrant.EdgeShard:
        """The shard in use, or an empty one. What an unfinished optimisation left behind is removed.

        Raises RuntimeError when it is open already, an exception of the engine when its vectors have another dimension.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(self._directory / "lock")
        numbers = [int(path.name) for path in self._directory.iterdir() if path.is_dir()]
        complete = [number for number in numbers if (self._path(number) / _COMPLETE).exists()]
        if complete:
            self._current = max(complete)
            shard = self.load(self._path(self._current))
        for number in numbers:
            if number != self._current:
                shutil.rmtree(self._path(number))
        return shard if complete else self._create()

    def close(self) -> None:
        """Lets others open it; the shard must be closed."""
        if self._lock is not None:
            self._lock.close()

    def keep_log(self) -> bool:
        """Has the log of the shard in use, which nobody may write to meanwhile, on disk; lets others run while it waits.

        False when the shard has none: those that an earlier version made are without, and stay so.
        """
        log = self._path(self._current) / _LOG
        if not log.is_dir():
            return False
        # The engine maps these files: what it wrote is theirs at once, but not on disk.
        for path in (*log.glob("open-*"), *log.glob("closed-*"), log):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        return True

    def copy(self) -> Path:
        """A copy of the shard in use, which must be flushed and not written to meanwhile.

        The log belongs to it: without, the engine would count from 0 again and take new changes for old ones.
        """
        source, copy = self._path(self._current), self._path(self._current + 1)
        shutil.rmtree(copy, ignore_errors=True)  # of an attempt that failed
        shutil.copytree(source, copy, ignore=lambda _, names: {_COMPLETE} & set(names))
        return copy

    def load(self, copy: Path) -> qdrant.EdgeShard:
        return qdrant.EdgeShard.load(str(copy), _config(self._dimension, self._graph_from_points, log=None))

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
        shard = qdrant.EdgeShard.create(str(path), _config(self._dimension, self._graph_from_points, log=True))
        shard.update(qdrant.UpdateOperation.create_field_index(LABELS_FIELD, qdrant.PayloadSchemaType.Keyword))
        shard.flush()
        (path / _COMPLETE).touch()
        return shard

    def _path(self, number: int) -> Path:
        return self._directory / str(number)


def _locked(path: Path) -> IO[bytes]:
    """The file with a lock that ends with it or with the process."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise RuntimeError(f"the vector index in {path.parent} is locked: it is open already") from error
    return file


def _config(dimension: int, graph_from_points: int, log: bool | None) -> qdrant.EdgeConfig:
    """`log`: whether changes are written to a log first; None leaves a shard as it was made."""
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
        wal_enabled=log,
    )
