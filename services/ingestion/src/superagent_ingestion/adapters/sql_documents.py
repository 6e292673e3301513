"""Documents in a relational database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace

from sqlalchemy import ColumnElement, and_, bindparam, case, delete, func, or_, select, update

from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus import Outbox
from superagent_common.bus.topics import DOCUMENT_DELETED, DOCUMENT_INDEXED
from superagent_common.db import Database
from superagent_ingestion.adapters.job_letters import remove_letter
from superagent_ingestion.adapters.progress_statements import document_by_id
from superagent_ingestion.adapters.restart import restart
from superagent_ingestion.adapters.rows import document_values, read_documents, write_log
from superagent_ingestion.adapters.tables import document_log, documents, jobs, uploads
from superagent_ingestion.domain.documents import Document, LogEntry, Metadata, StageName, State
from superagent_ingestion.messages import document_message

# Built once: asked every second.
_behind = (
    select(documents)
    .where(
        documents.c.answering.is_(True),
        documents.c.indexed_revision < documents.c.metadata_revision,
        documents.c.state != "deleting",
    )
    .limit(bindparam("rows"))
)


class SqlDocumentStore:
    """`DocumentStore` on SQLAlchemy Core."""

    def __init__(self, database: Database, outbox: Outbox, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._database = database
        self._outbox = outbox
        self._clock = clock

    async def get(self, document_id: str) -> Document | None:
        async with self._database.read() as connection:
            rows = (await connection.execute(document_by_id, {"this": document_id})).all()
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

    async def process_again(self, document: Document) -> bool:
        # An address that was never fetched is fetched now.
        first: StageName = "parse" if document.sha256 else "upload"
        async with self._database.write() as connection:
            begun = await restart(connection, document, first, "uploaded", self._clock())
            if begun:
                message = "Is processed again."
                await write_log(connection, document.document_id, self._clock(), first, "info", message)
        return begun

    async def change(self, document_id: str, change: Callable[[Metadata], Metadata]) -> Document | None:
        wanted = documents.c.document_id == document_id, documents.c.state != "deleting"
        async with self._database.write() as connection:
            found = await read_documents(connection, (await connection.execute(select(documents).where(*wanted))).all())
            if not found:
                return None
            document = found[0]
            metadata = change(document.metadata)
            if metadata == document.metadata:
                return document
            now = self._clock()
            changed = replace(
                document, metadata=metadata, metadata_revision=document.metadata_revision + 1, updated_at=now
            )
            values = document_values(changed)
            names = ("metadata", "domain_code", "metadata_revision", "updated_at")
            await connection.execute(update(documents).where(*wanted).values({name: values[name] for name in names}))
            what = ", ".join(_differences(document.metadata, metadata))
            await write_log(connection, document_id, now, "index", "info", f"Changed: {what}.")
        return changed

    async def hold_revision(self, document_id: str, revision: int) -> None:
        this = documents.c.document_id == document_id
        async with self._database.write() as connection:
            held = await connection.execute(
                update(documents).where(this, documents.c.indexed_revision < revision).values(indexed_revision=revision)
            )
            if held.rowcount:
                rows = (await connection.execute(select(documents).where(this))).all()
                (document,) = await read_documents(connection, rows)
                if document.answering:
                    event = ingestion_pb2.DocumentIndexed(document=document_message(document))
                    await self._outbox.add(connection, DOCUMENT_INDEXED, document_id, event)

    async def behind(self, limit: int) -> Sequence[Document]:
        async with self._database.read() as connection:
            return await read_documents(connection, await connection.execute(_behind, {"rows": limit}))

    async def changes(self, owner_id: str) -> Mapping[str, int]:
        wanted = documents.c.owner_id == owner_id, documents.c.state != "deleting"
        async with self._database.read() as connection:
            rows = await connection.execute(select(documents.c.document_id, documents.c.updated_at).where(*wanted))
            return {row.document_id: row.updated_at for row in rows}

    async def mark_deleting(self, document_id: str) -> bool:
        now = self._clock()
        async with self._database.write() as connection:
            marked = await connection.execute(
                update(documents)
                .where(documents.c.document_id == document_id, documents.c.state != "deleting")
                # A key that made it may make another one at once.
                .values(state="deleting", import_key=None, updated_at=now)
            )
            await connection.execute(delete(uploads).where(uploads.c.document_id == document_id))
            # The worker that has it loses its lease; when that is over the sweeper finishes what is left.
            lease_end = case((jobs.c.owner != "", jobs.c.available_at), else_=now)
            await connection.execute(
                update(jobs)
                .where(jobs.c.document_id == document_id, jobs.c.kind != "delete")
                .values(kind="delete", owner="", available_at=lease_end)
            )
            return bool(marked.rowcount)

    async def remove(self, document_id: str, *, when_due: bool = False) -> bool:
        async with self._database.write() as connection:
            owner = await connection.scalar(select(documents.c.owner_id).where(documents.c.document_id == document_id))
            if owner is None:
                return False
            due_at = await connection.scalar(select(jobs.c.available_at).where(jobs.c.document_id == document_id))
            if when_due and due_at is not None and due_at > self._clock():
                return False
            await connection.execute(delete(documents).where(documents.c.document_id == document_id))
            await remove_letter(connection, document_id)
            event = ingestion_pb2.DocumentDeleted(document_id=document_id, owner_id=owner)
            await self._outbox.add(connection, DOCUMENT_DELETED, document_id, event)
        return True


def _differences(before: Metadata, after: Metadata) -> list[str]:
    """Names of what differs, as people read them."""
    return [
        "who may read it" if field.name == "is_public" else field.name.replace("_", " ")
        for field in fields(Metadata)
        if getattr(before, field.name) != getattr(after, field.name)
    ]


def _holds(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    return func.lower(column).contains(text.lower(), autoescape=True)
