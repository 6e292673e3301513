"""Cuts a parsed document into parents (what an answer reads) and children (what a search finds)."""

from superagent_ingestion.domain.chunking.chunk import chunk
from superagent_ingestion.domain.chunking.model import Child, ChunkLimits, Chunks, OutlineEntry, Parent
from superagent_ingestion.domain.chunking.strategies import DEFAULT_STRATEGY, STRATEGIES, Step
from superagent_ingestion.domain.chunking.topics import MOST_PASSAGES, Passage, Topics, passages_of, topic_changes

__all__ = [
    "DEFAULT_STRATEGY",
    "MOST_PASSAGES",
    "STRATEGIES",
    "Child",
    "ChunkLimits",
    "Chunks",
    "OutlineEntry",
    "Parent",
    "Passage",
    "Step",
    "Topics",
    "chunk",
    "passages_of",
    "topic_changes",
]
