"""Instant uploads: a content that is there already needs no parts to travel (ING-3).

Only what a parse stage has verified serves as a source. A person's own content is copied at once; for another's, the
person proves to hold it: knowing its hash must not be enough to get it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from superagent_common.clock import SECOND
from superagent_common.errors import Conflict, Forbidden, NotFound, ServiceError
from superagent_common.logging import Logger
from superagent_common.telemetry import traceparent
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.domain.possession import (
    CHALLENGE_SECONDS,
    NONCE_BYTES,
    Challenge,
    proof,
    proves,
    ranges_to_prove,
)
from superagent_ingestion.domain.uploads import Upload, document_of
from superagent_ingestion.ports import ContentStore, ObjectStore, UploadStore

Outcome = Literal["own", "proved", "not_proved", "content_lost"]
_FAILURES_TO_DROP = 3
"""ING-16."""


class InstantUploads:
    """Completes uploads without parts; whatever hinders that leaves them to be completed with parts."""

    def __init__(
        self,
        store: UploadStore,
        contents: ContentStore,
        objects: ObjectStore,
        committed: Callable[[], None],
        count: Callable[[Outcome], None],
        log: Logger,
        clock: Callable[[], int],
    ) -> None:
        """`committed` is told when the outbox has something new, `count` how each try ended; `clock` as for uploads."""
        self._store = store
        self._contents = contents
        self._objects = objects
        self._committed = committed
        self._count = count
        self._log = log
        self._clock = clock

    async def offer(self, upload: Upload) -> Upload:
        """The upload just begun: completed when the content is the person's own, with a challenge when another's."""
        try:
            source = await self._source(upload)
            if source is None:
                return upload
            if source.owner_id == upload.user_id:
                return await self._completed(upload, source, "own")
            challenge = Challenge(
                secrets.token_bytes(NONCE_BYTES),
                ranges_to_prove(upload.size, secrets.randbelow),
                self._clock() + int(CHALLENGE_SECONDS * SECOND),
            )
            await self._store.challenge(upload.upload_id, challenge)
            return replace(upload, challenge=challenge)
        except ServiceError as error:
            self._log.warning("instant_upload_failed", upload_id=upload.upload_id, reason=error.reason)
            return upload

    async def prove(self, upload: Upload, digest: str) -> Upload:
        """The upload, completed when the proof is right; unchanged when the content has been lost meanwhile.

        Raises Conflict and Forbidden. To be called by one at a time.
        """
        challenge = upload.challenge
        if upload.completed or challenge is None:
            raise Conflict("no_challenge", "There is nothing to prove: send the parts.")
        if challenge.expires_at <= self._clock():
            await self._store.challenge(upload.upload_id, None)
            raise Conflict("challenge_expired", "The time for the proof is over: send the parts.")
        expected = await self._expected(upload, challenge)
        if expected is None:
            await self._store.challenge(upload.upload_id, None)
            return replace(upload, challenge=None)
        source, right = expected
        if not proves(digest, right):
            await self._store.challenge(upload.upload_id, None)
            self._count("not_proved")
            self._log.warning("possession_not_proved", upload_id=upload.upload_id, user_id=upload.user_id)
            raise Forbidden("possession_not_proved", "This is not the content: send the parts.")
        return await self._completed(upload, source, "proved")

    async def _expected(self, upload: Upload, challenge: Challenge) -> tuple[Document, str] | None:
        """A document of the content and what proves it; None when there is none any more."""
        source = await self._source(upload)
        if source is None:
            return None
        try:
            pieces = [await self._objects.read(source.object_key, *piece) for piece in challenge.ranges]
        except NotFound:
            await self._lost(source)
            return None
        return source, proof(challenge.nonce, pieces)

    async def _source(self, upload: Upload) -> Document | None:
        """A document of the same verified content whose object is there, the person's own if possible."""
        for document in await self._contents.same(upload.sha256, upload.size, upload.user_id):
            if await self._objects.size(document.object_key) == upload.size:
                return document
            await self._lost(document)
        return None

    async def _completed(self, upload: Upload, source: Document, outcome: Outcome) -> Upload:
        document = document_of(upload, self._clock(), traceparent(), copied_from=source.document_id)
        try:
            await self._objects.copy(source.object_key, document.object_key)
        except NotFound:
            await self._lost(source)
            await self._store.challenge(upload.upload_id, None)
            return replace(upload, challenge=None)
        if await self._store.complete(upload, document, "The content was here already: no parts had to travel."):
            self._committed()
            self._count(outcome)
        return replace(upload, challenge=None, completed=True, instant=True)

    async def _lost(self, source: Document) -> None:
        self._count("content_lost")
        failures = await self._contents.count_loss(source.document_id)
        fields = {"document_id": source.document_id, "sha256": source.sha256, "failures": failures}
        if failures >= _FAILURES_TO_DROP:
            # Rows and vectors stay; it only serves nobody else any more.
            self._log.error("instant_source_dropped", **fields)
        else:
            self._log.warning("instant_source_lost", **fields)
