"""Finds what nobody works on: jobs without a worker, interrupted deletions, abandoned uploads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from superagent_common.clock import SECOND
from superagent_common.errors import ServiceError
from superagent_common.logging import Logger
from superagent_common.tasks import repeating
from superagent_ingestion.application.documents import Documents
from superagent_ingestion.application.uploads import Uploads
from superagent_ingestion.ports import Departures, Hints, JobStore

_AT_ONCE = 50
_EXPIRE_EVERY_SECONDS = 600.0


class Sweeper:
    """Sends hints for jobs that are due; several may run, since a job is claimed once."""

    def __init__(
        self,
        jobs: JobStore,
        hints: Hints,
        departures: Departures | None,
        documents: Documents,
        uploads: Uploads,
        log: Logger,
        clock: Callable[[], int],
        *,
        every_seconds: float,
        upload_days: float,
    ) -> None:
        """`clock` gives microseconds since the epoch. Without `departures` a dead worker's jobs wait for their leases."""
        self._jobs = jobs
        self._hints = hints
        self._departures = departures
        self._documents = documents
        self._uploads = uploads
        self._log = log
        self._clock = clock
        self._every = every_seconds
        self._upload_days = upload_days
        self._hinted: dict[str, float] = {}
        self._told: dict[str, str] = {}
        self._wake = asyncio.Event()
        self._next_expiry = 0.0

    def tell(self, document_id: str, trace_parent: str) -> None:
        """Asks for a hint at once, in the trace of whoever asks."""
        self._told[document_id] = trace_parent
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
        # What is told of and not hinted at for a fault is found by its row.
        told, self._told = self._told, {}
        await self._release()
        for document_id, trace_parent in told.items():
            await self._send(document_id, trace_parent)
        now = time.monotonic()
        due = await self._jobs.due("ingest", _AT_ONCE)
        # A hint that waits in the queue is not sent again and again while all workers are busy. Who is not due any more
        # has been claimed: when that comes to nothing, a new hint is needed.
        waiting = {document_id for document_id, _ in due}
        self._hinted = {job: until for job, until in self._hinted.items() if until > now and job in waiting}
        for document_id, trace_parent in due:
            if document_id not in self._hinted:
                await self._send(document_id, trace_parent)

    async def clean(self) -> None:
        """One round of cleaning."""
        await self._documents.sweep_deletions(self._jobs)
        now = time.monotonic()
        if now >= self._next_expiry:
            await self._uploads.expire(self._clock() - int(self._upload_days * 86_400 * SECOND))
            self._next_expiry = now + _EXPIRE_EVERY_SECONDS

    async def _send(self, document_id: str, trace_parent: str) -> None:
        await self._hints.send(document_id, trace_parent)
        self._hinted[document_id] = time.monotonic() + 5 * self._every

    async def _release(self) -> None:
        gone = self._departures.gone() if self._departures else ()
        if not gone or self._departures is None:
            return
        released = await self._jobs.release(gone)
        self._departures.forget(gone)
        for document_id in released:
            self._hinted.pop(document_id, None)
        self._log.info("workers_gone", workers=len(gone), jobs=len(released))
