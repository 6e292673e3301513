"""What lies in retrieval's catalogue and in both of its engines, read from their files while nobody has them open."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import qdrant_edge
import tantivy

_EVERYTHING = 1_000_000


@dataclass(slots=True)
class StoredChunks:
    """Of one document: parents as (position, text), children as (position of the parent, start, end), keywords as
    positions of parents. Lists, so that what is there twice shows."""

    parents: list[tuple[int, str]] = field(default_factory=list)
    children: list[tuple[int, int, int]] = field(default_factory=list)
    keywords: list[int] = field(default_factory=list)


def stored_chunks(retrieval: Path, database: Path) -> dict[str, StoredChunks]:
    """By document. `retrieval` is the service's folder, `database` its catalogue. Raises KeyError for a vector or a
    keyword entry without a parent in the catalogue, which nothing may leave behind."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as catalogue:
        rows = catalogue.execute("SELECT parent_id, document_id, generation, position, text FROM parents").fetchall()
        answering = dict(catalogue.execute("SELECT document_id, generation FROM documents").fetchall())
    found = {document_id: StoredChunks() for document_id in answering}
    places: dict[str, tuple[str, int]] = {}
    for parent_id, document_id, generation, position, text in rows:
        assert answering[document_id] == generation, "a parent of a generation that does not answer"
        places[parent_id] = document_id, position
        found[document_id].parents.append((position, text))
    for parent_id, start, end in stored_vectors(retrieval / "vectors"):
        document_id, position = places[parent_id]
        found[document_id].children.append((position, start, end))
    for parent_id in stored_keywords(retrieval / "keywords"):
        document_id, position = places[parent_id]
        found[document_id].keywords.append(position)
    for chunks in found.values():
        for each in (chunks.parents, chunks.children, chunks.keywords):
            each.sort()
    return found


def stored_vectors(folder: Path) -> list[tuple[str, int, int]]:
    """Parent, start and end of every vector, of whatever document and generation."""
    (shards,) = folder.iterdir()
    complete = [path for path in shards.iterdir() if (path / "complete").exists()]
    shard = qdrant_edge.EdgeShard.load(str(max(complete, key=lambda path: int(path.name))))
    try:
        records, _ = shard.scroll(qdrant_edge.ScrollRequest(limit=_EVERYTHING, with_payload=True))
        payloads = [record.payload for record in records]
    finally:
        shard.close()
    return [(payload["parent_id"], payload["start"], payload["end"]) for payload in payloads]


def stored_keywords(folder: Path) -> list[str]:
    """Parent of every keyword entry, of whatever document and generation."""
    searcher = tantivy.Index.open(str(folder)).searcher()
    hits = searcher.search(tantivy.Query.all_query(), limit=_EVERYTHING).hits
    return [searcher.doc(address)["parent_id"][0] for _, address in hits]
