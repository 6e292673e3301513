"""What every search and every index run asks of the catalogue, built once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, bindparam, delete, func, insert, or_, select, update

from superagent_retrieval.adapters.tables import documents, parents, removed_documents

NO_GENERATION = ""
ANSWERS = documents.c.generation != NO_GENERATION
OF_ANSWERING = and_(documents.c.document_id == parents.c.document_id, documents.c.generation == parents.c.generation)
# RAG-9, as `AccessScope.admits`.
READABLE = or_(
    documents.c.owner_id == bindparam("user_id"),
    documents.c.is_public.is_(True),
    documents.c.org_tag.in_(bindparam("org_tags", expanding=True)),
)
_this = documents.c.document_id == bindparam("this")
_ids = bindparam("ids", expanding=True)
_METADATA = (
    "title",
    "domain",
    "business_category",
    "tags",
    "language",
    "owner_id",
    "org_tag",
    "is_public",
    "uploaded_at",
    "revision",
)


def _new(*names: str) -> dict[str, Any]:
    return {name: bindparam(f"new_{name}", type_=documents.c[name].type) for name in names}


def new(values: dict[str, Any]) -> dict[str, Any]:
    """Parameters of `relearn` and `activate`."""
    return {f"new_{name}": value for name, value in values.items()}


readable_parents = (
    select(parents, documents.c.title, documents.c.domain)
    .join(documents, OF_ANSWERING)
    .where(parents.c.parent_id.in_(_ids), READABLE)
)
document_by_id = select(documents).where(_this)
answering_by_id = document_by_id.where(ANSWERS)
removed_by_id = select(removed_documents.c.document_id).where(removed_documents.c.document_id == bindparam("this"))
learn = insert(documents)
relearn = update(documents).where(_this).values(_new(*_METADATA))
activate = (
    update(documents)
    .where(_this, documents.c.revision == bindparam("revision_written"))
    .values(held_by="", **_new("generation", "outline", "parents", "children"))
)
parents_there = select(parents.c.parent_id).where(parents.c.parent_id.in_(_ids))
add_parents = insert(parents)
_of_document = parents.c.document_id == bindparam("this")
count_parents = (
    select(func.count()).select_from(parents).where(_of_document, parents.c.generation == bindparam("of_generation"))
)
drop_other_parents = delete(parents).where(_of_document, parents.c.generation != bindparam("of_generation"))
