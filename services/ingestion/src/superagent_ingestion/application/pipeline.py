"""A document's job: fetch and verify, parse, choose a strategy, chunk, index. Each a stage; safe to kill anywhere."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable, internal_error
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import ChunkLimits, Chunks, chunk
from superagent_ingestion.domain.documents import Document, Failure, StageName, State, progress_of
from superagent_ingestion.domain.jobs import MAX_ATTEMPTS, Job, retry_delay
from superagent_ingestion.domain.rejection import DocumentRejected
from superagent_ingestion.domain.strategy import recommend
from superagent_ingestion.ports import DocumentParser, DocumentStore, Index, JobStore, ObjectStore, Progress

_PASSING = (Unavailable, Timeout, Exhausted)


class Deleted(Exception):
    """The document is being deleted, or the lease is lost: whoever has it now goes on."""


class Pipeline:
    """Runs jobs of one worker."""

    def __init__(
        self,
        jobs: JobStore,
        documents: DocumentStore,
        progress: Progress,
        objects: ObjectStore,
        parser: DocumentParser,
        index: Index,
        telemetry: Telemetry,
        log: Logger,
        committed: Callable[[], None],
        *,
        owner: str,
        lease_seconds: float,
        limits: ChunkLimits,
    ) -> None:
        """`owner` is this worker's name on its leases, each renewed three times in `lease_seconds`.

        `committed` is told when the outbox has something new.
        """
        self._jobs = jobs
        self._documents = documents
        self._progress = progress
        self._objects = objects
        self._parser = parser
        self._index = index
        self._telemetry = telemetry
        self._log = log
        self._committed = committed
        self._lease_seconds = lease_seconds
        self._limits = limits
        self._owner = owner

    async def run(self, document_id: str) -> None:
        """Runs a document's job if it is there to be had; never raises for what a document can cause."""
        job = await self._jobs.claim(document_id, self._owner)
        document = await self._documents.get(document_id) if job else None
        if job is None or document is None or document.state == "deleting":
            return
        place = _Place()
        try:
            if job.attempts > MAX_ATTEMPTS:
                # Whoever had it before never came back: the file itself may be what kills workers.
                raise DocumentRejected("unreadable", "The file could not be read: its processing broke off each time.")
            async with self._renewed(job):
                await self._process(document, place)
        except Deleted:
            await self._forget_if_deleted(document_id)
        except _PASSING as error:
            await self._postpone(job, place.stage, error)
        except ServiceError as error:
            await self._fail(document_id, Failure(place.stage, error.reason, error.message))
        except Exception as error:  # noqa: BLE001 - a fault of ours is tried again, then shown as one
            self._log.error("job_failed", document_id=document_id, stage=place.stage, exc_info=error)
            await self._postpone(job, place.stage, internal_error())

    async def _process(self, document: Document, place: _Place) -> None:
        with tempfile.TemporaryDirectory(prefix="superagent-") as folder:
            path = Path(folder) / "content"
            async with self._stage(document, "parse", "parsing", place):
                digest = await self._objects.fetch(document.object_key, path)
                if digest != document.sha256:
                    raise DocumentRejected("hash_mismatch", "The stored file is not the one that was announced.")
                parsed = await self._parser.parse(path, document.file_name)
            await self._done(document, "parse", "parsed", _found(parsed), f"Read with {parsed.parser}.")

        async with self._stage(document, "strategy", "parsed", place):
            recommended = recommend(parsed, self._limits)
            strategy = "+".join(recommended.pipeline)
            document = _described(document, parsed, strategy, recommended.reasons)
            self._or_stop(await self._progress.describe(document))
        # ING-7: confirming by itself is the default.
        reasons = " ".join(recommended.reasons)
        await self._done(document, "strategy", "confirmed", {}, f"Strategy {strategy}. {reasons}")

        async with self._stage(document, "chunk", "chunking", place):
            chunks = await asyncio.to_thread(chunk, parsed, self._limits)
            document = _chunked(document, chunks)
            self._or_stop(await self._progress.describe(document))
        counts = {"children": len(chunks.children), "parents": len(chunks.parents)}
        await self._done(document, "chunk", "chunking", counts, f"Cut into {len(chunks.children)} pieces.")

        async with self._stage(document, "index", "indexing", place):

            async def taken(children: int) -> None:
                progress = progress_of("indexing", children, len(chunks.children))
                self._or_stop(await self._progress.advance(document.document_id, progress))

            embedded = await self._index.index(document, chunks, taken)
            self._or_stop(await self._progress.ready(document, embedded))
        self._committed()
        self._log.info(
            "document_ready", document_id=document.document_id, children=len(chunks.children), embedded=embedded
        )

    @asynccontextmanager
    async def _stage(self, document: Document, name: StageName, state: State, place: _Place) -> AsyncIterator[None]:
        place.stage = name
        with self._telemetry.span(f"stage {name}", attributes={"superagent.stage": name}):
            self._or_stop(await self._progress.begin(document.document_id, name, state, progress_of(state)))
            yield

    async def _done(
        self, document: Document, name: StageName, state: State, counts: dict[str, int], message: str
    ) -> None:
        self._or_stop(await self._progress.complete(document.document_id, name, state, counts, message))

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
                raise Deleted from None
            raise
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _postpone(self, job: Job, stage: str, error: ServiceError) -> None:
        if job.attempts >= MAX_ATTEMPTS:
            await self._fail(job.document_id, Failure(stage, error.reason, error.message))
            return
        seconds = retry_delay(job.attempts)
        self._log.warning("job_postponed", document_id=job.document_id, stage=stage, reason=error.reason)
        await self._progress.wait(job.document_id, stage, error.reason, seconds)

    async def _fail(self, document_id: str, failure: Failure) -> None:
        self._log.info("document_failed", document_id=document_id, stage=failure.stage, reason=failure.reason)
        if await self._progress.fail(document_id, failure):
            self._committed()

    async def _forget_if_deleted(self, document_id: str) -> None:
        """A deletion may have come between two batches of the index: nothing of the document may be left there."""
        document = await self._documents.get(document_id)
        if document is None or document.state == "deleting":
            await self._index.delete(document_id)

    @staticmethod
    def _or_stop(still_ours: bool) -> None:
        if not still_ours:
            raise Deleted


class _Place:
    """Where a job is, for saying where it failed."""

    stage: StageName = "parse"


def _found(parsed: ParsedDocument) -> dict[str, int]:
    kinds = Counter(block.kind for block in parsed.blocks)
    return {
        "blocks": len(parsed.blocks),
        "headings": kinds["heading"],
        "tables": kinds["table"],
        "pages": parsed.pages or 0,
    }


def _described(document: Document, parsed: ParsedDocument, strategy: str, reasons: tuple[str, ...]) -> Document:
    metadata = document.metadata
    described = replace(
        metadata, title=metadata.title or (parsed.title or "")[:300], language=metadata.language or parsed.language
    )
    return replace(document, metadata=described, pages=parsed.pages or 0, strategy=strategy, strategy_reasons=reasons)


def _chunked(document: Document, chunks: Chunks) -> Document:
    # A run that is tried again writes the same generation, so that nothing is there twice.
    return replace(
        document,
        children=len(chunks.children),
        parents=len(chunks.parents),
        generation=document.generation or new_id(),
    )
