"""Finds where a document's topics change, for the strategies that cut there."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from superagent_common.errors import Conflict, Exhausted, Timeout, Unavailable
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import (
    MOST_PASSAGES,
    STRATEGIES,
    ChunkLimits,
    Passage,
    Topics,
    passages_of,
    topic_changes,
)
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.ports import Neighbours, ParsedCopies, TopicModel

MODEL_FALLBACKS = (Conflict, Unavailable, Exhausted, Timeout)
"""What the model strategy raises when it cannot be had; everything else of a document goes on without it."""


@dataclass(frozen=True, slots=True)
class FoundTopics:
    """Of `passages` so many were `compared`; both are 0 for strategies that need no topics."""

    topics: Topics
    passages: int
    compared: int


class TopicFinding:
    """Keeps what was found beside the parsed copy: a run that is repeated cuts at the same places, and asks nobody."""

    def __init__(
        self, neighbours: Neighbours, model: TopicModel | None, copies: ParsedCopies, limits: ChunkLimits
    ) -> None:
        """Without a model the model strategy is not available."""
        self._neighbours = neighbours
        self._model = model
        self._copies = copies
        self._limits = limits

    @property
    def available(self) -> tuple[str, ...]:
        """Strategies that may be chosen."""
        return tuple(name for name, steps in STRATEGIES.items() if self._model or "model" not in steps)

    async def find(self, document: Document, parsed: ParsedDocument, strategy: str) -> FoundTopics:
        """Raises what the embedder's or the model's side raises."""
        steps = STRATEGIES[strategy]
        if "semantic" not in steps and "model" not in steps:
            return FoundTopics({}, 0, 0)
        passages = await asyncio.to_thread(passages_of, parsed, strategy, self._limits)
        compared = passages if "model" in steps else passages[:MOST_PASSAGES]
        content = _fingerprint(compared)
        topics = await self._copies.topics(document.document_id, strategy, content)
        if topics is None:
            topics = await (self._by_model(compared) if "model" in steps else self._by_meaning(compared))
            await self._copies.keep_topics(document.document_id, strategy, content, topics)
        return FoundTopics(topics, len(passages), len(compared))

    async def _by_meaning(self, passages: Sequence[Passage]) -> Topics:
        similarities = await self._neighbours.similarities([passage.text for passage in passages])
        return topic_changes(passages, similarities)

    async def _by_model(self, passages: Sequence[Passage]) -> Topics:
        if self._model is None:
            raise Conflict("no_model", "No language model may be asked about topics here.")
        begun = await self._model.topics_begin([passage.text for passage in passages])
        return {passages[number].start: 1.0 for number in begun}


def _fingerprint(passages: Sequence[Passage]) -> str:
    digest = hashlib.sha256()
    for passage in passages:
        digest.update(f"{passage.start} {passage.text}\0".encode(errors="replace"))
    return digest.hexdigest()
