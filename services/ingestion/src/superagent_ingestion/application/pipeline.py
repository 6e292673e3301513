"""Runs jobs: claims them, keeps the lease, and decides what a failure leads to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from opentelemetry.trace import SpanKind

from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable, internal_error
from superagent_common.logging import Logger
from superagent_common.telemetry import PROPAGATOR, Telemetry
from superagent_ingestion.application.place import GaveWay, GivenUp, Place
from superagent_ingestion.application.processing import Processing
from superagent_ingestion.domain.documents import Failure
from superagent_ingestion.domain.jobs import MAX_ATTEMPTS, Job, retry_delay
from superagent_ingestion.ports import DocumentStore, JobStore, Progress

JOB = "superagent.ingest_document"
"""Name of the span of a job."""
# Whoever had it never came back: the file itself may be what kills workers.
_BROKE_OFF = Failure("parse", "unreadable", "The file could not be read: its processing broke off each time.")
_PASSING = (Unavailable, Timeout, Exhausted)


class Pipeline:
    """Runs jobs of one worker."""

    def __init__(
        self,
        jobs: JobStore,
        documents: DocumentStore,
        progress: Progress,
        processing: Processing,
        telemetry: Telemetry,
        log: Logger,
        committed: Callable[[], None],
        *,
        owner: str,
        lease_seconds: float,
        give_way_seconds: float,
    ) -> None:
        """`owner` is this worker's name on its leases, each renewed three times in `lease_seconds`.

        A job that has run for `give_way_seconds` gives way to another person's for which no worker is free.
        `committed` is told when the outbox has something new.
        """
        self._jobs = jobs
        self._documents = documents
        self._progress = progress
        self._processing = processing
        self._telemetry = telemetry
        self._log = log
        self._committed = committed
        self._lease_seconds = lease_seconds
        self._give_way_seconds = give_way_seconds
        self._owner = owner

    async def run_due(self, seconds: float) -> None:
        """Runs one job after the other until none is due, beginning none after so many seconds."""
        until = time.monotonic() + seconds
        while await self.run_next() and time.monotonic() < until:
            pass

    async def run_next(self) -> bool:
        """Runs the job whose turn it is; False when none is due. Never raises for what a document can cause."""
        job = await self._jobs.claim(self._owner)
        if job is None:
            return False
        parent = PROPAGATOR.extract({"traceparent": job.trace_parent})
        with self._telemetry.tracer.start_as_current_span(f"process {JOB}", parent, SpanKind.CONSUMER):
            await self._run(job)
        return True

    async def _run(self, job: Job) -> None:
        document_id = job.document_id
        document = await self._documents.get(document_id)
        if document is None or document.state == "deleting":
            return
        place = Place(lambda: self._jobs.others_wait(job, self._give_way_seconds))
        try:
            if job.attempts > MAX_ATTEMPTS:
                await self._give_up(job, _BROKE_OFF)
                return
            async with self._renewed(job):
                await self._processing.process(document, place)
        except GivenUp:
            await self._forget_if_deleted(document_id)
        except GaveWay:
            self._log.info("job_gave_way", document_id=document_id, stage=place.stage)
            await self._progress.give_way(document_id, place.stage)
        except _PASSING as error:
            await self._postpone(job, place.stage, error)
        except ServiceError as error:
            await self._fail(document_id, Failure(place.stage, error.reason, error.message))
        except Exception as error:  # noqa: BLE001 - a fault of ours is tried again, then shown as one
            self._log.error("job_failed", document_id=document_id, stage=place.stage, exc_info=error)
            await self._postpone(job, place.stage, internal_error())

    @asynccontextmanager
    async def _renewed(self, job: Job) -> AsyncIterator[None]:
        """Renews the lease while the block runs; the block is cancelled when the lease is somebody else's."""
        body = asyncio.current_task()
        lost = False

        async def renew() -> None:
            nonlocal lost
            while True:
                await asyncio.sleep(self._lease_seconds / 3)
                try:
                    still_ours = await self._jobs.renew(job.document_id, job.owner)
                except Exception as error:  # noqa: BLE001 - until the lease is over there is time to try again
                    self._log.warning("lease_not_renewed", document_id=job.document_id, error=repr(error))
                    continue
                if not still_ours:
                    lost = True
                    if body:
                        body.cancel()
                    return

        task = asyncio.create_task(renew())
        try:
            yield
        except asyncio.CancelledError:
            if lost:
                raise GivenUp from None
            raise
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _postpone(self, job: Job, stage: str, error: ServiceError) -> None:
        if job.attempts >= MAX_ATTEMPTS:
            await self._give_up(job, Failure(stage, error.reason, error.message))
            return
        seconds = retry_delay(job.attempts)
        self._log.warning("job_postponed", document_id=job.document_id, stage=stage, reason=error.reason)
        if not await self._progress.wait(job.document_id, stage, error.reason, seconds):
            await self._forget_if_deleted(job.document_id)

    async def _give_up(self, job: Job, failure: Failure) -> None:
        self._log.warning("job_given_up", document_id=job.document_id, stage=failure.stage, reason=failure.reason)
        if await self._progress.give_up(job.document_id, failure):
            self._committed()

    async def _fail(self, document_id: str, failure: Failure) -> None:
        self._log.info("document_failed", document_id=document_id, stage=failure.stage, reason=failure.reason)
        if await self._progress.fail(document_id, failure):
            self._committed()
        else:
            await self._forget_if_deleted(document_id)

    async def _forget_if_deleted(self, document_id: str) -> None:
        """A deletion may have come between two steps: nothing that was written after it may stay."""
        document = await self._documents.get(document_id)
        if document is None or document.state == "deleting":
            await self._processing.forget(document_id)
            if await self._documents.remove(document_id):
                self._committed()
