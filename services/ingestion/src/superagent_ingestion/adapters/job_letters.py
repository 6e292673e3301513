"""Dead letters of jobs that were given up, beside those of events: one for each document, by the document's id."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus.topics import DOCUMENT_UPLOADED
from superagent_common.db import Connection
from superagent_common.errors import NotFound
from superagent_ingestion.adapters.rows import write_log
from superagent_ingestion.adapters.tables import dead_letters, document_stages, documents, jobs
from superagent_ingestion.domain.documents import progress_of
from superagent_ingestion.domain.jobs import QUEUED

_remove_letter = delete(dead_letters).where(dead_letters.c.event_id == bindparam("this"))


async def add_letter(connection: Connection, document_id: str, reason: str, at: int) -> None:
    """Writes down that a document's job was given up; one from before is replaced."""
    found = (
        select(jobs.c.attempts, documents.c.trace_parent)
        .join(documents, documents.c.document_id == jobs.c.document_id)
        .where(jobs.c.document_id == document_id)
    )
    job: Any = (await connection.execute(found)).one()
    await remove_letter(connection, document_id)
    await connection.execute(
        insert(dead_letters).values(
            event_id=document_id,
            topic=DOCUMENT_UPLOADED,
            key=document_id,
            payload=ingestion_pb2.DocumentUploaded(document_id=document_id).SerializeToString(),
            traceparent=job.trace_parent,
            reason=reason,
            attempts=job.attempts,
            failed_at=at,
        )
    )


async def remove_letter(connection: Connection, document_id: str) -> None:
    """Forgets that a document's job was given up."""
    await connection.execute(_remove_letter, {"this": document_id})


def is_job_letter(event_id: str, document_id: str) -> bool:
    """Whether a dead letter is that of the document's job; events have ids of their own."""
    return event_id == document_id


async def redeliver_job(connection: Connection, document_id: str, at: int) -> None:
    """Makes a job that was given up due anew; one that somebody else took up meanwhile is left alone.

    Raises NotFound when the document was deleted.
    """
    one = documents.c.document_id == document_id
    row: Any = (
        await connection.execute(
            select(documents.c.state, documents.c.failure, jobs.c.available_at)
            .join(jobs, jobs.c.document_id == documents.c.document_id)
            .where(one)
        )
    ).first()
    if row is None or row.state == "deleting":
        raise NotFound("unknown_document", "The document was deleted meanwhile.")
    if row.available_at is not None or row.failure is None:
        return
    await connection.execute(
        update(jobs).where(jobs.c.document_id == document_id).values(owner="", attempts=0, available_at=at)
    )
    again = {"state": "uploaded", "progress": progress_of("uploaded"), "failure": None, "waiting_reason": QUEUED}
    await connection.execute(update(documents).where(one).values(updated_at=at, **again))
    failed = document_stages.c.document_id == document_id, document_stages.c.state == "failed"
    await connection.execute(update(document_stages).where(*failed).values(state="pending", ended_at=None))
    await write_log(connection, document_id, at, "upload", "info", "An administrator has it tried again.")
