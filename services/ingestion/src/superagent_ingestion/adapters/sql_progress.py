"""What a running job writes, in a relational database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from sqlalchemy import case, update

from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus import Outbox
from superagent_common.bus.topics import DOCUMENT_FAILED, DOCUMENT_INDEXED
from superagent_common.clock import SECOND
from superagent_common.db import Connection, Database
from superagent_ingestion.adapters import progress_statements as statements
from superagent_ingestion.adapters.job_letters import add_letter, remove_letter
from superagent_ingestion.adapters.rows import read_documents, write_log
from superagent_ingestion.adapters.tables import documents, jobs
from superagent_ingestion.domain.documents import Document, Failure, Level, StageName, State, progress_of
from superagent_ingestion.domain.jobs import OTHERS_FIRST
from superagent_ingestion.messages import document_message


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
            at = {"this": document_id, "now": self._clock()}
            await connection.execute(statements.begin, {**at, "new_state": state, "new_progress": progress})
            await connection.execute(statements.begin_stage, {**at, "stage": stage})
        return True

    async def complete(
        self, document: Document, stage: StageName, state: State, counts: Mapping[str, int], message: str
    ) -> bool:
        document_id = document.document_id
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            values = {"this": document_id, "now": self._clock(), "new_state": state}
            await connection.execute(statements.complete, values | statements.found(document))
            await self._end(connection, document_id, stage, "completed", dict(counts), message)
        return True

    async def advance(self, document_id: str, progress: int) -> bool:
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            values = {"this": document_id, "now": self._clock(), "new_progress": progress}
            await connection.execute(statements.advance, values)
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
            values = {"this": document.document_id, "now": self._clock()}
            await connection.execute(statements.describe, values | statements.found(document))
        return True

    async def ready(self, document: Document, embedded: int, copied: int = 0) -> bool:
        document_id = document.document_id
        async with self._ours(document_id) as connection:
            if connection is None:
                return False
            values = {
                "this": document_id,
                "now": self._clock(),
                "new_children": document.children,
                "new_parents": document.parents,
                "new_metadata_revision": document.metadata_revision,
            }
            await connection.execute(statements.ready, values)
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
            owner = await connection.scalar(statements.owner_of_job, {"this": document_id})
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
        values = {"this": document_id, "stage": stage, "stage_state": state, "now": now}
        if counts is None:
            await connection.execute(statements.end_stage, values)
        else:
            await connection.execute(statements.end_stage_counted, values | {"new_counts": counts})
        await write_log(connection, document_id, now, stage, level, message)

    @staticmethod
    async def _close(connection: Connection, document_id: str) -> None:
        # Whatever became of it now, what was given up before is history.
        await remove_letter(connection, document_id)
        await connection.execute(statements.close_job, {"this": document_id})

    @staticmethod
    async def _read(connection: Connection, document_id: str) -> Document:
        rows = (await connection.execute(statements.document_by_id, {"this": document_id})).all()
        return (await read_documents(connection, rows))[0]
