"""Both catalogue ports on what implements them, and documents that answer, for the tests of the ports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from opentelemetry.trace import NoOpTracer

from services.retrieval.tests.memory_catalogue import MemoryCatalogue
from services.retrieval.tests.retrieval_rig import WORDS
from superagent_common.db import Database
from superagent_retrieval.adapters.sql_catalogue import SqlCatalogue
from superagent_retrieval.adapters.sql_index_catalogue import SqlIndexCatalogue
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.ports import Catalogue, IndexCatalogue
from tests.support.databases import new_database

CATALOGUES = ["memory", "sql"]


@asynccontextmanager
async def opened_catalogues(kind: str, directory: Path) -> AsyncIterator[tuple[Catalogue, IndexCatalogue]]:
    """Empty ones; the index of WORDS answers."""
    if kind == "memory":
        both = MemoryCatalogue()
        await both.claim(WORDS)
        yield both, both
        return
    async with Database.opened(await new_database("superagent_retrieval", directory), tracer=NoOpTracer()) as database:
        indexes = SqlIndexCatalogue(database)
        await indexes.claim(WORDS)
        yield SqlCatalogue(database), indexes


def parents_of(known: IndexedDocument, count: int = 3) -> list[Parent]:
    return [
        Parent(
            f"{known.generation[:30]}/{position}",
            known.document_id,
            known.metadata.title,
            known.metadata.attributes.domain,
            ("Section",),
            position,
            f"text {position}",
            position * 10,
            position * 10 + 6,
        )
        for position in range(count)
    ]


async def answer(catalogue: Catalogue, known: IndexedDocument) -> list[str]:
    """Makes the document answer; gives the ids of its parents."""
    await catalogue.learn(known.document_id, known.metadata)
    parents = parents_of(known)
    await catalogue.write_parents(parents, known.generation)
    assert await catalogue.activate(replace(known, parents=3, children=5), WORDS)
    return [parent.parent_id for parent in parents]
