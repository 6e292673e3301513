"""Embedding models with their indexes: which one answers, which one is being built, and who uses them.

Whoever searches or writes takes a space once and keeps it, so that a vector of one model never meets an index of another,
and an index is removed only when nobody holds it any more.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from superagent_common.circuit_breaker import CircuitBreaker
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.ports import Embedder, Embedders, VectorIndex, VectorIndexes


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """A model with the index of its vectors and what their cosines mean; breaker: of searches in it."""

    name: IndexName
    embedder: Embedder
    index: VectorIndex
    calibration: Calibration
    breaker: CircuitBreaker = field(default_factory=lambda: CircuitBreaker(time.monotonic))

    @classmethod
    async def opened(cls, name: IndexName, embedders: Embedders, indexes: VectorIndexes) -> Space:
        """The space of a model, whose embedder is started."""
        index = await indexes.open(name.model, name.dimension)
        return cls(name, embedders.open(name), index, embedders.calibration(name))


class Spaces:
    """The answering space, and the one that is being built while there is one."""

    def __init__(self, answering: Space) -> None:
        self.answering = answering
        self.building: Space | None = None
        self._users: Counter[Space] = Counter()
        self._left: dict[Space, asyncio.Event] = {}

    @contextmanager
    def pinned(self, space: Space | None = None) -> Iterator[Space]:
        """For use of a space, the answering one by default; it stays as it is within the block."""
        used = space or self.answering
        self._users[used] += 1
        try:
            yield used
        finally:
            self._users[used] -= 1
            if not self._users[used]:
                del self._users[used]
                if used in self._left:
                    self._left[used].set()

    @contextmanager
    def written(self, *further: Space) -> Iterator[list[Space]]:
        """For writes that concern everything that is there: all spaces that answer or will, and `further` ones."""
        spaces = dict.fromkeys((*further, self.answering, *([self.building] if self.building else [])))
        with ExitStack() as pins:
            for space in spaces:
                pins.enter_context(self.pinned(space))
            yield list(spaces)

    def flip(self) -> Space:
        """Lets the space that was built answer, and gives the one before."""
        before, built = self.answering, self.building
        assert built is not None
        self.answering, self.building = built, None
        return before

    async def unused(self, space: Space) -> None:
        """Returns when nobody uses a space any more that neither answers nor is being built."""
        if space in self._users:
            self._left[space] = asyncio.Event()
            await self._left[space].wait()
            del self._left[space]
