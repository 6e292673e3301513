"""Finds what nobody works on: jobs without a worker, interrupted deletions, abandoned uploads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from superagent_common.clock import SECOND
from superagent_common.errors import ServiceError
from superagent_common.logging import Logger
from superagent_ingestion.application.documents import Documents
from superagent_ingestion.application.uploads import Uploads
from superagent_ingestion.ports import Hints, JobStore

_AT_ONCE = 50
_EXPIRE_EVERY_SECONDS = 600.0


class Sweeper:
    """Sends hints again for jobs that are due; several may run, since a job is claimed once."""

    def __init__(
        self,
        jobs: JobStore,
        hints: Hints,
        documents: Documents,
        uploads: Uploads,
        log: Logger,
        clock: Callable[[], int],
        *,
        every_seconds: float,
        upload_days: float,
    ) -> None:
        """`clock` gives microseconds since the epoch."""
        self._jobs = jobs
        self._hints = hints
        self._documents = documents
        self._uploads = uploads
        self._log = log
        self._clock = clock
        self._every = every_seconds
        self._upload_days = upload_days
        self._hinted: dict[str, float] = {}
        self._next_expiry = 0.0

    async def run(self) -> None:
        """Sweeps until cancelled."""
        while True:
            try:
                await self.sweep()
            except ServiceError as error:
                self._log.warning("sweep_failed", reason=error.reason)
            except Exception as error:  # noqa: BLE001 - the next sweep may succeed
                self._log.error("sweep_failed", exc_info=error)
            await asyncio.sleep(self._every)

    async def sweep(self) -> None:
        """One round."""
        now = time.monotonic()
        due = await self._jobs.due("ingest", _AT_ONCE)
        # A hint that waits in the queue is not sent again and again while all workers are busy.
        self._hinted = {job: until for job, until in self._hinted.items() if until > now}
        for document_id, trace_parent in due:
            if document_id not in self._hinted:
                await self._hints.send(document_id, trace_parent)
                self._hinted[document_id] = now + 5 * self._every
        await self._documents.sweep_deletions(self._jobs)
        if now >= self._next_expiry:
            await self._uploads.expire(self._clock() - int(self._upload_days * 86_400 * SECOND))
            self._next_expiry = now + _EXPIRE_EVERY_SECONDS
