"""Which embedding model's vectors answer, and which are being made (RAG-11)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexName:
    """Vectors of one model and one length, which have an index of their own."""

    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class IndexRun:
    """What makes an index, or made it; started_at in microseconds since the epoch."""

    run_id: str
    index: IndexName
    started_at: int


@dataclass(frozen=True, slots=True)
class IndexStates:
    """answering: the index that searches use. building: the one that will be. retired: those that are to be removed."""

    answering: IndexRun
    building: IndexRun | None = None
    retired: tuple[IndexName, ...] = ()
