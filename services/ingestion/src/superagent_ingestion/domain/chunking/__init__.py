"""Cuts a parsed document into parents (what an answer reads) and children (what a search finds)."""

from superagent_ingestion.domain.chunking.chunk import chunk
from superagent_ingestion.domain.chunking.model import Child, ChunkLimits, Chunks, OutlineEntry, Parent

__all__ = ["Child", "ChunkLimits", "Chunks", "OutlineEntry", "Parent", "chunk"]
