"""Switches the embedding model without a pause (RAG-11): a second index is made beside the one that answers.

The run follows the catalogue: whatever answers and is not marked as held by the new index is carried there, document by
document, also what comes in meanwhile. Index runs know nothing of it and wait for nothing. When no document is behind, the
catalogue flips, in the transaction that looks whether one is. All of its state is in the catalogue and the indexes, so
that it goes on where it was after a kill.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextvars import Context
from dataclasses import dataclass

from superagent_common import clock
from superagent_common.clock import SECOND
from superagent_common.errors import Conflict, InvalidInput, ServiceError, reason_of
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.tasks import end
from superagent_retrieval.application.carrying import Carrying
from superagent_retrieval.application.following import Following
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.spaces import Space, Spaces
from superagent_retrieval.domain.embeddings import IndexName, IndexRun
from superagent_retrieval.ports import Catalogue, Embedders, IndexCatalogue, VectorIndexes

# Together, so that an endpoint's latency is not waited for with each small document.
_DOCUMENTS_AT_ONCE = 4
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a run waits, and until when, in microseconds since the epoch."""

    reason: str
    retry_at: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A run that is under way; documents: answering ones, `done` of which the new index holds."""

    run: IndexRun
    documents_done: int
    documents_total: int
    trouble: Trouble | None


class Rebuilding:
    """One run at a time. `resume` and `close` are called once, at start and end of the process."""

    def __init__(
        self,
        spaces: Spaces,
        indexes: VectorIndexes,
        embedders: Embedders,
        catalogue: Catalogue,
        index_catalogue: IndexCatalogue,
        generations: Generations,
        carrying: Carrying,
        following: Following,
        log: Logger,
        first_pause_seconds: float = _FIRST_PAUSE_SECONDS,
        grace_seconds: float = 0.0,
    ) -> None:
        """grace_seconds: how long an index that answered stays, for replicas that have not followed yet."""
        self._spaces = spaces
        self._indexes = indexes
        self._embedders = embedders
        self._catalogue = catalogue
        self._index_catalogue = index_catalogue
        self._generations = generations
        self._carrying = carrying
        self._log = log
        self._following = following
        self._changing = following.changing
        self._first_pause = first_pause_seconds
        self._grace = grace_seconds
        self._run: asyncio.Task[None] | None = None
        self._removals: set[asyncio.Task[None]] = set()
        self._trouble: Trouble | None = None

    async def resume(self) -> None:
        """Goes on with what an earlier process did not finish."""
        states = await self._index_catalogue.states()
        for index in states.retired:
            self._remove(index, None)
        if states.building:
            self._begin(states.building, await Space.opened(states.building.index, self._embedders, self._indexes))

    async def rebuild(self, model: str) -> tuple[IndexRun, bool]:
        """The run that makes the index of a model, "" for the one that the settings want, and whether it is finished.

        The model that answers has been built: to name it ends the run that is under way, if any, and leaves things as
        they are. Raises InvalidInput `unknown_embedding_model`, and Conflict `rebuild_running` while another model's
        index is being built or its earlier one removed.
        """
        async with self._changing:
            states = await self._index_catalogue.states()
            wanted = self._embedders.named(model) if model else self._embedders.default
            if wanted == states.answering.index or (wanted is None and model == states.answering.index.model):
                if states.building:
                    await self._abandon(states.building)
                return states.answering, True
            if wanted is None:
                known = ", ".join(self._embedders.models)
                raise InvalidInput("unknown_embedding_model", f"The settings name these models: {known}.")
            if states.building and states.building.index == wanted:
                return states.building, False
            if states.building:
                raise Conflict("rebuild_running", f"The index of {states.building.index.model} is being built.")
            if wanted in states.retired:
                raise Conflict("rebuild_running", f"The index that {model} had before is still being removed.")
            run = IndexRun(new_id(), wanted, clock.now())
            # A start that broke off may have left one that nothing tells of.
            await self._indexes.drop(wanted.model, wanted.dimension)
            space = await Space.opened(wanted, self._embedders, self._indexes)
            await self._index_catalogue.start(run)
            self._begin(run, space)
            return run, False

    async def progress(self) -> Progress | None:
        """The run that is under way."""
        building = (await self._index_catalogue.states()).building
        if building is None:
            return None
        return Progress(building, *await self._index_catalogue.progress(building.run_id), self._trouble)

    async def close(self) -> None:
        """Ends everything; what is not finished goes on when `resume` is called again."""
        async with self._changing:
            await end(*self._removals, *([self._run] if self._run else []))
        for space in filter(None, (self._spaces.answering, self._spaces.building)):
            await space.embedder.close()

    def _begin(self, run: IndexRun, space: Space) -> None:
        """The run goes on for hours: it has neither the trace nor the identity of the call that began it."""
        self._trouble = None
        self._spaces.building = space
        self._run = asyncio.create_task(self._make(run, space), name="rebuild-index", context=Context())
        self._log.info("rebuild_running", run_id=run.run_id, model=run.index.model)

    async def _make(self, run: IndexRun, space: Space) -> None:
        """Makes the index and lets it answer, however often that has to be tried."""
        after, pause = "", self._first_pause
        while True:
            try:
                building = (await self._index_catalogue.states()).building
                if building is None or building.run_id != run.run_id:
                    # Another replica finished or abandoned it.
                    await self._following.follow()
                    return
                documents = await self._index_catalogue.behind(run.run_id, after, _DOCUMENTS_AT_ONCE)
                if documents:
                    after = documents[-1]
                    await self._carry_all(run, space, documents)
                elif after:
                    after = ""
                elif await self._finish(run):
                    return
                pause = self._first_pause
            except Exception as error:  # noqa: BLE001 - whatever an embedder or engine raises, it may pass
                self._trouble = Trouble(reason_of(error), clock.now() + int(pause * SECOND))
                unforeseen = None if isinstance(error, ServiceError) else error
                self._log.warning("rebuild_waits", reason=reason_of(error), seconds=pause, exc_info=unforeseen)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def _carry_all(self, run: IndexRun, space: Space, documents: Sequence[str]) -> None:
        """Raises when all of them fail; one that fails keeps no other back, and comes again behind them."""
        carrying = [self._carry(run, space, document_id) for document_id in documents]
        outcomes = await asyncio.gather(*carrying, return_exceptions=True)
        failures = {
            document_id: outcome
            for document_id, outcome in zip(documents, outcomes, strict=True)
            if isinstance(outcome, Exception)
        }
        for document_id, error in failures.items():
            self._log.warning("document_not_carried", document_id=document_id, reason=reason_of(error))
        if len(failures) == len(documents):
            raise failures[documents[0]]
        if not failures:
            self._trouble = None

    async def _carry(self, run: IndexRun, space: Space, document_id: str) -> None:
        document = await self._catalogue.answering(document_id)
        if document is None:
            return
        try:
            with self._spaces.pinned() as source:
                await self._carrying.carry(document, source.index, space)
        except Exception:
            # It may have been removed meanwhile, and nobody would ask for it again.
            await self._generations.sweep(document, space)
            raise
        if await self._generations.complete(document, space):
            await self._index_catalogue.mark(run.run_id, document_id, document.generation)

    async def _finish(self, run: IndexRun) -> bool:
        async with self._changing:
            if not await self._index_catalogue.finish(run.run_id):
                return False
            before = self._spaces.flip()
            self._trouble = None
            self._remove(before.name, before)
        self._log.info("rebuild_finished", run_id=run.run_id, model=run.index.model)
        return True

    async def _abandon(self, run: IndexRun) -> None:
        if self._run:
            await end(self._run)
        await self._index_catalogue.abandon(run.run_id)
        space, self._spaces.building = self._spaces.building, None
        self._remove(run.index, space)
        self._log.info("rebuild_abandoned", run_id=run.run_id, model=run.index.model)

    def _remove(self, index: IndexName, space: Space | None) -> None:
        removal = asyncio.create_task(self._removed(index, space), name="remove-index", context=Context())
        self._removals.add(removal)
        removal.add_done_callback(self._removals.discard)

    async def _removed(self, index: IndexName, space: Space | None) -> None:
        """Removes an index once nobody uses it."""
        if space:
            try:
                await self._spaces.unused(space)
            finally:
                await space.embedder.close()
        await asyncio.sleep(self._grace)
        pause = self._first_pause
        while True:
            try:
                await self._indexes.drop(index.model, index.dimension)
                await self._index_catalogue.forget(index)
            except Exception as error:  # noqa: BLE001 - what answers is not touched by it
                self._log.warning("vector_index_not_removed", model=index.model, reason=reason_of(error))
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            else:
                self._log.info("vector_index_removed", model=index.model)
                return
