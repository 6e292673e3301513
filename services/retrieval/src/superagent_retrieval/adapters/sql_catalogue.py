"""The catalogue in a relational database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, insert, or_, select, update

from superagent_common import clock
from superagent_common.db import Database
from superagent_common.errors import Conflict
from superagent_retrieval.adapters.tables import documents, embedding, parents
from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import DomainSummary, IndexedDocument, OutlineEntry
from superagent_retrieval.domain.records import DocumentAttributes

_SAMPLE_TITLES = 5
_ANSWERING = and_(documents.c.document_id == parents.c.document_id, documents.c.generation == parents.c.generation)
# Built once: on the path of every search.
_PARENTS = (
    select(parents, documents.c.title, documents.c.domain)
    .join(documents, _ANSWERING)
    .where(parents.c.parent_id.in_(bindparam("ids", expanding=True)))
)


class SqlCatalogue:
    """`Catalogue` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim_embedding(self, model: str, dimension: int) -> None:
        """Remembers the embedding model of an empty catalogue.

        Raises Conflict when documents were embedded with another one: a direct switch would mix vectors that cannot be
        compared.
        """
        async with self._database.write() as connection:
            chosen = (await connection.execute(select(embedding))).first()
            if chosen and (chosen.model, chosen.dimension) == (model, dimension):
                return
            if chosen and await connection.scalar(select(documents.c.document_id).limit(1)):
                raise Conflict(
                    "embedding_model_switch",
                    f"The index was made with {chosen.model} ({chosen.dimension} dimensions), not with {model} "
                    f"({dimension}). Set EMBEDDING_MODEL back, or start with an empty data folder and upload again.",
                )
            await connection.execute(delete(embedding))
            await connection.execute(insert(embedding).values(model=model, dimension=dimension, chosen_at=clock.now()))

    async def active(self, document_id: str) -> IndexedDocument | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(documents).where(documents.c.document_id == document_id))).first()
        return _document(row) if row else None

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
            .join(documents, _ANSWERING)
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

    async def discard(self, document_id: str, generation: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                delete(parents).where(parents.c.document_id == document_id, parents.c.generation == generation)
            )

    async def activate(self, document: IndexedDocument) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(documents).where(documents.c.document_id == document.document_id))
            await connection.execute(insert(documents).values(_document_values(document)))
            await connection.execute(
                delete(parents).where(
                    parents.c.document_id == document.document_id, parents.c.generation != document.generation
                )
            )

    async def update(self, document: IndexedDocument) -> None:
        async with self._database.write() as connection:
            values = _document_values(document)
            for fixed in ("document_id", "generation", "outline", "parents", "children", "uploaded_at"):
                del values[fixed]
            await connection.execute(
                update(documents).where(documents.c.document_id == document.document_id).values(values)
            )

    async def remove(self, document_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(documents).where(documents.c.document_id == document_id))
            await connection.execute(delete(parents).where(parents.c.document_id == document_id))

    async def parents(self, parent_ids: Sequence[str]) -> dict[str, Parent]:
        if not parent_ids:
            return {}
        async with self._database.read() as connection:
            rows = await connection.execute(_PARENTS, {"ids": list(parent_ids)})
            return {row.parent_id: _parent(row) for row in rows}

    async def readable(self, document_id: str, scope: AccessScope) -> IndexedDocument | None:
        wanted = select(documents).where(documents.c.document_id == document_id, _readable(scope))
        async with self._database.read() as connection:
            row = (await connection.execute(wanted)).first()
        return _document(row) if row else None

    async def outline(self, document_id: str, scope: AccessScope) -> tuple[OutlineEntry, ...] | None:
        wanted = documents.c.document_id == document_id
        async with self._database.read() as connection:
            row = (await connection.execute(select(documents.c.outline).where(wanted, _readable(scope)))).first()
        return None if row is None else tuple(OutlineEntry(**entry) for entry in row.outline)

    async def domains(self, scope: AccessScope) -> Sequence[DomainSummary]:
        newest = func.row_number().over(partition_by=documents.c.domain, order_by=documents.c.uploaded_at.desc())
        count = func.count().over(partition_by=documents.c.domain)
        ranked = (
            select(documents.c.domain, documents.c.title, newest.label("place"), count.label("total"))
            .where(_readable(scope))
            .subquery()
        )
        async with self._database.read() as connection:
            rows = (
                await connection.execute(
                    select(ranked).where(ranked.c.place <= _SAMPLE_TITLES).order_by(ranked.c.domain, ranked.c.place)
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
                    select(func.count(), func.sum(documents.c.parents), func.sum(documents.c.children))
                )
            ).one()
        return int(row[0]), int(row[1] or 0), int(row[2] or 0)


def _readable(scope: AccessScope) -> ColumnElement[bool]:
    """RAG-9, as `AccessScope.admits`."""
    return or_(
        documents.c.owner_id == scope.user_id,
        documents.c.is_public.is_(True),
        documents.c.org_tag.in_(sorted(scope.org_tags)),
    )


def _document_values(document: IndexedDocument) -> dict[str, Any]:
    attributes, access = document.attributes, document.attributes.access
    return {
        "document_id": document.document_id,
        "generation": document.generation,
        "title": document.title,
        "domain": attributes.domain,
        "business_category": attributes.business_category,
        "tags": list(attributes.tags),
        "language": attributes.language,
        "owner_id": access.owner_id,
        "org_tag": access.org_tag,
        "is_public": access.is_public,
        "uploaded_at": document.uploaded_at,
        "outline": [asdict(entry) for entry in document.outline],
        "parents": document.parents,
        "children": document.children,
    }


def _document(row: Any) -> IndexedDocument:
    access = DocumentAccess(row.owner_id, row.org_tag, row.is_public)
    return IndexedDocument(
        document_id=row.document_id,
        generation=row.generation,
        title=row.title,
        attributes=DocumentAttributes(access, row.domain, row.business_category, tuple(row.tags), row.language),
        uploaded_at=row.uploaded_at,
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
