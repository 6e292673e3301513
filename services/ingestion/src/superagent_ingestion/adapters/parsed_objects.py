"""Parsed documents in the object store, as compressed JSON, and what was found out on them."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from superagent_common.errors import NotFound
from superagent_ingestion.adapters.parsing.protocol import document_from_wire, document_to_wire
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import STRATEGIES, Topics
from superagent_ingestion.domain.documents import Document, parsed_key, topics_key
from superagent_ingestion.ports import ObjectStore

_FORMAT = 1
# The fastest level: a text shrinks to a third, the best level takes ten times as long for a tenth less.
_LEVEL = 1


class ParsedObjects:
    """`ParsedCopies` over an object store. A copy that cannot be read, or of another format, counts as none."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def get(self, document: Document) -> ParsedDocument | None:
        try:
            stored = await self._objects.get(parsed_key(document.document_id))
        except NotFound:
            return None
        return await asyncio.to_thread(_unpacked, stored, document.sha256)

    async def put(self, document: Document, parsed: ParsedDocument) -> None:
        content = await asyncio.to_thread(_packed, parsed, document.sha256)
        await self._objects.put(parsed_key(document.document_id), content)

    async def take_over(self, source_id: str, document_id: str) -> None:
        # What there is none of is made when it is needed.
        with suppress(NotFound):
            await self._objects.copy(parsed_key(source_id), parsed_key(document_id))

    async def forget(self, document_id: str) -> None:
        kept = (parsed_key(document_id), *(topics_key(document_id, strategy) for strategy in STRATEGIES))
        await self._objects.remove(kept)

    async def topics(self, document_id: str, strategy: str, content: str) -> Topics | None:
        try:
            stored = await self._objects.get(topics_key(document_id, strategy))
        except NotFound:
            return None
        return _topics(stored, content)

    async def keep_topics(self, document_id: str, strategy: str, content: str, topics: Topics) -> None:
        kept = {"format": _FORMAT, "content": content, "topics": list(topics.items())}
        await self._objects.put(topics_key(document_id, strategy), json.dumps(kept).encode())


def _topics(stored: bytes, content: str) -> Topics | None:
    try:
        kept = json.loads(stored)
        if kept["format"] != _FORMAT or kept["content"] != content:
            return None
        return {int(offset): float(depth) for offset, depth in kept["topics"]}
    except (ValueError, KeyError, TypeError):
        return None


def _packed(parsed: ParsedDocument, sha256: str) -> bytes:
    copy = {"format": _FORMAT, "sha256": sha256, "document": document_to_wire(parsed)}
    return gzip.compress(json.dumps(copy, ensure_ascii=False).encode("utf-8", errors="replace"), _LEVEL)


def _unpacked(stored: bytes, sha256: str) -> ParsedDocument | None:
    try:
        copy: Mapping[str, Any] = json.loads(gzip.decompress(stored))
        if copy["format"] != _FORMAT or copy["sha256"] != sha256:
            return None
        return document_from_wire(copy["document"])
    except (EOFError, OSError, zlib.error, ValueError, KeyError, TypeError):
        return None
