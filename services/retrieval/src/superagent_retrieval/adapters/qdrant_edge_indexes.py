"""The embedded vector indexes: one directory for each model and dimension."""

from __future__ import annotations

import asyncio
import re
import shutil
from functools import partial
from pathlib import Path

from superagent_common.logging import Logger
from superagent_common.tasks import end, repeating
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.ports import VectorIndex

_OPTIMIZE_EVERY_SECONDS = 10.0
_MODEL_FILE = "model"


class QdrantEdgeVectorIndexes:
    """`VectorIndexes` in one folder. What is open is optimised now and then."""

    def __init__(self, folder: Path, log: Logger) -> None:
        self._folder = folder
        self._log = log
        self._open: dict[Path, tuple[QdrantEdgeVectorIndex, asyncio.Task[None]]] = {}

    async def open(self, model: str, dimension: int) -> VectorIndex:
        directory = self._directory(model, dimension)
        await asyncio.to_thread(_claim, directory, model)
        index = await QdrantEdgeVectorIndex.open(directory, dimension)
        # When it fails the index answers as before; it is tried again when enough has changed.
        optimizing = repeating(
            partial(self._optimize, index, model),
            _OPTIMIZE_EVERY_SECONDS,
            self._log,
            "vector_index_not_optimized",
            after_seconds=_OPTIMIZE_EVERY_SECONDS,
        )
        self._open[directory] = index, asyncio.create_task(optimizing)
        return index

    async def drop(self, model: str, dimension: int) -> None:
        directory = self._directory(model, dimension)
        await self._close(directory)
        if directory.exists():
            await asyncio.to_thread(shutil.rmtree, directory)

    async def close(self) -> None:
        for directory in list(self._open):
            await self._close(directory)

    def _directory(self, model: str, dimension: int) -> Path:
        return self._folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', model)}-{dimension}"

    async def _close(self, directory: Path) -> None:
        if directory in self._open:
            index, optimizing = self._open.pop(directory)
            await end(optimizing)
            await index.close()

    async def _optimize(self, index: QdrantEdgeVectorIndex, model: str) -> None:
        if await index.optimize_when_idle():
            self._log.info("vector_index_optimized", model=model)


def _claim(directory: Path, model: str) -> None:
    """Writes down whose vectors these are: two names may make one directory."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / _MODEL_FILE
    if not file.exists():
        file.write_text(model, encoding="utf-8")
    elif (owner := file.read_text(encoding="utf-8")) != model:
        raise RuntimeError(f"the vectors in {directory} are those of {owner}, not of {model}")
