"""What each stage of each document runs, built once: building these anew took a third of a worker's time."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Update, and_, bindparam, case, select, update

from superagent_ingestion.adapters.tables import document_stages, documents, jobs
from superagent_ingestion.domain.documents import Document

# What a job finds out of its document; what a person says of it meanwhile is not for the job to write.
_FOUND = (
    "found_title",
    "found_language",
    "pages",
    "recommended_strategy",
    "strategy_reasons",
    "children",
    "parents",
    "generation",
    "copied_from",
)
_this = documents.c.document_id == bindparam("this")
_stage = (document_stages.c.document_id == bindparam("this")) & (document_stages.c.name == bindparam("stage"))
_job = jobs.c.document_id == bindparam("this")


def _new(column: ColumnElement[Any]) -> BindParameter[Any]:
    return bindparam(f"new_{column.name}", type_=column.type)


def _described() -> dict[str, Any]:
    values: dict[str, Any] = {name: _new(documents.c[name]) for name in _FOUND}
    # What answers meanwhile has other chunks, and what it is called comes from what was found in it.
    answers = documents.c.answering
    for name in ("children", "parents"):
        values[name] = case((answers, documents.c[name]), else_=values[name])
    same = and_(
        documents.c.found_title == values["found_title"], documents.c.found_language == values["found_language"]
    )
    revision = documents.c.metadata_revision
    # First: MariaDB gives columns their new values one after the other, and this asks for the old ones.
    return {"metadata_revision": case((and_(answers, ~same), revision + 1), else_=revision), **values}


def _document(**values: Any) -> Update:
    new = {**values, "updated_at": bindparam("now")}
    return update(documents).where(_this).ordered_values(*((documents.c[name], value) for name, value in new.items()))


def _ended(**values: Any) -> Update:
    return (
        update(document_stages)
        .where(_stage)
        .values(state=bindparam("stage_state"), ended_at=bindparam("now"), **values)
    )


def found(document: Document) -> dict[str, Any]:
    """Parameters of what a job found out of its document."""
    return {f"new_{name}": getattr(document, name) for name in _FOUND}


owner_of_job = select(jobs.c.owner).where(_job, jobs.c.kind == "ingest")
document_by_id = select(documents).where(_this)

_went, _reached = documents.c.progress, _new(documents.c.progress)
# What is done again is soon where it was: a document never seems to go backwards.
begin = _document(
    state=_new(documents.c.state), progress=case((and_(_went > _reached, _went < 100), _went), else_=_reached)
)
begin_stage = (
    update(document_stages)
    .where(_stage)
    .values(state="running", started_at=bindparam("now"), ended_at=None, attempts=document_stages.c.attempts + 1)
)
advance = _document(progress=_reached)
describe = _document(**_described())
complete = _document(**_described(), state=_new(documents.c.state))
end_stage = _ended()
end_stage_counted = _ended(counts=_new(document_stages.c.counts))

_held, _revision = documents.c.indexed_revision, _new(documents.c.metadata_revision)
ready = _document(
    state="ready",
    progress=100,
    waiting_reason="",
    failure=None,
    children=_new(documents.c.children),
    parents=_new(documents.c.parents),
    answering=True,
    # A change that came meanwhile may have reached the indexes before this.
    indexed_revision=case((_held > _revision, _held), else_=_revision),
)
close_job = update(jobs).where(_job).values(available_at=None, owner="")
