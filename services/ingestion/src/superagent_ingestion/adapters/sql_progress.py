"""What a running job writes, in a relational database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from sqlalchemy import and_, case, not_, select, update

from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus import Outbox
from superagent_common.bus.topics import DOCUMENT_FAILED, DOCUMENT_INDEXED
from superagent_common.clock import SECOND
from superagent_common.db import Connection, Database
from superagent_ingestion.adapters.job_letters import add_letter, remove_letter
from superagent_ingestion.adapters.rows import document_values, read_documents, write_log
from superagent_ingestion.adapters.tables import document_stages, documents, jobs
from superagent_ingestion.domain.documents import Document, Failure, Level, StageName, State, progress_of
from superagent_ingestion.domain.jobs import OTHERS_FIRST
from superagent_ingestion.messages import document_message

# What a job finds out of its document; what a person says of it meanwhile is not for the job to write.
_FOUND = (
    "found_title",
    "found_language",
    "pages",
    "recommended_strategy",
    "strategy_reasons",
    "children",
    "parents",
    "generation",
    "copied_from",
)


class SqlProgress:
    """`Progress` of one worker on SQLAlchemy Core: it writes only while the job is its own."""

    def __init__(self, database: Database, outbox: Outbox, clock: Callable[[], int], owner: str) -> None:
        """`owner` is the name under which this worker claims jobs."""
        self._database = database
        self._outbox = outbox
        self._clock = clock
        self._owner = owner

    async def begin(self, document_id: str, stage: StageName, state: State, progress: int) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            now = self._clock()
            # What is done again is soon where it was: a document never seems to go backwards.
            went = documents.c.progress
            further = case((and_(went > progress, went < 100), went), else_=progress)
            await self._set(connection, document_id, state=state, progress=further)
            await connection.execute(
                update(document_stages)
                .where(_stage(document_id, stage))
                .values(state="running", started_at=now, ended_at=None, attempts=document_stages.c.attempts + 1)
            )
        return True

    async def complete(
        self, document_id: str, stage: StageName, state: State, counts: Mapping[str, int], message: str
    ) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await self._set(connection, document_id, state=state)
            await self._end(connection, document_id, stage, "completed", dict(counts), message)
        return True

    async def advance(self, document_id: str, progress: int) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await self._set(connection, document_id, progress=progress)
        return True

    async def fetched(self, document: Document) -> bool:
        async with self._ours(document.document_id) as connection:
            if connection is None:
                return False
            content = {"file_name": document.file_name, "size": document.size, "sha256": document.sha256}
            await self._set(connection, document.document_id, **content)
        return True

    async def current(self, document_id: str) -> Document | None:
        async with self._ours(document_id) as connection:
            return None if connection is None else await self._read(connection, document_id)

    async def describe(self, document: Document) -> bool:
        async with self._ours(document.document_id) as connection:
            if connection is None:
                return False
            written = document_values(document)
            values: dict[str, Any] = {name: written[name] for name in _FOUND}
            # What answers meanwhile has other chunks, and what it is called comes from what was found in it.
            answers = documents.c.answering
            for name in ("children", "parents"):
                values[name] = case((answers, documents.c[name]), else_=written[name])
            same = and_(
                documents.c.found_title == document.found_title, documents.c.found_language == document.found_language
            )
            revision = documents.c.metadata_revision
            values["metadata_revision"] = case((and_(answers, not_(same)), revision + 1), else_=revision)
            await self._set(connection, document.document_id, **values)
        return True

    async def ready(self, document: Document, embedded: int, copied: int = 0) -> bool:
        document_id = document.document_id
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            held = documents.c.indexed_revision
            await self._set(
                connection,
                document_id,
                state="ready",
                progress=100,
                waiting_reason="",
                failure=None,
                children=document.children,
                parents=document.parents,
                answering=True,
                # A change that came meanwhile may have reached the indexes before this.
                indexed_revision=case((held > document.metadata_revision, held), else_=document.metadata_revision),
            )
            counts = {"children": document.children, "embedded": embedded}
            if copied:
                counts["copied"] = copied
            await self._end(connection, document_id, "index", "completed", counts, "Searchable.")
            await self._close(connection, document_id)
            event = ingestion_pb2.DocumentIndexed(
                document=document_message(await self._read(connection, document_id)), children_embedded=embedded
            )
            await self._outbox.add(connection, DOCUMENT_INDEXED, document_id, event)
        return True

    async def fail(self, document_id: str, failure: Failure) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await self._fail(connection, document_id, failure)
        return True

    async def give_up(self, document_id: str, failure: Failure) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await self._fail(connection, document_id, failure)
            await add_letter(connection, document_id, failure.reason, self._clock())
        return True

    async def hold(self, document_id: str, reason: str) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await self._set(
                connection, document_id, state="parsed", progress=progress_of("parsed"), waiting_reason=reason
            )
            message = "Waits until somebody has confirmed how it is cut."
            await self._end(connection, document_id, "strategy", "pending", None, message)
            await self._close(connection, document_id)
        return True

    async def note(self, document_id: str, stage: StageName, message: str) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await write_log(connection, document_id, self._clock(), stage, "warning", message)
        return True

    async def wait(self, document_id: str, stage: str, reason: str, seconds: float) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await self._set(connection, document_id, waiting_reason=reason)
            await connection.execute(
                update(jobs)
                .where(jobs.c.document_id == document_id)
                .values(owner="", available_at=self._clock() + int(seconds * SECOND))
            )
            message = f"Waits {seconds:g} s: {reason}."
            await self._end(connection, document_id, stage, "failed", None, message, "warning")
        return True

    async def give_way(self, document_id: str, stage: StageName) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            await self._set(connection, document_id, waiting_reason=OTHERS_FIRST)
            await connection.execute(
                update(jobs)
                .where(jobs.c.document_id == document_id)
                .values(owner="", available_at=self._clock(), attempts=jobs.c.attempts - 1)
            )
            message = "Lets another person's document go first; what is indexed stays."
            await self._end(connection, document_id, stage, "pending", None, message)
        return True

    async def _fail(self, connection: Connection, document_id: str, failure: Failure) -> None:
        state = case((documents.c.answering, "ready"), else_="failed")
        await self._set(connection, document_id, state=state, progress=100, waiting_reason="", failure=asdict(failure))
        await self._end(connection, document_id, failure.stage, "failed", None, failure.message, "error")
        document = await self._read(connection, document_id)
        if document.answering:
            message = "The chunks from before go on answering."
            await write_log(connection, document_id, self._clock(), failure.stage, "warning", message)
        await self._close(connection, document_id)
        event = ingestion_pb2.DocumentFailed(document=document_message(document))
        await self._outbox.add(connection, DOCUMENT_FAILED, document_id, event)

    @asynccontextmanager
    async def _ours(self, document_id: str) -> AsyncIterator[Connection | None]:
        async with self._database.write() as connection:
            owner = await connection.scalar(
                select(jobs.c.owner).where(jobs.c.document_id == document_id, jobs.c.kind == "ingest")
            )
            yield connection if owner == self._owner else None

    async def _set(self, connection: Connection, document_id: str, **values: Any) -> None:
        await connection.execute(
            update(documents).where(documents.c.document_id == document_id).values(updated_at=self._clock(), **values)
        )

    async def _end(
        self,
        connection: Connection,
        document_id: str,
        stage: str,
        state: str,
        counts: dict[str, int] | None,
        message: str,
        level: Level = "info",
    ) -> None:
        now = self._clock()
        values: dict[str, Any] = {"state": state, "ended_at": now}
        if counts is not None:
            values["counts"] = counts
        await connection.execute(update(document_stages).where(_stage(document_id, stage)).values(values))
        await write_log(connection, document_id, now, stage, level, message)

    @staticmethod
    async def _close(connection: Connection, document_id: str) -> None:
        # Whatever became of it now, what was given up before is history.
        await remove_letter(connection, document_id)
        await connection.execute(
            update(jobs).where(jobs.c.document_id == document_id).values(available_at=None, owner="")
        )

    @staticmethod
    async def _read(connection: Connection, document_id: str) -> Document:
        rows = (await connection.execute(select(documents).where(documents.c.document_id == document_id))).all()
        return (await read_documents(connection, rows))[0]


def _stage(document_id: str, stage: str):  # type: ignore[no-untyped-def]
    return (document_stages.c.document_id == document_id) & (document_stages.c.name == stage)
