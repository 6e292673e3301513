"""Finds what nobody works on: jobs without a worker, interrupted deletions and changes, abandoned uploads."""

from __future__ import annotations

import asyncio
import time

from superagent_common.errors import ServiceError
from superagent_common.logging import Logger
from superagent_common.tasks import repeating
from superagent_ingestion.application.changes import Changes
from superagent_ingestion.application.documents import Documents
from superagent_ingestion.application.rounds import each
from superagent_ingestion.application.uploads import Uploads
from superagent_ingestion.ports import Departures, Hints, JobStore

_HINTS = 8
"""At most so many wait in the queue: each makes a worker work until nothing is left, and while one waits none is free."""
_EXPIRE_EVERY_SECONDS = 600.0


class Sweeper:
    """Sends hints for jobs that are due; several may run, since a job is claimed once."""

    def __init__(
        self,
        jobs: JobStore,
        hints: Hints,
        departures: Departures | None,
        documents: Documents,
        changes: Changes,
        uploads: Uploads,
        log: Logger,
        *,
        every_seconds: float,
    ) -> None:
        """Without `departures` a dead worker's jobs wait for their leases."""
        self._jobs = jobs
        self._hints = hints
        self._departures = departures
        self._documents = documents
        self._changes = changes
        self._uploads = uploads
        self._log = log
        self._every = every_seconds
        self._told: list[str] = []
        self._wake = asyncio.Event()
        self._next_expiry = 0.0

    def tell(self, trace_parent: str) -> None:
        """Says that a job is there, in the trace of whoever says so."""
        if len(self._told) < _HINTS:
            self._told.append(trace_parent)
        self._wake.set()

    async def run(self) -> None:
        """Hints when told and every `every_seconds`, until cancelled."""
        while True:
            self._wake.clear()
            try:
                await self.hint()
            except ServiceError as error:
                self._log.warning("hints_failed", reason=error.reason)
            except Exception as error:  # noqa: BLE001 - the next time may succeed
                self._log.error("hints_failed", exc_info=error)
            timer = asyncio.get_running_loop().call_later(self._every, self._wake.set)
            await self._wake.wait()
            timer.cancel()

    async def clean_up(self) -> None:
        """Cleans every `every_seconds`, until cancelled; beside the hints, which must not wait for who does not answer."""
        await repeating(self.clean, self._every, self._log, "sweep_failed")

    async def hint(self) -> None:
        """One round of hints."""
        told, self._told = self._told, []
        await self._release()
        if recalled := await self._jobs.recall():
            self._log.warning("clock_set_back", jobs=len(recalled))
        # The rows tell what there is to do, whatever became of hints; those that wait are not sent again and again
        # while all workers are busy.
        due = len(await self._jobs.due("ingest", _HINTS))
        if not due and not told:
            return
        waiting = await self._hints.waiting()
        for number in range(min(_HINTS, max(due, waiting + len(told))) - waiting):
            await self._hints.send(told[number] if number < len(told) else "")

    async def clean(self) -> None:
        """One round of cleaning."""
        # A document that was made private must not be found any longer because the object store is away.
        await each((self._changes.sweep, self._finish_deletions, self._expire), lambda step: step())

    async def _finish_deletions(self) -> None:
        await self._documents.sweep_deletions(self._jobs)

    async def _expire(self) -> None:
        now = time.monotonic()
        if now >= self._next_expiry:
            await self._uploads.expire()
            self._next_expiry = now + _EXPIRE_EVERY_SECONDS

    async def _release(self) -> None:
        gone = self._departures.gone() if self._departures else ()
        if not gone or self._departures is None:
            return
        released = await self._jobs.release(gone)
        self._departures.forget(gone)
        self._log.info("workers_gone", workers=len(gone), jobs=len(released))
