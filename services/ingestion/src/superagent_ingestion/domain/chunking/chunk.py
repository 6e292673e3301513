"""All strategies in one pass: headings and topics shape the chunks, sizes cut them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking.atoms import Atom, atoms_of, split_long
from superagent_ingestion.domain.chunking.model import Child, ChunkLimits, Chunks, OutlineEntry, Parent
from superagent_ingestion.domain.chunking.outline import Layout, common_path, lay_out
from superagent_ingestion.domain.chunking.overlap import overlap_start
from superagent_ingestion.domain.chunking.packing import Room, pack
from superagent_ingestion.domain.chunking.strategies import DEFAULT_STRATEGY, STRATEGIES
from superagent_ingestion.domain.chunking.topics import Topics

_ANCHOR_LENGTH = 40


def chunk(
    document: ParsedDocument,
    limits: ChunkLimits | None = None,
    strategy: str = DEFAULT_STRATEGY,
    topics: Topics | None = None,
) -> Chunks:
    """The chunks by one of `STRATEGIES`; semantic and model cut by `topics`, the others leave them aside.

    Same arguments, same chunks: ids can be made of content and position. Takes time linear in the text. Raises nothing;
    a document without text gives no chunks.
    """
    limits = limits or ChunkLimits()
    steps = STRATEGIES[strategy]
    sections = "structure" in steps
    layout = lay_out(document)
    atoms = split_long(layout.text, atoms_of(layout, longest_header=2 * limits.child), limits.parent_max)
    if topics and not {"semantic", "model"}.isdisjoint(steps):
        atoms = [replace(atom, topic=topics[atom.start]) if atom.start in topics else atom for atom in atoms]
    parents: list[Parent] = []
    children: list[Child] = []
    for run in pack(layout, atoms, Room(limits.parent, limits.parent_max, limits.fragment, sections, whole=True)):
        parent = _parent(layout, len(parents), run)
        parents.append(parent)
        children.extend(_children(layout, parent, run, limits, sections, len(children)))
    return Chunks(layout.text, tuple(parents), tuple(children), _outline(layout, parents))


def _parent(layout: Layout, position: int, run: Sequence[Atom]) -> Parent:
    start, end = run[0].start, run[-1].end
    covered = layout.blocks_in(start, end)
    pages = [placed.block.page for placed in covered if placed.block.page is not None]
    prefix = _prefix(layout, run[0])
    return Parent(
        position=position,
        text=prefix + layout.text[start:end],
        prefix=prefix,
        start=start,
        end=end,
        heading_path=common_path(covered),
        page_from=min(pages, default=None),
        page_to=max(pages, default=None),
    )


def _children(
    layout: Layout, parent: Parent, run: Sequence[Atom], limits: ChunkLimits, sections: bool, position: int
) -> list[Child]:
    text = layout.text
    room = Room(limits.child, limits.child_max, limits.fragment, sections)
    children: list[Child] = []
    before: Sequence[Atom] = ()
    for own in pack(layout, split_long(text, run, limits.child_max), room):
        start, end = own[0].start, own[-1].end
        prefix = _prefix(layout, own[0])
        shared_from = overlap_start(layout, before, own[0], limits.overlap) if before else start
        before = own
        children.append(
            Child(
                position=position + len(children),
                parent_position=parent.position,
                text=prefix + text[shared_from:end],
                prefix=prefix,
                start=shared_from,
                end=end,
                overlap=start - shared_from,
                heading_path=common_path(layout.blocks_in(start, end)),
                page=layout.placed[layout.block_at(start)].block.page,
                anchor=_anchor(text[start:end]),
            )
        )
    return children


def _prefix(layout: Layout, atom: Atom) -> str:
    return layout.text[slice(*atom.header)] if atom.header else ""


def _anchor(own: str) -> str:
    words = " ".join(own[: 4 * _ANCHOR_LENGTH].split())
    if len(words) <= _ANCHOR_LENGTH:
        return words
    cut = words[: _ANCHOR_LENGTH + 1].rfind(" ")
    return words[: cut if cut >= _ANCHOR_LENGTH // 2 else _ANCHOR_LENGTH]


def _outline(layout: Layout, parents: Sequence[Parent]) -> tuple[OutlineEntry, ...]:
    entries: list[OutlineEntry] = []
    position = 0
    for placed in layout.placed:
        while parents[position].end <= placed.start:
            position += 1
        if placed.block.kind == "heading":
            entries.append(OutlineEntry(placed.block.level, placed.section.path[-1], placed.block.page, position))
    return tuple(entries)
