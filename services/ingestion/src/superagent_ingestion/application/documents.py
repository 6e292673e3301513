"""Documents: look at them, delete them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superagent_common.errors import InvalidInput, ServiceError
from superagent_common.identity import Principal
from superagent_common.logging import Logger
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_ingestion.application.org_tags import ExpandTags
from superagent_ingestion.application.owned import own_document, unknown_document
from superagent_ingestion.application.rounds import each
from superagent_ingestion.domain.documents import SEARCH_CHARACTERS, Document, LogEntry, State, object_keys
from superagent_ingestion.ports import DocumentStore, Index, JobStore, ObjectStore


class Documents:
    """A document that a person may not read is NotFound, exactly as an unknown one."""

    def __init__(
        self,
        store: DocumentStore,
        objects: ObjectStore,
        index: Index,
        expand_tags: ExpandTags,
        committed: Callable[[], None],
        log: Logger,
    ) -> None:
        """`committed` is told when the outbox has something new."""
        self._store = store
        self._objects = objects
        self._index = index
        self._expand_tags = expand_tags
        self._committed = committed
        self._log = log

    async def get(self, principal: Principal, document_id: str) -> Document:
        """A document that the person may read (RAG-9: own, public, or within the person's org tags)."""
        document = await self._store.get(document_id)
        if document is None or document.state == "deleting" or not self._may_read(principal, document):
            raise unknown_document()
        return document

    async def page(
        self, principal: Principal, states: Sequence[State], domain_code: str, text: str, limit: int, cursor: str
    ) -> tuple[Sequence[Document], str]:
        """The person's own documents, newest first, and the cursor of the next page.

        `text` is a part of the title or of the file's name. Raises InvalidInput.
        """
        if len(text) > SEARCH_CHARACTERS:
            raise InvalidInput("query_too_long", f"A query has at most {SEARCH_CHARACTERS} characters.")
        size = page_limit(limit)
        before = decode_cursor(cursor)
        rows = await self._store.page(principal.user_id, states, domain_code, text.strip(), before, size + 1)
        more = encode_cursor(rows[size - 1].created_at, rows[size - 1].document_id) if len(rows) > size else ""
        return rows[:size], more

    async def log(self, principal: Principal, document_id: str) -> Sequence[LogEntry]:
        """What happened to an own document."""
        await own_document(self._store, principal, document_id)
        return await self._store.log(document_id)

    async def delete(self, principal: Principal, document_id: str) -> None:
        """Deletes an own document. What cannot be reached now is deleted by the sweeper; it answers no more anyway."""
        await own_document(self._store, principal, document_id)
        if not await self._store.mark_deleting(document_id):
            raise unknown_document()
        try:
            await self.finish_deletion(document_id)
        except ServiceError as error:
            self._log.warning("deletion_postponed", document_id=document_id, reason=error.reason)

    async def finish_deletion(self, document_id: str) -> None:
        """Removes a document from both indexes, the object store and the tables. Safe to repeat.

        While a worker may still write something of it, its row stays, and this is to be repeated.
        """
        await self._index.delete(document_id)
        await self._objects.remove(object_keys(document_id))
        if await self._store.remove(document_id, when_due=True):
            self._committed()

    async def sweep_deletions(self, jobs: JobStore) -> None:
        """Finishes deletions that were interrupted."""
        await each(await jobs.due("delete", 20), self.finish_deletion)

    def _may_read(self, principal: Principal, document: Document) -> bool:
        metadata = document.metadata
        return (
            document.owner_id == principal.user_id
            or metadata.is_public
            or bool(metadata.org_tag and metadata.org_tag in self._expand_tags(principal.org_tags))
        )
