"""Follows what other replicas of the service do to the indexes: they share the catalogue, and engines that are servers."""

from __future__ import annotations

import asyncio

from superagent_common.logging import Logger
from superagent_common.tasks import end
from superagent_retrieval.application.spaces import Space, Spaces
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.ports import Embedders, IndexCatalogue, VectorIndexes

FOLLOW_SECONDS = 5.0
"""How often a replica looks when nothing is written. Who writes looks each time."""


class Following:
    """Makes this process's spaces those that the catalogue tells of. `close` is called once, at the end of the process."""

    def __init__(
        self,
        spaces: Spaces,
        indexes: VectorIndexes,
        embedders: Embedders,
        index_catalogue: IndexCatalogue,
        log: Logger,
    ) -> None:
        self._spaces = spaces
        self._indexes = indexes
        self._embedders = embedders
        self._index_catalogue = index_catalogue
        self._log = log
        self.changing = asyncio.Lock()
        """Held while the states of indexes change, in the catalogue and here."""
        self._leaving: set[asyncio.Task[None]] = set()

    async def follow(self) -> None:
        """Afterwards writes to what is there reach each index that answers or will."""
        async with self.changing:
            states = await self._index_catalogue.states()
            answering = states.answering.index
            await self._build(states.building.index if states.building else None, besides=answering)
            if answering != self._spaces.answering.name:
                await self._build(answering)
                self._leave(self._spaces.flip())
                self._log.info("index_followed", model=answering.model)
                await self._build(states.building.index if states.building else None)

    async def close(self) -> None:
        async with self.changing:
            await end(*self._leaving)

    async def _build(self, wanted: IndexName | None, besides: IndexName | None = None) -> None:
        """Has the space of this name as the one that is being built; one of the name `besides` may stay."""
        space = self._spaces.building
        if space and space.name not in (wanted, besides):
            self._spaces.building = None
            self._leave(space)
        if wanted and self._spaces.building is None:
            self._spaces.building = await Space.opened(wanted, self._embedders, self._indexes)

    def _leave(self, space: Space) -> None:
        task = asyncio.create_task(self._left(space), name="leave-index")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _left(self, space: Space) -> None:
        try:
            await self._spaces.unused(space)
        finally:
            await space.embedder.close()
