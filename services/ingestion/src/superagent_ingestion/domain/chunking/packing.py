"""Fills chunks with atoms, cutting where it hurts least."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from superagent_ingestion.domain.chunking.atoms import Atom, Cut
from superagent_ingestion.domain.chunking.outline import Layout

# A chunk shorter than this share of its target does not end where only a paragraph or sentence ends.
_FILLED = 0.5
# A section at least this long is a chunk of its own; shorter siblings share one.
_SECTION_FILLED = 0.3
# Of the room that a block's parts may fill when it is cut into as few as possible; a sentence more must fit.
_PART_FILLED = 0.9
# How much longer than its target a chunk may become to end where the topic changes.
_STRETCHED = 1.5


@dataclass(frozen=True, slots=True)
class Room:
    """Sizes of one kind of chunk, in characters: the aim, the most, and below what it joins a neighbour.

    sections: whether a section begins a chunk, or is but a good place to cut at. whole: whether a block takes a chunk
    beyond the target rather than being cut, or, where it is longer than the maximum, into more parts than it must.
    """

    target: int
    maximum: int
    fragment: int
    sections: bool
    whole: bool = False


def pack(layout: Layout, atoms: Sequence[Atom], room: Room) -> list[Sequence[Atom]]:
    """Runs of atoms, in order, none left out; none longer than room.maximum unless one atom alone is.

    A table header before a run counts as at most half of the target.
    """
    chunks: list[Sequence[Atom]] = []
    first = 0
    while first < len(atoms):
        after = _fill(layout, atoms, first, room)
        if (changes := _topic_change(atoms, first, after, room)) is not None:
            after = changes
        elif after < len(atoms):
            after = _best_cut(atoms, first, after, room)
        chunks.append(atoms[first:after])
        first = after
    return _join_fragments(layout.text, chunks, room)


def _fill(layout: Layout, atoms: Sequence[Atom], first: int, room: Room) -> int:
    """Index after the last atom that belongs to the chunk beginning at `first`, before looking for a better cut."""
    # As in split_long: a long table header takes half of the room at most.
    start = atoms[first].start - min(atoms[first].header_length, room.target // 2)
    target = _target(layout, atoms[first], room)
    top = _body_level(layout, atoms[first])
    for index in range(first + 1, len(atoms)):
        atom = atoms[index]
        size = atom.start - start
        grown = atom.end - start
        if room.sections and _begins_section(atom):
            level = layout.placed[atom.block].section.level
            if size >= room.target * _SECTION_FILLED or (top is not None and level < top):
                return index
        if grown > room.maximum:
            return index
        if grown > target and size >= target * _FILLED and not _ends_whole(layout, atoms, index, start, room):
            return index
        below = _body_level(layout, atom)
        if below is not None:
            top = below if top is None else min(top, below)
    return len(atoms)


def _target(layout: Layout, first: Atom, room: Room) -> float:
    """What a chunk that begins with the atom aims at: an equal part of a block that does not fit whole."""
    rest = layout.placed[first.block].end - first.start
    if not room.whole or rest <= room.maximum:
        return room.target
    return rest / math.ceil(rest / (room.maximum * _PART_FILLED))


def _ends_whole(layout: Layout, atoms: Sequence[Atom], index: int, start: int, room: Room) -> bool:
    """Whether the atom goes on with a block whose rest a chunk from `start` has room for, and it was too early to end the
    chunk before that block."""
    block = layout.placed[atoms[index].block]
    goes_on = block.start < atoms[index].start and block.start - start < room.target * _FILLED
    return room.whole and goes_on and block.end - start <= room.maximum


def _topic_change(atoms: Sequence[Atom], first: int, after: int, room: Room) -> int | None:
    """The index where the topic changes most, the first of equals, in the window around the target; None for none.

    `after` is where a section or the size would end the chunk; no other section is run across.
    """
    start = atoms[first].start - min(atoms[first].header_length, room.target // 2)
    longest = min(room.maximum, room.target * _STRETCHED)
    found: int | None = None
    for index in range(first + 1, len(atoms)):
        atom = atoms[index]
        size = atom.start - start
        if size > longest or (room.sections and index >= after and _begins_section(atom)):
            break
        if size >= room.target * _FILLED and atom.topic > (0.0 if found is None else atoms[found].topic):
            found = index
    return found


def _begins_section(atom: Atom) -> bool:
    return atom.cut is Cut.SECTION and not atom.glued


def _body_level(layout: Layout, atom: Atom) -> int | None:
    """The level of the section that the atom says something in; None for a heading."""
    placed = layout.placed[atom.block]
    return placed.section.level if placed.block.kind != "heading" else None


def _best_cut(atoms: Sequence[Atom], first: int, after: int, room: Room) -> int:
    """The index in (first, after] to begin the next chunk at."""
    if _begins_section(atoms[after]):
        return after
    start = atoms[first].start
    places = range(first + 1, after + 1)
    filled = [index for index in places if atoms[index].start - start >= room.target * _FILLED]
    # A short chunk is better than one that ends with the heading of the next.
    candidates = [index for index in filled if not atoms[index].glued] or [
        index for index in places if not atoms[index].glued
    ]
    return min(candidates or filled or places, key=lambda index: (atoms[index].cut, -index))


def _join_fragments(text: str, chunks: list[Sequence[Atom]], room: Room) -> list[Sequence[Atom]]:
    joined: list[Sequence[Atom]] = []
    for chunk in chunks:
        before = joined[-1] if joined else None
        if (
            before is not None
            and (_visible(text, chunk) < room.fragment or _visible(text, before) < room.fragment)
            and _length(before) + chunk[-1].end - chunk[0].start <= room.maximum
        ):
            joined[-1] = [*before, *chunk]
        else:
            joined.append(chunk)
    return joined


def _length(chunk: Sequence[Atom]) -> int:
    return chunk[-1].end - chunk[0].start + chunk[0].header_length


def _visible(text: str, chunk: Sequence[Atom]) -> int:
    return len(text[chunk[0].start : chunk[-1].end].strip())
