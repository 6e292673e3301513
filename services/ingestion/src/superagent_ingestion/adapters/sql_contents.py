"""Documents as contents, in a relational database."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, or_, select, update

from superagent_common.db import Database
from superagent_ingestion.adapters.rows import read_documents
from superagent_ingestion.adapters.tables import documents
from superagent_ingestion.domain.documents import Document

_LOSSES = 3
_SOME = 5
# Built once: each upload asks. What became ready has been parsed, and parsing checks the hash.
_same = (
    select(documents)
    .where(
        documents.c.sha256 == bindparam("of_sha256"),
        documents.c.size == bindparam("of_size"),
        or_(documents.c.state == "ready", documents.c.answering.is_(True)),
        documents.c.state != "deleting",
        documents.c.content_losses < _LOSSES,
    )
    .order_by((documents.c.owner_id == bindparam("first_of")).desc(), documents.c.created_at.desc())
    .limit(_SOME)
)


class SqlContentStore:
    """`ContentStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def same(self, sha256: str, size: int, owner_id: str) -> Sequence[Document]:
        async with self._database.read() as connection:
            rows = await connection.execute(_same, {"of_sha256": sha256, "of_size": size, "first_of": owner_id})
            return await read_documents(connection, rows)

    async def count_loss(self, document_id: str) -> int:
        async with self._database.write() as connection:
            await connection.execute(
                update(documents)
                .where(documents.c.document_id == document_id)
                .values(content_losses=documents.c.content_losses + 1)
            )
            losses = await connection.scalar(
                select(documents.c.content_losses).where(documents.c.document_id == document_id)
            )
            return losses or 0
