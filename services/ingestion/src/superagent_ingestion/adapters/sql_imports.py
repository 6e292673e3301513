"""Imports in a relational database."""

from __future__ import annotations

from sqlalchemy import select, update

from superagent_common.bus import Outbox
from superagent_common.db import Database
from superagent_ingestion.adapters.rows import add_document
from superagent_ingestion.adapters.tables import documents
from superagent_ingestion.domain.documents import Document


class SqlImportStore:
    """`ImportStore` on SQLAlchemy Core."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def add(self, document: Document, idempotency_key: str) -> tuple[str, str]:
        key = idempotency_key or None
        async with self._database.write() as connection:
            if key:
                known = documents.c.owner_id == document.owner_id, documents.c.import_key == key
                found = select(documents.c.document_id, documents.c.source_url).where(*known)
                if row := (await connection.execute(found)).first():
                    return row.document_id, row.source_url
            await add_document(connection, self._outbox, document, "To be fetched from its address.")
            one = documents.c.document_id == document.document_id
            await connection.execute(update(documents).where(one).values(import_key=key))
        return document.document_id, document.source_url
