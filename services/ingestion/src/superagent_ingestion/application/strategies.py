"""How own documents are cut: look at it before, and choose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from superagent_common.errors import Conflict, InvalidInput
from superagent_common.identity import Principal
from superagent_common.logging import Logger
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_common.telemetry import traceparent
from superagent_ingestion.application.owned import document_busy, own_document, unknown_document
from superagent_ingestion.application.topics import TopicFinding
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import Child, ChunkLimits, Topics, chunk
from superagent_ingestion.domain.chunking.kept_cuts import Cut, KeptCuts
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.ports import DocumentStore, ParsedCopies

_KEPT_BYTES = 64 << 20
_POSITION = "chunk"


@dataclass(frozen=True, slots=True)
class Preview:
    """A page of children, the cursor of the next, and how many of both kinds there are in all."""

    children: Sequence[Child]
    next_cursor: str
    strategy: str
    parents_total: int
    children_total: int


class Strategies:
    """Another person's document is NotFound, exactly as an unknown one."""

    def __init__(
        self,
        store: DocumentStore,
        copies: ParsedCopies,
        topics: TopicFinding,
        tell: Callable[[str], None],
        limits: ChunkLimits,
        log: Logger,
    ) -> None:
        """`tell` is told that a job is there, with the trace parent of whoever made it."""
        self._store = store
        self._copies = copies
        self._topics = topics
        self._tell = tell
        self._limits = limits
        self._log = log
        self._cuts = KeptCuts(_KEPT_BYTES)
        # One at a time: cutting is all Python, and two cuts hold up this process twice as long.
        self._cutting = asyncio.Lock()

    @property
    def available(self) -> tuple[str, ...]:
        """Names of the strategies."""
        return self._topics.available

    async def preview(self, principal: Principal, document_id: str, strategy: str, limit: int, cursor: str) -> Preview:
        """An own document as a strategy, or its own when that is empty, would cut it.

        Raises InvalidInput `unknown_strategy`, Conflict `not_parsed_yet`, and Unavailable when it takes an embedder or
        a model that does not answer.
        """
        size, first = page_limit(limit), _position(cursor)
        document = await own_document(self._store, principal, document_id)
        strategy = self._known(strategy) if strategy else document.strategy
        cut = await self._cut(document, strategy)
        page = cut.children[first : first + size]
        more = first + size < len(cut.children)
        return Preview(
            page, encode_cursor(first + size, _POSITION) if more else "", strategy, cut.parents, len(cut.children)
        )

    async def confirm(self, principal: Principal, document_id: str, strategy: str) -> Document:
        """Has an own document cut by a strategy, and gives it as it is now.

        One that waits for this goes on. One that is READY or FAILED is cut again as a new generation, unless it is READY
        and cut so already; the old chunks answer until then. Raises InvalidInput `unknown_strategy`, Conflict
        `not_parsed_yet` and `document_busy`.
        """
        document = await own_document(self._store, principal, document_id)
        self._known(strategy)
        if document.state == "ready" and document.strategy == strategy and document.failure is None:
            return document
        if document.state in ("uploaded", "parsing") or document.stage("parse").state != "completed":
            raise _not_parsed_yet()
        if not await self._store.choose_strategy(document, strategy):
            await own_document(self._store, principal, document_id)
            raise document_busy()
        self._log.info("strategy_confirmed", document_id=document_id, strategy=strategy)
        self._tell(traceparent())
        return await own_document(self._store, principal, document_id)

    def _known(self, strategy: str) -> str:
        if strategy not in self.available:
            names = ", ".join(self.available)
            raise InvalidInput("unknown_strategy", f"The strategies are: {names}.", available=names)
        return strategy

    async def _cut(self, document: Document, strategy: str) -> Cut:
        parse = document.stage("parse")
        if parse.state != "completed" or not strategy:
            raise _not_parsed_yet()
        key = document.document_id, strategy, parse.ended_at
        if kept := self._cuts.get(key):
            return kept
        parsed = await self._copies.get(document)
        if parsed is None:
            raise _not_parsed_yet()
        topics = (await self._topics.find(document, parsed, strategy)).topics
        latest = await self._store.get(document.document_id)
        if latest is None or latest.state == "deleting":
            # Whoever deleted it meanwhile may have done so before its topics were kept.
            await self._copies.forget(document.document_id)
            raise unknown_document()
        async with self._cutting:
            if kept := self._cuts.get(key):
                return kept
            cut = await asyncio.to_thread(_cut, parsed, self._limits, strategy, topics)
            self._cuts.keep(key, cut)
        return cut


def _cut(parsed: ParsedDocument, limits: ChunkLimits, strategy: str, topics: Topics) -> Cut:
    return Cut.of(chunk(parsed, limits, strategy, topics))


def _position(cursor: str) -> int:
    at, kind = decode_cursor(cursor) or (0, _POSITION)
    if at < 0 or kind != _POSITION:
        raise InvalidInput("invalid_cursor", "The cursor is not one of ours.")
    return at


def _not_parsed_yet() -> Conflict:
    return Conflict("not_parsed_yet", "The document has not been read yet, or its text is not kept: process it again.")
