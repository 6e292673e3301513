"""Uploads: begin, take parts, complete."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from superagent_common.clock import SECOND
from superagent_common.errors import Conflict, InvalidInput, NotFound, ServiceError, Unavailable, reason_of
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.tasks import end
from superagent_common.telemetry import traceparent
from superagent_ingestion.application.instant_uploads import InstantUploads
from superagent_ingestion.application.org_tags import ExpandTags, check_org_tag
from superagent_ingestion.application.parts import Parts, part_differs
from superagent_ingestion.domain.documents import Metadata, checked_file_name, checked_metadata, document_key
from superagent_ingestion.domain.possession import checked_digest
from superagent_ingestion.domain.uploads import (
    Upload,
    checked_sha256,
    checked_size,
    document_of,
    part_key,
    parts_prefix,
)
from superagent_ingestion.ports import MergeLock, ObjectStore, UploadStore

_IN_MEMORY_BYTES = 512 * 1024
_DAY = 86_400 * SECOND
_FORGET_AFTER = 3_600 * SECOND
"""After an upload has expired: what had begun before is over by then."""


@dataclass(frozen=True, slots=True)
class NewUpload:
    """What a person wants to upload, not yet checked; without an `idempotency_key` each one is another."""

    file_name: str
    size: int
    sha256: str
    metadata: Metadata
    idempotency_key: str = ""
    review_strategy: bool = False


class Uploads:
    """Another person's upload is NotFound, exactly as an unknown one."""

    def __init__(
        self,
        store: UploadStore,
        objects: ObjectStore,
        parts: Parts,
        instant: InstantUploads,
        merging: MergeLock,
        expand_tags: ExpandTags,
        committed: Callable[[], None],
        log: Logger,
        clock: Callable[[], int],
        *,
        keep_days: float,
    ) -> None:
        """`committed` is told when the outbox has something new; `clock` gives microseconds since the epoch.

        What is not completed within `keep_days` has expired.
        """
        self._store = store
        self._objects = objects
        self._parts = parts
        self._instant = instant
        self._merging = merging
        self._expand_tags = expand_tags
        self._committed = committed
        self._log = log
        self._clock = clock
        self._keep_days = keep_days
        self._merges: dict[str, asyncio.Task[None]] = {}

    async def create(self, principal: Principal, wanted: NewUpload) -> tuple[Upload, list[int]]:
        """Begins an upload; gives it with the parts that are there.

        It is completed at once when the person has a document of the same content, and carries a challenge when
        somebody else has.
        """
        check_org_tag(wanted.metadata.org_tag, principal, self._expand_tags)
        upload = Upload(
            upload_id=new_id(),
            user_id=principal.user_id,
            file_name=checked_file_name(wanted.file_name),
            size=checked_size(wanted.size),
            sha256=checked_sha256(wanted.sha256),
            metadata=checked_metadata(wanted.metadata),
            document_id=new_id(),
            completed=False,
            created_at=self._clock(),
            idempotency_key=wanted.idempotency_key,
            review_strategy=wanted.review_strategy,
        )
        stored = await self._store.add(upload)
        if stored is not upload and self._expired(stored):
            await self._forget(stored)
            stored = await self._store.add(upload)
        if (stored.file_name, stored.size, stored.sha256) != (upload.file_name, upload.size, upload.sha256):
            raise Conflict("idempotency_key_reused", "This idempotency key began another upload.")
        if stored is not upload:
            return self._shown(stored), await self._parts.received(stored)
        await self._parts.begin(upload)
        upload = await self._instant.offer(upload)
        return upload, await self._parts.received(upload) if upload.completed else []

    async def get(self, principal: Principal, upload_id: str) -> tuple[Upload, list[int]]:
        """An own upload and the numbers of the parts that are there."""
        upload = await self._own(principal, upload_id)
        return self._shown(upload), await self._parts.received(upload)

    async def prove(self, principal: Principal, upload_id: str, digest: str) -> tuple[Upload, list[int]]:
        """Answers an upload's challenge, which can be done once; right, it completes the upload.

        Raises Forbidden when it is wrong, and Conflict when nothing is to be proved or its time is over: then parts
        complete it.
        """
        digest = checked_digest(digest)
        await self._own(principal, upload_id)
        async with self._merging.held(upload_id):
            upload = await self._own(principal, upload_id)
            if not upload.instant:
                upload = await self._instant.prove(upload, digest)
        return upload, await self._parts.received(upload)

    async def put_part(
        self, principal: Principal, upload_id: str, number: int, sha256: str, chunks: AsyncIterator[bytes]
    ) -> tuple[Upload, list[int]]:
        """Takes a part, whole and checked. The same bytes again change nothing; other bytes are refused."""
        upload = await self._own(principal, upload_id)
        size = upload.part_size(number)
        expected = checked_sha256(sha256) if sha256 else ""
        # On disk while it comes: many slow lines at once must not fill the memory.
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as file:
            digest = await _received(chunks, file, number, size)  # type: ignore[arg-type]
            if expected and digest != expected:
                raise InvalidInput("part_hash_mismatch", f"Part {number} does not have the hash that was announced.")
            held = await self._parts.held(upload, number)
            if held not in (None, digest):
                raise part_differs(number)
            if upload.completed:
                return upload, await self._parts.received(upload)
            if held:
                return upload, await self._parts.note(upload, number)
            return upload, await self._parts.take(upload, number, digest, file)  # type: ignore[arg-type]

    async def complete(self, principal: Principal, upload_id: str) -> str:
        """Composes the parts and makes the document; gives its id, the same each time.

        It goes on when the caller leaves: joining thousands of parts may take longer than anybody waits at once, and
        whoever calls again waits for the rest.
        """
        upload = await self._own(principal, upload_id)
        if not upload.completed:
            merge = self._merges.get(upload_id)
            if merge is None:
                merge = self._merges[upload_id] = asyncio.create_task(self._completed(principal, upload_id))
                merge.add_done_callback(partial(self._merged, upload_id))
            await asyncio.shield(merge)
        return upload.document_id

    async def close(self) -> None:
        """Breaks off what is being completed; it can be completed again."""
        await end(*self._merges.values())

    async def _completed(self, principal: Principal, upload_id: str) -> None:
        async with self._merging.held(upload_id):
            # Whoever held it before has completed it, or died.
            upload = await self._own(principal, upload_id)
            joined = None if upload.completed else await self._merge(upload)
        if joined is not None:
            self._committed()
            await self._forget_parts(upload, joined)

    def _merged(self, upload_id: str, merge: asyncio.Task[None]) -> None:
        del self._merges[upload_id]
        # Also looked at for those whose callers have left.
        if not merge.cancelled() and (error := merge.exception()):
            self._log.info("upload_not_completed", upload_id=upload_id, reason=reason_of(error))

    async def expire(self) -> int:
        """Forgets uploads that have expired, and parts that nobody needs; gives how many uploads."""
        abandoned = await self._store.expired(self._clock() - self._keep - _FORGET_AFTER, 100)
        for upload in abandoned:
            await self._forget(upload)
        await self._parts.sweep()
        return len(abandoned)

    async def _merge(self, upload: Upload) -> list[str] | None:
        """The keys of the parts that were joined.

        None when somebody else was faster, which only happens while the lock's store is away.
        """
        # Copying an only part shows whether it is there, without a look at all that is.
        keys = _keys(upload, await self._store.parts(upload.upload_id)) if upload.parts_total == 1 else []
        if not keys or not await self._is_joined(upload, keys):
            if keys and await self._is_completed(upload):
                return None
            there = await self._parts.verified(upload)
            if missing := upload.missing(there):
                shown = ", ".join(map(str, missing[:20]))
                raise Conflict("parts_missing", f"Parts are missing: {shown}.", missing=shown)
            keys = _keys(upload, there)
            if len(keys) > 1:
                # One part alone is copied in one step.
                await self._objects.give_up(document_key(upload.document_id))
            if not await self._is_joined(upload, keys):
                if await self._is_completed(upload):
                    return None
                raise Unavailable("compose_incomplete", "The object store did not join all parts.")
        document = document_of(upload, self._clock(), traceparent())
        return keys if await self._store.complete(upload, document, "Uploaded.") else None

    async def _is_joined(self, upload: Upload, keys: list[str]) -> bool:
        """Joins the parts; False when one is not there, or the whole is not what it should be."""
        whole = document_key(upload.document_id)
        try:
            await self._objects.compose(whole, keys, parts_prefix(upload.upload_id))
        except NotFound:
            return False
        if (size := await self._objects.size(whole)) != upload.size:
            self._log.error("compose_incomplete", upload_id=upload.upload_id, size=size, expected=upload.size)
            return False
        return True

    async def _is_completed(self, upload: Upload) -> bool:
        """Whether somebody was faster, and has removed the parts."""
        current = await self._store.get(upload.user_id, upload.upload_id)
        return current is not None and current.completed

    async def _forget_parts(self, upload: Upload, joined: list[str]) -> None:
        try:
            await self._parts.forget(upload, joined)
        except ServiceError as error:
            # The document is made; the sweeper finds what is left.
            self._log.warning("parts_not_removed", upload_id=upload.upload_id, reason=error.reason)

    async def _forget(self, upload: Upload) -> None:
        await self._parts.forget(upload, await self._objects.sizes(parts_prefix(upload.upload_id)))
        # Composed or copied by somebody who died before it became a document.
        await self._objects.give_up(document_key(upload.document_id))
        await self._objects.remove([document_key(upload.document_id)])
        await self._store.forget(upload.upload_id)

    def _shown(self, upload: Upload) -> Upload:
        """Without a challenge whose time is over."""
        over = upload.challenge is not None and upload.challenge.expires_at <= self._clock()
        return replace(upload, challenge=None) if over else upload

    @property
    def _keep(self) -> int:
        return int(self._keep_days * _DAY)

    def _expired(self, upload: Upload) -> bool:
        return not upload.completed and upload.created_at + self._keep <= self._clock()

    async def _own(self, principal: Principal, upload_id: str) -> Upload:
        upload = await self._store.get(principal.user_id, upload_id)
        if upload is None:
            raise NotFound("unknown_upload", "There is no such upload.")
        if self._expired(upload):
            raise Conflict(
                "upload_expired", f"The upload was not completed within {self._keep_days:g} days: begin it anew."
            )
        return upload


def _keys(upload: Upload, there: Mapping[int, str]) -> list[str]:
    """Where the parts that are there lie, in order."""
    return [part_key(upload.upload_id, number, there[number]) for number in sorted(there)]


async def _received(chunks: AsyncIterator[bytes], file: BinaryIO, number: int, size: int) -> str:
    """Writes a part to a file and gives its SHA-256.

    Raises InvalidInput when it has another size, Unavailable when there is no room for it.
    """
    digest, length = hashlib.sha256(), 0
    async for chunk in chunks:
        length += len(chunk)
        if length > size:
            break
        digest.update(chunk)
        with _room():
            file.write(chunk)
    if length != size:
        raise InvalidInput("part_size_mismatch", f"Part {number} has {size} bytes.")
    with _room():
        file.seek(0)
    return digest.hexdigest()


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable("no_room_for_parts", "There is no room to take a part.") from error
