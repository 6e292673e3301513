"""The catalogue in a relational database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, insert, or_, select, update

from superagent_common import clock
from superagent_common.clock import SECOND
from superagent_common.db import Connection, Database
from superagent_common.errors import NotFound
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
_NO_GENERATION = ""
_REMEMBER_REMOVED = 24 * 3600 * SECOND
_ANSWERS = documents.c.generation != _NO_GENERATION
_OF_ANSWERING = and_(documents.c.document_id == parents.c.document_id, documents.c.generation == parents.c.generation)
# RAG-9, as `AccessScope.admits`.
_READABLE = or_(
    documents.c.owner_id == bindparam("user_id"),
    documents.c.is_public.is_(True),
    documents.c.org_tag.in_(bindparam("org_tags", expanding=True)),
)
# Built once: on the path of every search.
_PARENTS = (
    select(parents, documents.c.title, documents.c.domain)
    .join(documents, _OF_ANSWERING)
    .where(parents.c.parent_id.in_(bindparam("ids", expanding=True)), _READABLE)
)


class SqlCatalogue:
    """`Catalogue` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def learn(self, document_id: str, metadata: DocumentMetadata) -> DocumentMetadata:
        wanted = documents.c.document_id == document_id
        async with self._database.write() as connection:
            await _refuse_removed(connection, document_id)
            row = (await connection.execute(select(documents).where(wanted))).first()
            if row is None:
                none = {
                    "document_id": document_id,
                    "generation": _NO_GENERATION,
                    "outline": [],
                    "parents": 0,
                    "children": 0,
                }
                await connection.execute(insert(documents).values(none | _metadata_values(metadata)))
            elif row.revision <= metadata.revision:
                await connection.execute(update(documents).where(wanted).values(_metadata_values(metadata)))
            else:
                return _metadata(row)
        return metadata

    async def metadata(self, document_id: str) -> DocumentMetadata | None:
        row = await self._row(documents.c.document_id == document_id)
        return _metadata(row) if row else None

    async def answering(self, document_id: str) -> IndexedDocument | None:
        row = await self._row(documents.c.document_id == document_id, _ANSWERS)
        return _document(row) if row else None

    async def generations(self, document_ids: Sequence[str]) -> dict[str, str]:
        wanted = select(documents.c.document_id, documents.c.generation).where(
            documents.c.document_id.in_(document_ids), _ANSWERS
        )
        async with self._database.read() as connection:
            return {row.document_id: row.generation for row in await connection.execute(wanted)}

    async def write_parents(self, new: Sequence[Parent], generation: str) -> None:
        async with self._database.write() as connection:
            ids = [parent.parent_id for parent in new]
            there = set(await connection.scalars(select(parents.c.parent_id).where(parents.c.parent_id.in_(ids))))
            rows = [_parent_values(parent, generation) for parent in new if parent.parent_id not in there]
            if rows:
                await connection.execute(insert(parents), rows)

    async def parents_behind(self, document_id: str, generation: str, position: int, limit: int) -> list[Parent]:
        wanted = (
            select(parents, documents.c.title, documents.c.domain)
            .join(documents, _OF_ANSWERING)
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
        wanted = parents.c.document_id == document_id, parents.c.generation == generation
        async with self._database.read() as connection:
            return await connection.scalar(select(func.count()).select_from(parents).where(*wanted)) or 0

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
            activated = await connection.execute(
                update(documents)
                .where(documents.c.document_id == document_id, documents.c.revision == document.metadata.revision)
                .values(
                    generation=generation,
                    held_by="",
                    outline=[asdict(entry) for entry in document.outline],
                    parents=document.parents,
                    children=document.children,
                )
            )
            if not activated.rowcount:
                return False
            await connection.execute(
                delete(parents).where(parents.c.document_id == document_id, parents.c.generation != generation)
            )
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
            rows = await connection.execute(_PARENTS, {"ids": list(parent_ids), **_scope(scope)})
            return {row.parent_id: _parent(row) for row in rows}

    async def readable(self, document_id: str, scope: AccessScope) -> IndexedDocument | None:
        row = await self._row(documents.c.document_id == document_id, _ANSWERS, _READABLE, **_scope(scope))
        return _document(row) if row else None

    async def outline(self, document_id: str, scope: AccessScope) -> tuple[OutlineEntry, ...] | None:
        document = await self.readable(document_id, scope)
        return None if document is None else document.outline

    async def domains(self, scope: AccessScope) -> Sequence[DomainSummary]:
        newest = func.row_number().over(partition_by=documents.c.domain, order_by=documents.c.uploaded_at.desc())
        count = func.count().over(partition_by=documents.c.domain)
        ranked = (
            select(documents.c.domain, documents.c.title, newest.label("place"), count.label("total"))
            .where(_ANSWERS, _READABLE)
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
                    select(func.count(), func.sum(documents.c.parents), func.sum(documents.c.children)).where(_ANSWERS)
                )
            ).one()
        return int(row[0]), int(row[1] or 0), int(row[2] or 0)

    async def _row(self, *wanted: ColumnElement[bool], **parameters: Any) -> Any:
        async with self._database.read() as connection:
            return (await connection.execute(select(documents).where(*wanted), parameters)).first()


async def _refuse_removed(connection: Connection, document_id: str) -> None:
    if await connection.scalar(select(removed_documents).where(removed_documents.c.document_id == document_id)):
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
