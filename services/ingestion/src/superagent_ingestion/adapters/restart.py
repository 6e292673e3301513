"""A document's job, made due anew."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, update

from superagent_common.db import Connection
from superagent_ingestion.adapters.job_letters import remove_letter
from superagent_ingestion.adapters.tables import document_stages, documents, jobs
from superagent_ingestion.domain.documents import STAGES, Document, StageName, State, progress_of
from superagent_ingestion.domain.jobs import QUEUED


async def restart(
    connection: Connection, document: Document, first: StageName, state: State, now: int, **values: Any
) -> bool:
    """Has a document that is at rest run again from a stage on, with all its attempts, as a new generation.

    False, and nothing changed, when a job is at work on it or it is no longer in the state it was read in. The chunks
    that answer now go on answering. `values` are further columns to write.
    """
    document_id = document.document_id
    if (
        await connection.scalar(select(documents.c.state).where(documents.c.document_id == document_id))
        != document.state
    ):
        return False
    # Whatever changes the state of a document at rest changes its job too: that decides between two who want it.
    due = await connection.execute(
        update(jobs)
        .where(jobs.c.document_id == document_id, jobs.c.kind == "ingest", jobs.c.available_at.is_(None))
        .values(available_at=now, owner="", attempts=0)
    )
    if not due.rowcount:
        return False
    await remove_letter(connection, document_id)
    await connection.execute(
        update(documents)
        .where(documents.c.document_id == document_id)
        .values(
            state=state,
            progress=progress_of(state),
            waiting_reason=QUEUED,
            failure=None,
            generation="",
            copied_from="",
            updated_at=now,
            **values,
        )
    )
    await connection.execute(
        update(document_stages)
        .where(document_stages.c.document_id == document_id, document_stages.c.name.in_(STAGES[STAGES.index(first) :]))
        .values(state="pending", started_at=None, ended_at=None, attempts=0, counts={})
    )
    return True
