"""Imports: documents that are fetched from an address. The document is there at once; a worker fetches its content."""

from __future__ import annotations

from collections.abc import Callable

from superagent_common.errors import Conflict
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_common.telemetry import traceparent
from superagent_ingestion.application.org_tags import ExpandTags, check_org_tag
from superagent_ingestion.domain.documents import (
    STAGES,
    Document,
    Metadata,
    Stage,
    checked_metadata,
    progress_of,
)
from superagent_ingestion.domain.fetching import checked_url, fetched_name
from superagent_ingestion.ports import ImportStore


class Imports:
    """Makes documents that wait to be fetched."""

    def __init__(
        self, store: ImportStore, expand_tags: ExpandTags, committed: Callable[[], None], clock: Callable[[], int]
    ) -> None:
        """`committed` is told when the outbox has something new; `clock` gives microseconds since the epoch."""
        self._store = store
        self._expand_tags = expand_tags
        self._committed = committed
        self._clock = clock

    async def create(
        self, principal: Principal, url: str, metadata: Metadata, idempotency_key: str, review_strategy: bool
    ) -> str:
        """Makes the document and gives its id, the same for the same key.

        Raises InvalidInput, Conflict when the key was used for another address.
        """
        checked_url(url)
        check_org_tag(metadata.org_tag, principal, self._expand_tags)
        now = self._clock()
        document = Document(
            document_id=new_id(),
            owner_id=principal.user_id,
            # Until the server has said what it is called and what it holds.
            file_name=fetched_name(url),
            size=0,
            sha256="",
            metadata=checked_metadata(metadata),
            state="uploaded",
            progress=progress_of("uploaded"),
            created_at=now,
            updated_at=now,
            review_strategy=review_strategy,
            source_url=url,
            trace_parent=traceparent(),
            stages=tuple(Stage(name) for name in STAGES),
        )
        document_id, stored_url = await self._store.add(document, idempotency_key)
        if stored_url != url:
            raise Conflict("idempotency_key_reused", "This idempotency key began another import.")
        self._committed()
        return document_id
