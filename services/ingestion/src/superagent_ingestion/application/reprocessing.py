"""Documents that are processed again."""

from __future__ import annotations

from collections.abc import Callable

from superagent_common.identity import Principal
from superagent_common.logging import Logger
from superagent_common.telemetry import traceparent
from superagent_ingestion.application.owned import document_busy, own_document
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.ports import DocumentStore


class Reprocessing:
    """Another person's document is NotFound, exactly as an unknown one."""

    def __init__(self, store: DocumentStore, tell: Callable[[str], None], log: Logger) -> None:
        """`tell` is told that a job is there, with the trace parent of whoever made it."""
        self._store = store
        self._tell = tell
        self._log = log

    async def begin(self, principal: Principal, document_id: str) -> Document:
        """Has an own document that is READY, FAILED or waits for its strategy read and cut again; the old chunks answer
        until the new are there.

        Raises Conflict `document_busy` for every other one.
        """
        document = await own_document(self._store, principal, document_id)
        # A parsed one is at rest only while a person looks at its strategy: its job says so.
        if document.state not in ("ready", "failed", "parsed"):
            raise document_busy()
        if not await self._store.process_again(document):
            await own_document(self._store, principal, document_id)
            raise document_busy()
        self._log.info("document_processed_again", document_id=document_id)
        self._tell(traceparent())
        return await own_document(self._store, principal, document_id)
