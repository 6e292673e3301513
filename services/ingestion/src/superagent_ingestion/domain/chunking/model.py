"""Shapes of chunking. All sizes and offsets are characters (code points) of the canonical text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """How long chunks become; the defaults are those of ING-8, but that children are half as long (ADR 19).

    child, parent: the size aimed at. child_max, parent_max: a sentence, a table row or a heading with its first
    sentence may stretch a chunk that far; so may a paragraph a parent. overlap: what a child repeats of the one before
    it, at most. fragment: a shorter chunk joins a neighbour that has room.
    """

    child: int = 250
    child_max: int = 350
    overlap: int = 50
    parent: int = 1_200
    parent_max: int = 2_200
    fragment: int = 30

    def __post_init__(self) -> None:
        ordered = 0 < self.child <= self.child_max <= self.parent_max and self.child <= self.parent <= self.parent_max
        if not ordered or not 0 <= self.overlap < self.child or not 0 <= self.fragment < self.child:
            raise ValueError(f"chunk limits contradict each other: {self}")


@dataclass(frozen=True, slots=True)
class Parent:
    """A stretch of the canonical text that makes sense alone; parents tile the text without gap or overlap.

    text == prefix + canonical[start:end]; prefix is the header of a table that began in an earlier parent, else "".
    """

    position: int
    text: str
    prefix: str
    start: int
    end: int
    heading_path: tuple[str, ...]
    page_from: int | None
    page_to: int | None


@dataclass(frozen=True, slots=True)
class Child:
    """A stretch of one parent, small enough for one vector.

    text == prefix + canonical[start:end]. Its first `overlap` characters after the prefix repeat the end of the child
    before it; without them the children of a parent tile it.
    anchor: the first words of what is its own, to recognise the place by.
    """

    position: int
    parent_position: int
    text: str
    prefix: str
    start: int
    end: int
    overlap: int
    heading_path: tuple[str, ...]
    page: int | None
    anchor: str


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    level: int
    heading: str
    page: int | None
    parent_position: int


@dataclass(frozen=True, slots=True)
class Chunks:
    """text is the canonical text: the blocks in order, an empty line between them."""

    text: str
    parents: tuple[Parent, ...]
    children: tuple[Child, ...]
    outline: tuple[OutlineEntry, ...]
