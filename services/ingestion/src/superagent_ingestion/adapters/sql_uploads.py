"""Uploads in a relational database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, insert, select, update

from superagent_common.bus import Outbox
from superagent_common.db import Database
from superagent_ingestion.adapters.rows import add_document, metadata_of
from superagent_ingestion.adapters.tables import upload_parts, uploads
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.domain.uploads import Upload


class SqlUploadStore:
    """`UploadStore` on SQLAlchemy Core."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def add(self, upload: Upload) -> Upload:
        key = upload.idempotency_key or None
        async with self._database.write() as connection:
            if key:
                known = uploads.c.user_id == upload.user_id, uploads.c.idempotency_key == key
                if row := (await connection.execute(select(uploads).where(*known))).first():
                    return _upload(row)
            await connection.execute(insert(uploads).values({**asdict(upload), "idempotency_key": key}))
        return upload

    async def get(self, user_id: str, upload_id: str) -> Upload | None:
        async with self._database.read() as connection:
            row = (
                await connection.execute(
                    select(uploads).where(uploads.c.upload_id == upload_id, uploads.c.user_id == user_id)
                )
            ).first()
        return _upload(row) if row else None

    async def parts(self, upload_id: str) -> Mapping[int, str]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(upload_parts.c.number, upload_parts.c.sha256).where(upload_parts.c.upload_id == upload_id)
            )
            return {row.number: row.sha256 for row in rows}

    async def add_part(self, upload_id: str, number: int, sha256: str) -> None:
        async with self._database.write() as connection:
            same = upload_parts.c.upload_id == upload_id, upload_parts.c.number == number
            await connection.execute(delete(upload_parts).where(*same))
            await connection.execute(insert(upload_parts).values(upload_id=upload_id, number=number, sha256=sha256))

    async def complete(self, upload: Upload, document: Document) -> bool:
        async with self._database.write() as connection:
            if await connection.scalar(select(uploads.c.completed).where(uploads.c.upload_id == upload.upload_id)):
                return False
            await add_document(connection, self._outbox, document, "Uploaded.")
            await connection.execute(
                update(uploads).where(uploads.c.upload_id == upload.upload_id).values(completed=True)
            )
        return True

    async def expired(self, before: int, limit: int) -> Sequence[Upload]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(uploads).where(uploads.c.completed.is_(False), uploads.c.created_at < before).limit(limit)
            )
            return [_upload(row) for row in rows]

    async def forget(self, upload_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(uploads).where(uploads.c.upload_id == upload_id))


def _upload(row: Any) -> Upload:
    return Upload(
        upload_id=row.upload_id,
        user_id=row.user_id,
        file_name=row.file_name,
        size=row.size,
        sha256=row.sha256,
        metadata=metadata_of(row.metadata),
        document_id=row.document_id,
        completed=row.completed,
        created_at=row.created_at,
        idempotency_key=row.idempotency_key or "",
        review_strategy=row.review_strategy,
    )
