"""The catalogue in a relational database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Select, delete, func, insert, or_, select

from superagent_common import clock
from superagent_common.clock import SECOND
from superagent_common.db import Connection, Database
from superagent_common.errors import NotFound
from superagent_retrieval.adapters import catalogue_statements as statements
from superagent_retrieval.adapters.catalogue_statements import ANSWERS, NO_GENERATION, OF_ANSWERING, READABLE
from superagent_retrieval.adapters.sql_index_catalogue import answers
from superagent_retrieval.adapters.tables import documents, parents, removed_documents
from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import (
    DocumentMetadata,
    DomainSummary,
    IndexedDocument,
    OutlineEntry,
)
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.records import DocumentAttributes

_SAMPLE_TITLES = 5
_REMEMBER_REMOVED = 24 * 3600 * SECOND


class SqlCatalogue:
    """`Catalogue` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def learn(self, document_id: str, metadata: DocumentMetadata) -> DocumentMetadata:
        this = {"this": document_id}
        async with self._database.write() as connection:
            await _refuse_removed(connection, document_id)
            row = (await connection.execute(statements.document_by_id, this)).first()
            if row is None:
                none = {
                    "document_id": document_id,
                    "generation": NO_GENERATION,
                    "outline": [],
                    "parents": 0,
                    "children": 0,
                }
                await connection.execute(statements.learn, none | _metadata_values(metadata))
            elif row.revision <= metadata.revision:
                await connection.execute(statements.relearn, this | statements.new(_metadata_values(metadata)))
            else:
                return _metadata(row)
        return metadata

    async def metadata(self, document_id: str) -> DocumentMetadata | None:
        row = await self._row(statements.document_by_id, document_id)
        return _metadata(row) if row else None

    async def answering(self, document_id: str) -> IndexedDocument | None:
        row = await self._row(statements.answering_by_id, document_id)
        return _document(row) if row else None

    async def generations(self, document_ids: Sequence[str]) -> dict[str, str]:
        wanted = select(documents.c.document_id, documents.c.generation).where(
            documents.c.document_id.in_(document_ids), ANSWERS
        )
        async with self._database.read() as connection:
            return {row.document_id: row.generation for row in await connection.execute(wanted)}

    async def write_parents(self, new: Sequence[Parent], generation: str) -> None:
        async with self._database.write() as connection:
            ids = [parent.parent_id for parent in new]
            there = set(await connection.scalars(statements.parents_there, {"ids": ids}))
            rows = [_parent_values(parent, generation) for parent in new if parent.parent_id not in there]
            if rows:
                await connection.execute(statements.add_parents, rows)

    async def parents_behind(self, document_id: str, generation: str, position: int, limit: int) -> list[Parent]:
        wanted = (
            select(parents, documents.c.title, documents.c.domain)
            .join(documents, OF_ANSWERING)
            .where(
                parents.c.document_id == document_id,
                parents.c.generation == generation,
                parents.c.position > position,
            )
            .order_by(parents.c.position)
            .limit(limit)
        )
        async with self._database.read() as connection:
            return [_parent(row) for row in await connection.execute(wanted)]

    async def texts(self, parent_ids: Sequence[str]) -> dict[str, str]:
        wanted = select(parents.c.parent_id, parents.c.text).where(parents.c.parent_id.in_(parent_ids))
        async with self._database.read() as connection:
            return {row.parent_id: row.text for row in await connection.execute(wanted)}

    async def count(self, document_id: str, generation: str) -> int:
        async with self._database.read() as connection:
            of = {"this": document_id, "of_generation": generation}
            return await connection.scalar(statements.count_parents, of) or 0

    async def discard(self, document_id: str, generation: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                delete(parents).where(parents.c.document_id == document_id, parents.c.generation == generation)
            )

    async def activate(self, document: IndexedDocument, index: IndexName) -> bool:
        document_id, generation = document.document_id, document.generation
        async with self._database.write() as connection:
            await _refuse_removed(connection, document_id)
            if not await answers(connection, index):
                return False
            written = {
                "generation": generation,
                "outline": [asdict(entry) for entry in document.outline],
                "parents": document.parents,
                "children": document.children,
            }
            this = {"this": document_id, "revision_written": document.metadata.revision}
            activated = await connection.execute(statements.activate, this | statements.new(written))
            if not activated.rowcount:
                return False
            others = {"this": document_id, "of_generation": generation}
            await connection.execute(statements.drop_other_parents, others)
        return True

    async def remove(self, document_id: str) -> None:
        now = clock.now()
        removed = removed_documents.c
        async with self._database.write() as connection:
            await connection.execute(delete(documents).where(documents.c.document_id == document_id))
            await connection.execute(delete(parents).where(parents.c.document_id == document_id))
            await connection.execute(
                delete(removed_documents).where(
                    or_(removed.document_id == document_id, removed.removed_at < now - _REMEMBER_REMOVED)
                )
            )
            await connection.execute(insert(removed_documents).values(document_id=document_id, removed_at=now))

    async def removed(self) -> list[str]:
        recent = removed_documents.c.removed_at >= clock.now() - _REMEMBER_REMOVED
        async with self._database.read() as connection:
            return list(await connection.scalars(select(removed_documents.c.document_id).where(recent)))

    async def parents(self, parent_ids: Sequence[str], scope: AccessScope) -> dict[str, Parent]:
        if not parent_ids:
            return {}
        async with self._database.read() as connection:
            rows = await connection.execute(statements.readable_parents, {"ids": list(parent_ids), **_scope(scope)})
            return {row.parent_id: _parent(row) for row in rows}

    async def readable(self, document_id: str, scope: AccessScope) -> IndexedDocument | None:
        row = await self._row(statements.answering_by_id.where(READABLE), document_id, **_scope(scope))
        return _document(row) if row else None

    async def outline(self, document_id: str, scope: AccessScope) -> tuple[OutlineEntry, ...] | None:
        document = await self.readable(document_id, scope)
        return None if document is None else document.outline

    async def domains(self, scope: AccessScope) -> Sequence[DomainSummary]:
        newest = func.row_number().over(partition_by=documents.c.domain, order_by=documents.c.uploaded_at.desc())
        count = func.count().over(partition_by=documents.c.domain)
        ranked = (
            select(documents.c.domain, documents.c.title, newest.label("place"), count.label("total"))
            .where(ANSWERS, READABLE)
            .subquery()
        )
        async with self._database.read() as connection:
            rows = (
                await connection.execute(
                    select(ranked).where(ranked.c.place <= _SAMPLE_TITLES).order_by(ranked.c.domain, ranked.c.place),
                    _scope(scope),
                )
            ).all()
        titles: dict[str, list[str]] = {}
        for row in rows:
            titles.setdefault(row.domain, []).append(row.title)
        totals = {row.domain: row.total for row in rows}
        return [DomainSummary(code, totals[code], tuple(some)) for code, some in titles.items()]

    async def totals(self) -> tuple[int, int, int]:
        async with self._database.read() as connection:
            row = (
                await connection.execute(
                    select(func.count(), func.sum(documents.c.parents), func.sum(documents.c.children)).where(ANSWERS)
                )
            ).one()
        return int(row[0]), int(row[1] or 0), int(row[2] or 0)

    async def _row(self, wanted: Select[Any], document_id: str, **parameters: Any) -> Any:
        async with self._database.read() as connection:
            return (await connection.execute(wanted, {"this": document_id, **parameters})).first()


async def _refuse_removed(connection: Connection, document_id: str) -> None:
    if await connection.scalar(statements.removed_by_id, {"this": document_id}):
        raise NotFound("unknown_document", "There is no such document (any more).")


def _scope(scope: AccessScope) -> dict[str, Any]:
    return {"user_id": scope.user_id, "org_tags": sorted(scope.org_tags)}


def _metadata_values(metadata: DocumentMetadata) -> dict[str, Any]:
    attributes, access = metadata.attributes, metadata.attributes.access
    return {
        "title": metadata.title,
        "domain": attributes.domain,
        "business_category": attributes.business_category,
        "tags": list(attributes.tags),
        "language": attributes.language,
        "owner_id": access.owner_id,
        "org_tag": access.org_tag,
        "is_public": access.is_public,
        "uploaded_at": metadata.uploaded_at,
        "revision": metadata.revision,
    }


def _metadata(row: Any) -> DocumentMetadata:
    access = DocumentAccess(row.owner_id, row.org_tag, row.is_public)
    attributes = DocumentAttributes(access, row.domain, row.business_category, tuple(row.tags), row.language)
    return DocumentMetadata(row.title, attributes, row.uploaded_at, row.revision)


def _document(row: Any) -> IndexedDocument:
    return IndexedDocument(
        document_id=row.document_id,
        generation=row.generation,
        metadata=_metadata(row),
        outline=tuple(OutlineEntry(**entry) for entry in row.outline),
        parents=row.parents,
        children=row.children,
    )


def _parent_values(parent: Parent, generation: str) -> dict[str, Any]:
    return {
        "parent_id": parent.parent_id,
        "document_id": parent.document_id,
        "generation": generation,
        "position": parent.position,
        "heading_path": list(parent.heading_path),
        "text": parent.text,
        "start": parent.start,
        "end": parent.end,
        "page_from": parent.page_from,
        "page_to": parent.page_to,
    }


def _parent(row: Any) -> Parent:
    return Parent(
        parent_id=row.parent_id,
        document_id=row.document_id,
        title=row.title,
        domain=row.domain,
        heading_path=tuple(row.heading_path),
        position=row.position,
        text=row.text,
        start=row.start,
        end=row.end,
        page_from=row.page_from,
        page_to=row.page_to,
    )
