"""What is done with a document, stage by stage: fetch and verify, parse, choose a strategy, chunk, index.

Safe to kill anywhere: each stage can be done again.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from superagent_common.errors import NotFound, Unimplemented
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_ingestion.application.place import GivenUp, Place
from superagent_ingestion.application.topics import MODEL_FALLBACKS, TopicFinding
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import STRATEGIES, ChunkLimits, Chunks, Topics, chunk
from superagent_ingestion.domain.documents import (
    Document,
    StageName,
    State,
    may_be_taken_over,
    object_keys,
    progress_of,
)
from superagent_ingestion.domain.rejection import DocumentRejected
from superagent_ingestion.domain.strategy import recommend
from superagent_ingestion.ports import (
    DocumentParser,
    DocumentStore,
    Index,
    ObjectStore,
    ParsedCopies,
    Progress,
    UrlFetcher,
)

_TAKEN_OVER: tuple[tuple[StageName, State], ...] = (
    ("parse", "parsed"),
    ("strategy", "confirmed"),
    ("chunk", "chunking"),
)

AWAITING_STRATEGY = "awaiting_strategy"
"""Why a document waits whose strategy a person wants to look at."""


class Processing:
    """The stages of one worker's documents."""

    def __init__(
        self,
        progress: Progress,
        documents: DocumentStore,
        objects: ObjectStore,
        fetcher: UrlFetcher,
        parser: DocumentParser,
        copies: ParsedCopies,
        topics: TopicFinding,
        index: Index,
        telemetry: Telemetry,
        log: Logger,
        committed: Callable[[], None],
        limits: ChunkLimits,
    ) -> None:
        """`committed` is told when the outbox has something new."""
        self._progress = progress
        self._documents = documents
        self._objects = objects
        self._fetcher = fetcher
        self._parser = parser
        self._copies = copies
        self._topics = topics
        self._index = index
        self._telemetry = telemetry
        self._log = log
        self._committed = committed
        self._limits = limits

    async def process(self, document: Document, place: Place) -> None:
        """Takes a document as far as it goes, keeping `place` up to date.

        Raises GivenUp, GaveWay, DocumentRejected when the file is the cause, and what the ports raise.
        """
        if document.source_url and not document.sha256:
            document = await self._fetch(document, place)
        if document.copied_from:
            if await self._take_over(document, place):
                return
            document = replace(document, copied_from="")
        parsed = await self._parse(document, place)
        document = await self._choose(document, parsed, place)
        if document.review_strategy and not document.chosen_strategy:
            self._or_stop(await self._progress.hold(document.document_id, AWAITING_STRATEGY))
            return
        document, chunks = await self._chunk(document, parsed, place)
        await self._store(document, chunks, place)

    async def forget(self, document_id: str) -> None:
        """Removes what a job wrote of a document that was deleted meanwhile."""
        await self._index.delete(document_id)
        await self._objects.remove(object_keys(document_id))

    async def _fetch(self, document: Document, place: Place) -> Document:
        with tempfile.TemporaryDirectory(prefix="superagent-") as folder:
            path = Path(folder) / "content"
            async with self._stage(document, "upload", "uploaded", place):
                got = await self._fetcher.fetch(document.source_url, path)
                await self._objects.put_file(document.object_key, path)
                document = replace(document, file_name=got.file_name, size=got.size, sha256=got.sha256)
                self._or_stop(await self._progress.fetched(document))
        counts = {"bytes": got.size, "redirects": got.redirects}
        await self._done(document, "upload", "uploaded", counts, f"Fetched {got.file_name} from {got.host}.")
        return document

    async def _take_over(self, document: Document, place: Place) -> bool:
        """Copies the chunks and vectors of the same content; False when it is to be processed like any other."""
        source = await self._documents.get(document.copied_from)
        if source is None or not may_be_taken_over(document, source):
            return False
        place.stage = "index"
        document = replace(
            document,
            generation=document.generation or new_id(),
            found_title=source.found_title,
            found_language=source.found_language,
            pages=source.pages,
            recommended_strategy=source.recommended_strategy,
            strategy_reasons=source.strategy_reasons,
        )
        # The generation is written before: a copy that is tried again writes nothing twice.
        self._or_stop(await self._progress.describe(document))
        with self._telemetry.span("stage index", attributes={"superagent.stage": "index"}):
            try:
                document = await self._as_said_now(document)
                parents, children = await self._index.copy(document, source.document_id)
                await self._follow_changes(document)
            except (NotFound, Unimplemented) as error:
                self._log.warning("chunks_not_taken_over", document_id=document.document_id, reason=error.reason)
                return False
            await self._copies.take_over(source.document_id, document.document_id)
            document = replace(document, parents=parents, children=children)
            for name, state in _TAKEN_OVER:
                counts = dict(source.stage(name).counts)
                await self._done(document, name, state, counts, "Taken over from the same content.")
            self._or_stop(
                await self._progress.begin(document.document_id, "index", "indexing", progress_of("indexing"))
            )
            self._or_stop(await self._progress.ready(document, embedded=0, copied=children))
        self._committed()
        self._log.info("document_ready", document_id=document.document_id, children=children, embedded=0)
        return True

    async def _parse(self, document: Document, place: Place) -> ParsedDocument:
        """The document's blocks: kept ones when its parse stage is completed, else read anew and kept."""
        if document.stage("parse").state == "completed" and (kept := await self._copies.get(document)):
            return kept
        with tempfile.TemporaryDirectory(prefix="superagent-") as folder:
            path = Path(folder) / "content"
            async with self._stage(document, "parse", "parsing", place):
                digest = await self._objects.fetch(document.object_key, path)
                if digest != document.sha256:
                    raise DocumentRejected("hash_mismatch", "The stored file is not the one that was announced.")
                parsed = await self._parser.parse(path, document.file_name)
                await self._copies.put(document, parsed)
            await self._done(document, "parse", "parsed", _found(parsed), f"Read with {parsed.parser}.")
        return parsed

    async def _choose(self, document: Document, parsed: ParsedDocument, place: Place) -> Document:
        # A person who has chosen has confirmed it; ING-7: else it confirms itself, unless somebody wants to look first.
        state: State = "confirmed" if document.chosen_strategy else "parsed"
        async with self._stage(document, "strategy", state, place):
            recommended = await asyncio.to_thread(recommend, parsed, self._limits)
            document = replace(
                document,
                found_title=(parsed.title or "")[:300],
                found_language=parsed.language,
                pages=parsed.pages or 0,
                recommended_strategy=recommended.strategy,
                strategy_reasons=recommended.reasons,
            )
        if document.chosen_strategy:
            await self._done(document, "strategy", "confirmed", {}, f"Strategy {document.strategy}. Chosen by hand.")
        else:
            state = "parsed" if document.review_strategy else "confirmed"
            reasons = " ".join(recommended.reasons)
            await self._done(document, "strategy", state, {}, f"Strategy {document.strategy}. {reasons}")
        return document

    async def _chunk(self, document: Document, parsed: ParsedDocument, place: Place) -> tuple[Document, Chunks]:
        async with self._stage(document, "chunk", "chunking", place):
            topics = await self._topics_of(document, parsed)
            chunks = await asyncio.to_thread(chunk, parsed, self._limits, document.strategy, topics)
            # A run that is tried again writes the same generation, so that nothing is there twice.
            document = replace(
                document,
                children=len(chunks.children),
                parents=len(chunks.parents),
                generation=document.generation or new_id(),
            )
        counts = {"children": len(chunks.children), "parents": len(chunks.parents)}
        await self._done(document, "chunk", "chunking", counts, f"Cut into {len(chunks.children)} pieces.")
        return document, chunks

    async def _topics_of(self, document: Document, parsed: ParsedDocument) -> Topics:
        """Where the topics of its strategy change; none, with a warning in its log, when the model fails."""
        strategy = document.strategy
        try:
            found = await self._topics.find(document, parsed, strategy)
        except MODEL_FALLBACKS as failure:
            if "model" not in STRATEGIES[strategy]:
                raise
            self._log.warning("model_chunking_failed", document_id=document.document_id, reason=failure.reason)
            message = f"No model said where its topics begin: {failure.reason}. It is cut by length alone."
            self._or_stop(await self._progress.note(document.document_id, "chunk", message))
            return {}
        if found.compared < found.passages:
            message = f"Topics were looked for in the first {found.compared} of {found.passages} passages only."
            self._or_stop(await self._progress.note(document.document_id, "chunk", message))
        return found.topics

    async def _store(self, document: Document, chunks: Chunks, place: Place) -> None:
        async with self._stage(document, "index", "indexing", place):

            async def taken(children: int) -> None:
                if not children:
                    return
                progress = progress_of("indexing", children, len(chunks.children))
                self._or_stop(await self._progress.advance(document.document_id, progress))
                # Not before it is further than the last time, or it would never end.
                if progress > document.progress:
                    await place.give_way()

            document = await self._as_said_now(document)
            embedded = await self._index.index(document, chunks, taken)
            await self._follow_changes(document)
            self._or_stop(await self._progress.ready(document, embedded))
        self._committed()
        self._log.info(
            "document_ready", document_id=document.document_id, children=len(chunks.children), embedded=embedded
        )

    async def _as_said_now(self, document: Document) -> Document:
        """With the newest of what is said of it; whoever changes that from now on tells the indexes."""
        current = await self._progress.current(document.document_id)
        if current is None:
            raise GivenUp
        return replace(document, metadata=current.metadata, metadata_revision=current.metadata_revision)

    async def _follow_changes(self, indexed: Document) -> None:
        """Whoever changed it may not have reached the indexes: it answers by what is said of it now."""
        current = await self._as_said_now(indexed)
        if current.metadata_revision > indexed.metadata_revision:
            await self._index.update(current)

    @asynccontextmanager
    async def _stage(self, document: Document, name: StageName, state: State, place: Place) -> AsyncIterator[None]:
        place.stage = name
        with self._telemetry.span(f"stage {name}", attributes={"superagent.stage": name}):
            self._or_stop(await self._progress.begin(document.document_id, name, state, progress_of(state)))
            yield

    async def _done(
        self, document: Document, name: StageName, state: State, counts: dict[str, int], message: str
    ) -> None:
        self._or_stop(await self._progress.complete(document, name, state, counts, message))

    @staticmethod
    def _or_stop(still_ours: bool) -> None:
        if not still_ours:
            raise GivenUp


def _found(parsed: ParsedDocument) -> dict[str, int]:
    kinds = Counter(block.kind for block in parsed.blocks)
    counts = {
        "blocks": len(parsed.blocks),
        "headings": kinds["heading"],
        "tables": kinds["table"],
        "pages": parsed.pages or 0,
    }
    if parsed.pages_without_text:
        counts["pages_without_text"] = parsed.pages_without_text
    if parsed.ocr_confidence is not None:
        counts |= {"ocr_pages": parsed.ocr_pages, "ocr_confidence": parsed.ocr_confidence}
    return counts
