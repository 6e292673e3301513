"""RAG-9 as a property: random people, org trees and documents, through the contract's own messages.

Documents come, change and go, the organisation is turned over, people get other tags. Whatever is asked, nobody gets a
hit, a title, a text, a count or an outline that the rule does not allow; neither engine even finds what would have to be
taken away again; and whoever may read something finds it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.trace import NoOpTracer

from services.retrieval.tests.brute_force_indexes import BruteForceVectorIndexes
from services.retrieval.tests.index_engines import KEYWORD_ENGINES, OPENSEARCH, QDRANT, VECTOR_ENGINES
from services.retrieval.tests.permission_world import QUESTION, Narrowing, Paper, Person, World
from services.retrieval.tests.retrieval_rig import RANKING, WORDS, Rig, WordEmbedders
from superagent.orchestrator.v1.plan_pb2 import QuestionFilters
from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent_common.db import Database
from superagent_common.errors import NotFound, Unavailable
from superagent_common.identity import Identity, Principal, acting_as
from superagent_common.ids import new_id
from superagent_retrieval.adapters.sql_index_catalogue import SqlIndexCatalogue
from superagent_retrieval.api import RetrievalApi
from superagent_retrieval.application.spaces import Space
from tests.support.databases import new_database

ROUNDS, CASES_A_ROUND = 10, 200
# In CI the same each time; a failure elsewhere names its seed.
SEED = 20261130 if os.environ.get("CI") else random.randrange(1_000_000)

# A server on a busy machine takes minutes for all of them.
PATIENT = pytest.mark.timeout(1_200)

pytestmark = pytest.mark.usefixtures("search_servers")


class Watched:
    """An index that remembers which documents its last searches found."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.found: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def search(self, *arguments: Any) -> Any:
        return self._seen(await self._index.search(*arguments))

    async def headings(self, *arguments: Any) -> Any:
        return self._seen(await self._index.headings(*arguments))

    def _seen(self, hits: Any) -> Any:
        self.found.update(hit.document_id for hit in hits)
        return hits


class Service:
    """The service's contract, called in this process."""

    def __init__(self, rig: Rig, world: World, vectors: Watched, keywords: Watched) -> None:
        self.rig, self.world, self.vectors, self.keywords = rig, world, vectors, keywords
        self.api = RetrievalApi(
            rig.searching,
            rig.reading,
            rig.indexing,
            rig.generations,
            rig.copying,
            rig.comparing,
            rig.status,
            rig.rebuilding,
        )

    async def ask(self, person: Person, method: str, request: Any) -> Any:
        roles = ("admin",) if person.is_administrator else ()
        principal = Principal(person.user_id, "", roles, tuple(person.direct_tags))
        with acting_as(Identity(principal)):
            return await getattr(self.api, method)(request, None)

    async def index(self, paper: Paper) -> None:
        text, heading = f"{QUESTION} of {paper.secret} lasts long", f"Chapter {paper.secret}"
        header = pb.IndexHeader(
            document_id=paper.document_id,
            generation=new_id(),
            metadata=metadata(paper),
            outline=[pb.OutlineEntry(level=1, heading=heading)],
            parents_total=1,
            children_total=1,
        )
        batch = pb.ChunkBatch()
        batch.parents.add(text=text, heading_path=[heading], end=len(text))
        batch.children.add(text=text, end=len(text))

        async def messages() -> AsyncIterator[pb.IndexChunksRequest]:
            yield pb.IndexChunksRequest(header=header)
            yield pb.IndexChunksRequest(batch=batch)

        await self.api.IndexChunks(messages(), None)

    async def update(self, paper: Paper) -> None:
        await self.api.UpdateDocument(
            pb.UpdateDocumentRequest(document_id=paper.document_id, metadata=metadata(paper)), None
        )

    async def delete(self, paper: Paper) -> None:
        await self.api.DeleteDocument(pb.DeleteDocumentRequest(document_id=paper.document_id), None)


def metadata(paper: Paper) -> pb.DocumentMetadata:
    return pb.DocumentMetadata(
        title=f"Title {paper.secret}",
        domain=paper.domain,
        business_category=paper.category,
        tags=paper.free_tags,
        language=paper.language,
        owner_id=paper.owner,
        org_tag=paper.org_tag,
        is_public=paper.is_public,
        revision=paper.revision,
    )


@asynccontextmanager
async def service(engines: tuple[str, str], world: World, folder: Path) -> AsyncIterator[Service]:
    url = await new_database("superagent_retrieval", folder)
    async with Database.opened(url, tracer=NoOpTracer()) as database:
        vectors = Watched(await VECTOR_ENGINES[engines[0]](folder))
        keywords = Watched(await KEYWORD_ENGINES[engines[1]](folder))
        embedders, indexes = WordEmbedders(), BruteForceVectorIndexes()
        await SqlIndexCatalogue(database).claim(WORDS)
        space = Space(WORDS, embedders.open(WORDS), vectors, RANKING.calibration)  # type: ignore[arg-type]
        rig = Rig(database, indexes, keywords, embedders, space, lambda: world.children)  # type: ignore[arg-type]
        yield Service(rig, world, vectors, keywords)
        await vectors.close()
        await keywords.close()


@pytest.mark.parametrize(
    "engines",
    [
        ("qdrant_edge", "tantivy"),
        pytest.param(("qdrant_edge", "opensearch"), marks=[pytest.mark.real(OPENSEARCH), PATIENT]),
        pytest.param(("qdrant", "tantivy"), marks=[pytest.mark.real(QDRANT), PATIENT]),
    ],
    ids="+".join,
)
async def test_nobody_gets_what_the_rule_does_not_allow(engines: tuple[str, str], tmp_path: Path) -> None:
    world = World(SEED)
    cases: Counter[str] = Counter()
    async with service(engines, world, tmp_path) as served:
        for _ in range(ROUNDS):
            await turn_over(served)
            for _ in range(CASES_A_ROUND):
                person = world.pick.choice(world.people)
                check = world.pick.choice([search, search, preview, preview, outline])
                try:
                    cases[await check(served, person)] += 1
                except AssertionError as leak:
                    leak.add_note(f"seed {SEED}, {person}, tree {world.parents}")
                    raise
    assert cases.total() == ROUNDS * CASES_A_ROUND
    # Of each kind there is enough to mean something.
    assert min(cases[kind] for kind in ("nothing", "some", "all", "outline", "no outline")) > 20, cases


async def turn_over(served: Service) -> None:
    """The organisation becomes another, and documents come, change, are read anew and go."""
    world = served.world
    world.reorganise()
    for paper in world.pick.sample(world.papers, len(world.papers) // 4):
        world.lose(paper)
        await served.delete(paper)
    for paper in world.pick.sample(world.papers, len(world.papers) // 3):
        world.change(paper)
        await served.update(paper)
    for paper in world.pick.sample(world.papers, len(world.papers) // 6):
        await served.index(paper)
    for _ in range(10):
        await served.index(world.new_paper())


async def search(served: Service, person: Person) -> str:
    request, narrowing = search_request(served.world)
    with_vectors = served.world.pick.random() < 0.8
    served.rig.embedder.failing = None if with_vectors else Unavailable("embedder_down")
    found = await served.ask(person, "Search", request)
    served.rig.embedder.failing = None
    return check_result(served, person, narrowing, found, found)


async def preview(served: Service, person: Person) -> str:
    request, narrowing = search_request(served.world)
    found = await served.ask(person, "PreviewSearch", pb.PreviewSearchRequest(search=request))
    hits = {hit.document_id for hit in found.hits} | {each.document_id for each in found.candidates}
    assert hits <= readable_ids(served.world, person)
    return check_result(served, person, narrowing, found, found.result)


async def outline(served: Service, person: Person) -> str:
    world = served.world
    paper = world.pick.choice(world.papers + world.gone)
    request = pb.GetOutlineRequest(document_id=paper.document_id)
    if paper in world.papers and world.may_read(person, paper):
        (entry,) = (await served.ask(person, "GetOutline", request)).entries
        assert entry.heading == f"Chapter {paper.secret}"
        return "outline"
    with pytest.raises(NotFound) as refused:
        await served.ask(person, "GetOutline", request)
    with pytest.raises(NotFound) as unknown:
        await served.ask(person, "GetOutline", pb.GetOutlineRequest(document_id=new_id()))
    assert (refused.value.reason, refused.value.message) == (unknown.value.reason, unknown.value.message)
    return "no outline"


def search_request(world: World) -> tuple[pb.SearchRequest, Narrowing]:
    narrowing = world.narrowing()
    request = pb.SearchRequest(
        question=QUESTION,
        top_k=50,
        budget_chars=-1,
        domains=narrowing.domains,
        use_outline=world.pick.random() < 0.2,
        filters=QuestionFilters(
            business_categories=narrowing.categories,
            languages=narrowing.languages,
            tags=narrowing.free_tags,
            document_ids=narrowing.document_ids,
        ),
    )
    return request, narrowing


def check_result(served: Service, person: Person, narrowing: Narrowing, answer: Any, result: pb.SearchResponse) -> str:
    world = served.world
    allowed = readable_ids(world, person)
    expected = {paper.document_id for paper in world.papers if narrowing.admits(paper)} & allowed
    assert {passage.document_id for passage in result.evidence} == expected
    for index in (served.vectors, served.keywords):
        assert index.found <= expected
        index.found.clear()
    said = answer.SerializeToString()
    for paper in (*world.papers, *world.gone):
        if paper.document_id not in allowed:
            assert paper.secret.encode() not in said and paper.document_id.encode() not in said
    there = {paper.domain for paper in world.papers if paper.document_id in allowed}
    assert set(result.unknown_domains) == set(narrowing.domains) - there
    # Nothing that may be read is left out, so that a count would be of something else.
    assert not result.dropped
    matching = sum(narrowing.admits(paper) for paper in world.papers)
    return "nothing" if not expected else "all" if len(expected) == matching else "some"


def readable_ids(world: World, person: Person) -> set[str]:
    return {paper.document_id for paper in world.papers if world.may_read(person, paper)}
