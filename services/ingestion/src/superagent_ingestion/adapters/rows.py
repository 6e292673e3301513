"""Documents and uploads as rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, select

from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus import Outbox
from superagent_common.bus.topics import DOCUMENT_UPLOADED
from superagent_common.db import Connection
from superagent_ingestion.adapters.tables import document_log, document_stages, documents, jobs
from superagent_ingestion.domain.documents import STAGES, Document, Failure, Level, Metadata, Stage
from superagent_ingestion.domain.jobs import OTHERS_FIRST, QUEUED

_STAGE_FIELDS = [field.name for field in fields(Stage)]


def _how_they_wait() -> Select[Any]:
    before = jobs.alias()
    turn = before.c.kind == "ingest", before.c.available_at.is_not(None), before.c.owner == ""
    same = before.c.person_id == jobs.c.person_id, before.c.document_id < jobs.c.document_id
    ahead = select(func.count()).select_from(before).where(*turn, *same).scalar_subquery()
    these = jobs.c.document_id.in_(bindparam("ids", expanding=True))
    return (
        select(jobs.c.document_id, jobs.c.available_at, documents.c.waiting_reason, ahead.label("ahead"))
        .join(documents, documents.c.document_id == jobs.c.document_id)
        .where(these, jobs.c.available_at.is_not(None), jobs.c.owner == "")
    )


# Built once: they belong to every look at a document.
_waiting_jobs = _how_they_wait()
_stages = select(document_stages).where(document_stages.c.document_id.in_(bindparam("ids", expanding=True)))
_log_line = insert(document_log)
_new_document, _new_stages, _new_job = insert(documents), insert(document_stages), insert(jobs)


def document_values(document: Document) -> dict[str, Any]:
    """Columns of a document, without its stages."""
    values = asdict(document)
    for name in ("stages", "retry_at", "queued_before"):
        del values[name]
    values["domain_code"] = document.metadata.domain_code
    return values


async def add_document(connection: Connection, outbox: Outbox, document: Document, message: str) -> None:
    """Stores a new document with its stages, its first log line, a job that is due, and `document.uploaded`."""
    document_id, now = document.document_id, document.created_at
    await connection.execute(_new_document, {**document_values(document), "waiting_reason": QUEUED})
    stages = [{"document_id": document_id, **asdict(stage)} for stage in document.stages]
    await connection.execute(_new_stages, stages)
    job = {"document_id": document_id, "kind": "ingest", "available_at": now, "owner": "", "attempts": 0}
    await connection.execute(_new_job, {"person_id": document.owner_id, **job})
    await write_log(connection, document_id, now, "upload", "info", message)
    await outbox.add(
        connection, DOCUMENT_UPLOADED, document_id, ingestion_pb2.DocumentUploaded(document_id=document_id)
    )


async def read_documents(connection: Connection, rows: Iterable[Any]) -> list[Document]:
    """Documents of rows, with their stages and how they wait."""
    found = list(rows)
    waiting = await _waiting(connection, [row.document_id for row in found if row.waiting_reason])
    stages: dict[str, dict[str, Stage]] = {row.document_id: {} for row in found}
    if found:
        ids = [row.document_id for row in found]
        stored = await connection.execute(_stages, {"ids": ids})
        for row in stored:
            stages[row.document_id][row.name] = Stage(*(getattr(row, name) for name in _STAGE_FIELDS))
    return [_document(row, stages[row.document_id], waiting.get(row.document_id, {})) for row in found]


async def _waiting(connection: Connection, document_ids: list[str]) -> dict[str, dict[str, int]]:
    """`retry_at` of documents that wait for a time, `queued_before` of those that wait for their turn."""
    if not document_ids:
        return {}
    found = await connection.execute(_waiting_jobs, {"ids": document_ids})
    return {
        row.document_id: {"queued_before": row.ahead}
        if row.waiting_reason in (QUEUED, OTHERS_FIRST)
        else {"retry_at": row.available_at}
        for row in found
    }


async def write_log(connection: Connection, document_id: str, at: int, stage: str, level: Level, message: str) -> None:
    """Adds a line to a document's log."""
    values = {"document_id": document_id, "at": at, "stage": stage, "level": level, "message": message[:2000]}
    await connection.execute(_log_line, values)


def metadata_of(stored: dict[str, Any]) -> Metadata:
    """Metadata as it was stored."""
    return Metadata(**{**stored, "tags": tuple(stored["tags"])})


def _document(row: Any, stages: dict[str, Stage], waiting: dict[str, Any]) -> Document:
    return Document(
        document_id=row.document_id,
        owner_id=row.owner_id,
        file_name=row.file_name,
        size=row.size,
        sha256=row.sha256,
        metadata=metadata_of(row.metadata),
        state=row.state,
        progress=row.progress,
        created_at=row.created_at,
        updated_at=row.updated_at,
        waiting_reason=row.waiting_reason,
        failure=Failure(**row.failure) if row.failure else None,
        children=row.children,
        parents=row.parents,
        pages=row.pages,
        found_title=row.found_title,
        found_language=row.found_language,
        recommended_strategy=row.recommended_strategy,
        chosen_strategy=row.chosen_strategy,
        review_strategy=row.review_strategy,
        strategy_reasons=tuple(row.strategy_reasons),
        generation=row.generation,
        answering=row.answering,
        metadata_revision=row.metadata_revision,
        indexed_revision=row.indexed_revision,
        source_url=row.source_url,
        copied_from=row.copied_from,
        trace_parent=row.trace_parent,
        **waiting,
        stages=tuple(stages[name] for name in STAGES if name in stages),
    )
