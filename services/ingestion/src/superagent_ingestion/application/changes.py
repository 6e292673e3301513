"""Changes of what is said of documents: kept first, then made true in both indexes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from superagent_common.errors import Exhausted, NotFound, Timeout, Unavailable
from superagent_common.identity import Principal
from superagent_common.logging import Logger
from superagent_ingestion.application.org_tags import ExpandTags, check_org_tag
from superagent_ingestion.application.owned import own_document, unknown_document
from superagent_ingestion.application.rounds import each
from superagent_ingestion.domain.documents import Document, Metadata, checked_metadata
from superagent_ingestion.ports import DocumentStore, Index

_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be said from now on; None leaves it. An empty title stands for the document's own."""

    title: str | None = None
    tags: tuple[str, ...] | None = None
    org_tag: str | None = None
    is_public: bool | None = None

    def applied(self, metadata: Metadata) -> Metadata:
        """The metadata with it. Raises InvalidInput."""
        wanted = {name: getattr(self, name) for name in ("title", "tags", "org_tag", "is_public")}
        said = {name: value for name, value in wanted.items() if value is not None}
        # Only what is new: whatever was said under older rules must not keep anybody from making it private.
        checked_metadata(replace(Metadata(), **said))
        return replace(metadata, **said)


class Changes:
    """Another person's document is NotFound, exactly as an unknown one."""

    def __init__(
        self,
        store: DocumentStore,
        index: Index,
        expand_tags: ExpandTags,
        committed: Callable[[], None],
        log: Logger,
    ) -> None:
        """`committed` is told when the outbox has something new."""
        self._store = store
        self._index = index
        self._expand_tags = expand_tags
        self._committed = committed
        self._log = log

    async def change(self, principal: Principal, document_id: str, change: Change) -> Document:
        """Changes an own document and gives it when both indexes hold the change.

        Raises InvalidInput, and Unavailable `index_unavailable` when they cannot be reached: the change is kept then, and
        the sweeper finishes it.
        """
        document = await own_document(self._store, principal, document_id)
        if change.org_tag and change.org_tag != document.metadata.org_tag:
            check_org_tag(change.org_tag, principal, self._expand_tags)
        changed = await self._store.change(document_id, change.applied)
        if changed is None:
            raise unknown_document()
        if changed.concerns_index and changed.indexed_revision < changed.metadata_revision:
            try:
                await self._tell_indexes(changed)
            except (Unavailable, Timeout, Exhausted) as error:
                self._log.warning("change_postponed", document_id=document_id, reason=error.reason)
                raise Unavailable(
                    "index_unavailable",
                    "The change is kept and holds for every answer as soon as the knowledge base can be reached again.",
                ) from error
        return await own_document(self._store, principal, document_id)

    async def sweep(self) -> None:
        """Makes changes true that the indexes have not heard of."""
        await each(await self._store.behind(_AT_ONCE), self._tell_indexes)

    async def _tell_indexes(self, document: Document) -> None:
        try:
            await self._index.update(document)
        except NotFound:
            # It is being deleted: nothing of it will answer.
            return
        await self._store.hold_revision(document.document_id, document.metadata_revision)
        self._committed()
