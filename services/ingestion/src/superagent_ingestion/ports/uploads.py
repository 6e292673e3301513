"""What uploads and imports need until they are documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from superagent_ingestion.domain.documents import Document
from superagent_ingestion.domain.fetching import Fetched
from superagent_ingestion.domain.possession import Challenge
from superagent_ingestion.domain.uploads import Upload


class UploadStore(Protocol):
    """Uploads and their parts."""

    async def add(self, upload: Upload) -> Upload:
        """Stores it, or returns the one with the same idempotency key of this person."""

    async def get(self, user_id: str, upload_id: str) -> Upload | None: ...

    async def parts(self, upload_id: str) -> Mapping[int, str]:
        """SHA-256 of the parts that are there, by number."""

    async def part(self, upload_id: str, number: int) -> str | None:
        """SHA-256 of a part that is there."""

    async def add_part(self, upload_id: str, number: int, sha256: str) -> str:
        """Enters a part unless it is there, and gives the hash that counts."""

    async def drop_parts(self, upload_id: str, numbers: Collection[int]) -> None: ...

    async def challenge(self, upload_id: str, challenge: Challenge | None) -> None:
        """Puts a challenge in the place of the one before."""

    async def complete(self, upload: Upload, document: Document, message: str) -> bool:
        """Makes the document, its job, its event and the first line of its log, once; False when that was done before.

        Raises NotFound when the upload was forgotten meanwhile.
        """

    async def open(self, upload_ids: Collection[str]) -> Collection[str]:
        """Those of them that are not completed."""

    async def expired(self, before: int, limit: int) -> Sequence[Upload]:
        """Uploads that were begun before a time and never completed."""

    async def forget(self, upload_id: str) -> None: ...


class PartMap(Protocol):
    """Which parts of uploads are there, at one look. It may lose what it holds. Raises Unavailable."""

    async def read(self, upload_id: str) -> Collection[int] | None:
        """None when it does not know."""

    async def add(self, upload_id: str, number: int) -> Collection[int] | None:
        """Enters a part, and gives all; None when it does not know those from before."""

    async def write(self, upload_id: str, there: Collection[int], missing: Collection[int]) -> None:
        """Says of parts whether they are there; from now on it knows the upload."""

    async def forget(self, upload_id: str) -> None: ...


class MergeLock(Protocol):
    """Lets one at a time complete an upload, over all replicas as long as its store answers."""

    def held(self, upload_id: str) -> AbstractAsyncContextManager[None]:
        """Waits for its turn and keeps it while the block runs. Never fails: completing twice is safe, only wasteful."""


class ContentStore(Protocol):
    """Documents as contents that may serve another upload."""

    async def same(self, sha256: str, size: int, owner_id: str) -> Sequence[Document]:
        """Some verified documents of a content, this owner's first, without those that were lost three times."""

    async def count_loss(self, document_id: str) -> int:
        """Notes that a document's object was not there, and gives how often that was so."""


class ImportStore(Protocol):
    """Documents that are still to be fetched."""

    async def add(self, document: Document, idempotency_key: str) -> tuple[str, str]:
        """Stores it with its job and its event, or finds the one with the same key of this person; gives id and address."""


class UrlFetcher(Protocol):
    """Fetches content from an address that anybody may have given."""

    async def fetch(self, url: str, path: Path) -> Fetched:
        """Writes it to a file. Raises FetchRefused when the address is the cause, Unavailable when it may pass."""
