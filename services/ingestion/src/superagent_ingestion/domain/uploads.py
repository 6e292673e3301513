"""Uploads in parts: how many, how large, which are there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from superagent_common.errors import InvalidInput
from superagent_ingestion.domain.documents import Metadata

PART_BYTES = 5 * 1024 * 1024
"""ING-1; also the smallest part that S3 composes."""
MAX_BYTES = 10 * 1024**3
"""ING-17."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Upload:
    """`document_id` is chosen when the upload begins, so that completing twice makes one document."""

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


def part_key(upload_id: str, number: int) -> str:
    """Where a part lies in the object store until the whole is composed."""
    return f"uploads/{upload_id}/{number:06d}"


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
