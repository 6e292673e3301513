"""Uploads in parts: how many, how large, which are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from superagent_common.errors import InvalidInput
from superagent_ingestion.domain.documents import STAGES, Document, Metadata, Stage, progress_of
from superagent_ingestion.domain.possession import Challenge

PART_BYTES = 5 * 1024 * 1024
"""ING-1; also the smallest part that S3 composes."""
MAX_BYTES = 10 * 1024**3
"""ING-17."""
UPLOADS_FOLDER = "uploads/"
_ID_CHARACTERS = 36
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PART_NAME = re.compile(r"(\d{6})-([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Upload:
    """`document_id` is chosen when the upload begins, so that completing twice makes one document.

    challenge: what would make it instant; None when there is nothing to prove. instant: completed without parts.
    """

    upload_id: str
    user_id: str
    file_name: str
    size: int
    sha256: str
    metadata: Metadata
    document_id: str
    completed: bool
    created_at: int
    idempotency_key: str = ""
    review_strategy: bool = False
    challenge: Challenge | None = None
    instant: bool = False

    @property
    def parts_total(self) -> int:
        return -(-self.size // PART_BYTES)

    def part_size(self, number: int) -> int:
        """Bytes of a part. Raises InvalidInput for a number the upload does not have."""
        if not 0 <= number < self.parts_total:
            raise InvalidInput("invalid_part_number", f"Parts are numbered 0 to {self.parts_total - 1}.")
        return min(PART_BYTES, self.size - number * PART_BYTES)

    def missing(self, received: Iterable[int]) -> list[int]:
        """Numbers of the parts that are not there, in order."""
        return sorted(set(range(self.parts_total)) - set(received))


def parts_prefix(upload_id: str) -> str:
    """How all keys begin that an upload keeps in the object store until the whole is composed.

    No folder of its own: SeaweedFS would keep it, empty, for ever.
    """
    return f"{UPLOADS_FOLDER}{upload_id}-"


def upload_of(key: str) -> str:
    """Id of the upload whose key this is."""
    return key.removeprefix(UPLOADS_FOLDER)[:_ID_CHARACTERS]


def part_key(upload_id: str, number: int, sha256: str) -> str:
    """Where a part lies; its hash is in the name, so that other bytes never take its place."""
    return f"{parts_prefix(upload_id)}{number:06d}-{sha256}"


def parts_of(sizes: Mapping[str, int], upload: Upload) -> dict[int, set[str]]:
    """Hashes by number of the parts that lie whole under these keys, which have these sizes."""
    found: dict[int, set[str]] = {}
    for key, size in sizes.items():
        name = _PART_NAME.fullmatch(key.removeprefix(parts_prefix(upload.upload_id)))
        number = int(name[1]) if name else upload.parts_total
        if name and number < upload.parts_total and size == upload.part_size(number):
            found.setdefault(number, set()).add(name[2])
    return found


def document_of(upload: Upload, now: int, trace_parent: str, *, copied_from: str = "") -> Document:
    """The document that a completed upload makes; without parts when its content is a copy of another document's."""
    parts = 0 if copied_from else upload.parts_total
    first = Stage("upload", "completed", upload.created_at, now, 1, {"bytes": upload.size, "parts": parts})
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
        copied_from=copied_from,
        trace_parent=trace_parent,
        stages=(first, *(Stage(name) for name in STAGES[1:])),
    )


def checked_size(size: int) -> int:
    """Bytes of a file. Raises InvalidInput below zero or beyond 10 GiB."""
    if size < 0:
        raise InvalidInput("invalid_size", "The size is a number of bytes.")
    if size > MAX_BYTES:
        raise InvalidInput("too_large", f"Files have at most {MAX_BYTES // 1024**3} GiB.")
    return size


def checked_sha256(digest: str) -> str:
    """A SHA-256 in lower case. Raises InvalidInput for anything else."""
    digest = digest.lower()
    if not _SHA256.fullmatch(digest):
        raise InvalidInput("invalid_sha256", "A SHA-256 is written as 64 hexadecimal digits.")
    return digest
