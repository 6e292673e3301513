"""Documents in a relational database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update

from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus import Outbox
from superagent_common.bus.topics import DOCUMENT_DELETED
from superagent_common.db import Database
from superagent_ingestion.adapters.restart import restart
from superagent_ingestion.adapters.rows import read_documents, write_log
from superagent_ingestion.adapters.tables import document_log, documents, jobs
from superagent_ingestion.domain.documents import Document, LogEntry, State


class SqlDocumentStore:
    """`DocumentStore` on SQLAlchemy Core."""

    def __init__(self, database: Database, outbox: Outbox, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._database = database
        self._outbox = outbox
        self._clock = clock

    async def get(self, document_id: str) -> Document | None:
        async with self._database.read() as connection:
            rows = (await connection.execute(select(documents).where(documents.c.document_id == document_id))).all()
            found = await read_documents(connection, rows)
        return found[0] if found else None

    async def page(
        self,
        owner_id: str,
        states: Sequence[State],
        domain_code: str,
        text: str,
        before: tuple[int, str] | None,
        limit: int,
    ) -> Sequence[Document]:
        wanted = [documents.c.owner_id == owner_id, documents.c.state != "deleting"]
        if states:
            wanted.append(documents.c.state.in_(states))
        if domain_code:
            wanted.append(documents.c.domain_code == domain_code)
        if text:
            title = documents.c.metadata["title"].as_string()
            names = title, documents.c.found_title, documents.c.file_name
            wanted.append(or_(*(_holds(column, text) for column in names)))
        if before:
            at, key = before
            earlier = documents.c.created_at < at
            wanted.append(or_(earlier, and_(documents.c.created_at == at, documents.c.document_id < key)))
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(documents)
                .where(*wanted)
                .order_by(documents.c.created_at.desc(), documents.c.document_id.desc())
                .limit(limit)
            )
            return await read_documents(connection, rows)

    async def log(self, document_id: str) -> Sequence[LogEntry]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(document_log.c.at, document_log.c.stage, document_log.c.level, document_log.c.message)
                .where(document_log.c.document_id == document_id)
                .order_by(document_log.c.row)
            )
            return [LogEntry(*row) for row in rows]

    async def choose_strategy(self, document: Document, strategy: str) -> bool:
        async with self._database.write() as connection:
            chosen = await restart(
                connection, document, "strategy", "confirmed", self._clock(), chosen_strategy=strategy
            )
            if chosen:
                message = f"Strategy {strategy} was chosen."
                await write_log(connection, document.document_id, self._clock(), "strategy", "info", message)
        return chosen

    async def mark_deleting(self, document_id: str) -> bool:
        now = self._clock()
        async with self._database.write() as connection:
            marked = await connection.execute(
                update(documents)
                .where(documents.c.document_id == document_id, documents.c.state != "deleting")
                .values(state="deleting", updated_at=now)
            )
            # The worker that has it loses its lease; the sweeper finishes what this process cannot.
            await connection.execute(
                update(jobs).where(jobs.c.document_id == document_id).values(kind="delete", owner="", available_at=now)
            )
            return bool(marked.rowcount)

    async def remove(self, document_id: str) -> None:
        async with self._database.write() as connection:
            owner = await connection.scalar(select(documents.c.owner_id).where(documents.c.document_id == document_id))
            if owner is None:
                return
            await connection.execute(delete(documents).where(documents.c.document_id == document_id))
            event = ingestion_pb2.DocumentDeleted(document_id=document_id, owner_id=owner)
            await self._outbox.add(connection, DOCUMENT_DELETED, document_id, event)


def _holds(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    return func.lower(column).contains(text.lower(), autoescape=True)
