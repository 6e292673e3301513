"""Uploads: begin, take parts, complete."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable

from superagent_common.errors import Conflict, InvalidInput, NotFound
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_common.telemetry import traceparent
from superagent_ingestion.domain.documents import (
    STAGES,
    Document,
    Metadata,
    Stage,
    checked_file_name,
    checked_metadata,
    document_key,
    progress_of,
)
from superagent_ingestion.domain.uploads import Upload, checked_sha256, checked_size, part_key
from superagent_ingestion.ports import ObjectStore, UploadStore

ExpandTags = Callable[[Iterable[str]], frozenset[str]]
"""Org tags with all their descendants."""


class Uploads:
    """Another person's upload is NotFound, exactly as an unknown one."""

    def __init__(
        self,
        store: UploadStore,
        objects: ObjectStore,
        expand_tags: ExpandTags,
        committed: Callable[[], None],
        clock: Callable[[], int],
    ) -> None:
        """`committed` is told when the outbox has something new; `clock` gives microseconds since the epoch."""
        self._store = store
        self._objects = objects
        self._expand_tags = expand_tags
        self._committed = committed
        self._clock = clock

    async def create(
        self,
        principal: Principal,
        file_name: str,
        size: int,
        sha256: str,
        metadata: Metadata,
        idempotency_key: str,
        review_strategy: bool = False,
    ) -> tuple[Upload, list[int]]:
        """Begins an upload; gives it with the parts that are there."""
        if (
            metadata.org_tag
            and metadata.org_tag not in self._expand_tags(principal.org_tags)
            and not principal.is_admin
        ):
            raise InvalidInput("unknown_org_tag", "The org tag is not one of yours.")
        upload = Upload(
            upload_id=new_id(),
            user_id=principal.user_id,
            file_name=checked_file_name(file_name),
            size=checked_size(size),
            sha256=checked_sha256(sha256),
            metadata=checked_metadata(metadata),
            document_id=new_id(),
            completed=False,
            created_at=self._clock(),
            idempotency_key=idempotency_key,
            review_strategy=review_strategy,
        )
        stored = await self._store.add(upload)
        if (stored.file_name, stored.size, stored.sha256) != (upload.file_name, upload.size, upload.sha256):
            raise Conflict("idempotency_key_reused", "This idempotency key began another upload.")
        return stored, sorted(await self._store.parts(stored.upload_id)) if stored is not upload else []

    async def get(self, principal: Principal, upload_id: str) -> tuple[Upload, list[int]]:
        """An own upload and the numbers of the parts that are there."""
        upload = await self._own(principal, upload_id)
        return upload, sorted(await self._store.parts(upload_id))

    async def put_part(
        self, principal: Principal, upload_id: str, number: int, sha256: str, chunks: AsyncIterator[bytes]
    ) -> tuple[Upload, list[int]]:
        """Takes a part, whole and checked. The same bytes again change nothing; other bytes are refused."""
        upload = await self._own(principal, upload_id)
        size = upload.part_size(number)
        expected = checked_sha256(sha256) if sha256 else ""
        content = bytearray()
        async for chunk in chunks:
            content += chunk
            if len(content) > size:
                break
        if len(content) != size:
            raise InvalidInput("part_size_mismatch", f"Part {number} has {size} bytes.")
        digest = hashlib.sha256(content).hexdigest()
        if expected and digest != expected:
            raise InvalidInput("part_hash_mismatch", f"Part {number} does not have the hash that was announced.")
        received = await self._store.parts(upload_id)
        if received.get(number, digest) != digest:
            raise Conflict("part_differs", f"Part {number} is there already, with other bytes.")
        if number not in received and not upload.completed:
            await self._objects.put(part_key(upload_id, number), bytes(content))
            await self._store.add_part(upload_id, number, digest)
        return upload, sorted({*received, number})

    async def complete(self, principal: Principal, upload_id: str) -> str:
        """Composes the parts and makes the document; gives its id, the same each time."""
        upload = await self._own(principal, upload_id)
        if upload.completed:
            return upload.document_id
        received = await self._store.parts(upload_id)
        if missing := upload.missing(received):
            shown = ", ".join(map(str, missing[:20]))
            raise Conflict("parts_missing", f"Parts are missing: {shown}.", missing=shown)
        keys = [part_key(upload_id, number) for number in range(upload.parts_total)]
        try:
            await self._objects.compose(document_key(upload.document_id), keys)
        except NotFound:
            # Somebody else may have completed it meanwhile, and removed the parts.
            if (await self._own(principal, upload_id)).completed:
                return upload.document_id
            raise
        if await self._store.complete(upload, self._document(upload)):
            self._committed()
            await self._objects.remove(keys)
        return upload.document_id

    async def expire(self, before: int) -> int:
        """Forgets uploads that were begun before a time and never completed; gives how many."""
        abandoned = await self._store.expired(before, 100)
        for upload in abandoned:
            await self._objects.remove(part_key(upload.upload_id, number) for number in range(upload.parts_total))
            await self._store.forget(upload.upload_id)
        return len(abandoned)

    def _document(self, upload: Upload) -> Document:
        now = self._clock()
        first = Stage(
            "upload", "completed", upload.created_at, now, 1, {"bytes": upload.size, "parts": upload.parts_total}
        )
        return Document(
            document_id=upload.document_id,
            owner_id=upload.user_id,
            file_name=upload.file_name,
            size=upload.size,
            sha256=upload.sha256,
            metadata=upload.metadata,
            state="uploaded",
            progress=progress_of("uploaded"),
            created_at=now,
            updated_at=now,
            review_strategy=upload.review_strategy,
            trace_parent=traceparent(),
            stages=(first, *(Stage(name) for name in STAGES[1:])),
        )

    async def _own(self, principal: Principal, upload_id: str) -> Upload:
        upload = await self._store.get(principal.user_id, upload_id)
        if upload is None:
            raise NotFound("unknown_upload", "There is no such upload.")
        return upload
