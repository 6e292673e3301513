"""What ingestion keeps outside its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import Topics
from superagent_ingestion.domain.documents import Document


class ObjectStore(Protocol):
    """Objects by key. Raises Unavailable when it does not answer."""

    async def put(self, key: str, content: bytes) -> None: ...

    async def put_from(self, key: str, file: BinaryIO, size: int) -> None:
        """Takes `size` bytes from where a file stands, which is never in memory as a whole."""

    async def put_file(self, key: str, path: Path) -> None:
        """Stores a file's content without holding it in memory."""

    async def get(self, key: str) -> bytes:
        """A small object as a whole. Raises NotFound when there is none."""

    async def compose(self, key: str, parts: Sequence[str], scratch: str) -> None:
        """Joins parts to one object without moving their bytes through here; none makes an empty object.

        Very many are joined in segments, which lie under the prefix `scratch` meanwhile. Raises NotFound when a part is
        gone; then and when it is broken off, the object is what it was before.
        """

    async def give_up(self, key: str) -> None:
        """Removes what is kept of composing this object when whoever did it died; one that goes on breaks off."""

    async def copy(self, source: str, key: str) -> None:
        """Copies an object without moving its bytes through here. Raises NotFound when there is none."""

    async def size(self, key: str) -> int | None:
        """Bytes of an object; None when there is none."""

    async def sizes(self, prefix: str) -> Mapping[str, int]:
        """Bytes of each object under a prefix, by key."""

    async def read(self, key: str, start: int, end: int) -> bytes:
        """Bytes [start, end) of an object. Raises NotFound when there is none."""

    async def fetch(self, key: str, path: Path) -> str:
        """Writes an object to a file and gives its SHA-256. Raises NotFound when there is none."""

    async def remove(self, keys: Iterable[str]) -> None:
        """Removes objects; what is not there is no error."""


class ParsedCopies(Protocol):
    """Documents as they were parsed, kept so that cutting them anew needs no second parse. Raises Unavailable."""

    async def get(self, document: Document) -> ParsedDocument | None:
        """None when there is none, or only one of another content."""

    async def put(self, document: Document, parsed: ParsedDocument) -> None: ...

    async def take_over(self, source_id: str, document_id: str) -> None:
        """Copies the copy of a document with the same content, if there is one."""

    async def forget(self, document_id: str) -> None:
        """Removes all that is kept of a document; nothing kept is no error."""

    async def topics(self, document_id: str, strategy: str, content: str) -> Topics | None:
        """Topics that were kept for a strategy; None when there are none, or only those of another content."""

    async def keep_topics(self, document_id: str, strategy: str, content: str, topics: Topics) -> None: ...
