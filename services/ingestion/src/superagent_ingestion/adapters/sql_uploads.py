"""Uploads in a relational database."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from superagent_common.bus import Outbox
from superagent_common.db import Database
from superagent_common.errors import NotFound
from superagent_ingestion.adapters.rows import add_document, metadata_of
from superagent_ingestion.adapters.tables import upload_parts, uploads
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.domain.possession import Challenge
from superagent_ingestion.domain.uploads import Upload

_this = uploads.c.upload_id == bindparam("this")
_part_of = upload_parts.c.upload_id == bindparam("this")
_part = _part_of & (upload_parts.c.number == bindparam("of_number"))
# Built once: each part of each upload asks for them.
_own = select(uploads).where(_this, uploads.c.user_id == bindparam("of_user"))
_parts = select(upload_parts.c.number, upload_parts.c.sha256).where(_part_of)
_digest = select(upload_parts.c.sha256).where(_part)
_is_completed = select(uploads.c.completed).where(_this)
_add, _add_part = insert(uploads), insert(upload_parts)
_complete = update(uploads).where(_this).values(completed=True, challenge=None, instant=bindparam("was_instant"))


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
            values = {**asdict(upload), "idempotency_key": key, "challenge": _stored(upload.challenge)}
            await connection.execute(_add, values)
        return upload

    async def get(self, user_id: str, upload_id: str) -> Upload | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_own, {"this": upload_id, "of_user": user_id})).first()
        return _upload(row) if row else None

    async def parts(self, upload_id: str) -> Mapping[int, str]:
        async with self._database.read() as connection:
            rows = await connection.execute(_parts, {"this": upload_id})
            return {row.number: row.sha256 for row in rows}

    async def part(self, upload_id: str, number: int) -> str | None:
        async with self._database.read() as connection:
            digest: str | None = await connection.scalar(_digest, {"this": upload_id, "of_number": number})
        return digest

    async def add_part(self, upload_id: str, number: int, sha256: str) -> str:
        async with self._database.write() as connection:
            held: str | None = await connection.scalar(_digest, {"this": upload_id, "of_number": number})
            # It may be forgotten by now.
            if held is None and await connection.scalar(_is_completed, {"this": upload_id}) is not None:
                await connection.execute(_add_part, {"upload_id": upload_id, "number": number, "sha256": sha256})
        return held or sha256

    async def drop_parts(self, upload_id: str, numbers: Collection[int]) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                delete(upload_parts).where(upload_parts.c.upload_id == upload_id, upload_parts.c.number.in_(numbers))
            )

    async def challenge(self, upload_id: str, challenge: Challenge | None) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                update(uploads).where(uploads.c.upload_id == upload_id).values(challenge=_stored(challenge))
            )

    async def complete(self, upload: Upload, document: Document, message: str) -> bool:
        async with self._database.write() as connection:
            this = {"this": upload.upload_id}
            completed = await connection.scalar(_is_completed, this)
            if completed is None:
                raise NotFound("unknown_upload", "There is no such upload.")
            if completed:
                return False
            await add_document(connection, self._outbox, document, message)
            await connection.execute(_complete, {**this, "was_instant": bool(document.copied_from)})
        return True

    async def open(self, upload_ids: Collection[str]) -> Collection[str]:
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(uploads.c.upload_id).where(uploads.c.completed.is_(False), uploads.c.upload_id.in_(upload_ids))
            )
            return set(found)

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
        challenge=_challenge(row.challenge),
        instant=row.instant,
    )


def _stored(challenge: Challenge | None) -> dict[str, Any] | None:
    return {**asdict(challenge), "nonce": challenge.nonce.hex()} if challenge else None


def _challenge(stored: dict[str, Any] | None) -> Challenge | None:
    if stored is None:
        return None
    ranges = tuple((start, end) for start, end in stored["ranges"])
    return Challenge(bytes.fromhex(stored["nonce"]), ranges, stored["expires_at"])
