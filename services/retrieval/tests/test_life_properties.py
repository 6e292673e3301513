"""Whatever happens to a document in whatever order, its engines, its catalogue and the newest revision agree at the end.

Every call of an engine, the embedder or the catalogue waits until hypothesis lets it go on, so that each example is one
interleaving of updates, index runs, copies, a removal and switches of the embedding model.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import astuple, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.retrieval.tests.brute_force_indexes import BruteForceKeywordIndex, BruteForceVectorIndexes
from services.retrieval.tests.memory_catalogue import MemoryCatalogue
from services.retrieval.tests.retrieval_rig import (
    ANNA,
    BEN,
    LONGER,
    RANKING,
    WORDS,
    WordEmbedders,
    batches,
    document,
)
from superagent_common.errors import Conflict, NotFound, Unavailable
from superagent_common.ids import new_id
from superagent_common.logging import get_logger
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.carrying import Carrying
from superagent_retrieval.application.copying import Copying
from superagent_retrieval.application.following import Following
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.indexing import Batch, Indexing
from superagent_retrieval.application.rebuilding import Rebuilding
from superagent_retrieval.application.spaces import Space, Spaces
from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.catalogue import DocumentMetadata, IndexedDocument
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.records import SearchFilters

TELEMETRY, LOG = Telemetry("retrieval"), get_logger("retrieval")
OTHERS = AccessScope(BEN.user_id)
SOURCE_TEXTS = ("warranty of the source", "delivery of the source")


class Gates:
    """Calls that wait to be let through."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def gated(self, port: Any) -> Any:
        """The port, each call of which waits first."""
        return _Gated(port, self)

    async def pass_(self) -> None:
        gate = asyncio.get_running_loop().create_future()
        self._waiting.append(gate)
        await gate

    async def open_one(self, pick: int) -> bool:
        """Lets one of those through that wait; False when none does."""
        for _ in range(20):  # Tasks that were let through run until they wait again.
            await asyncio.sleep(0)
        self._waiting = [gate for gate in self._waiting if not gate.done()]
        if not self._waiting:
            return False
        self._waiting.pop(pick % len(self._waiting)).set_result(None)
        return True


class _Gated:
    def __init__(self, port: Any, gates: Gates) -> None:
        self._port, self._gates = port, gates

    def __getattr__(self, name: str) -> Any:
        target = getattr(self._port, name)
        if not asyncio.iscoroutinefunction(target):
            return target

        async def call(*arguments: Any, **named: Any) -> Any:
            await self._gates.pass_()
            return await target(*arguments, **named)

        return call


class GatedIndexes:
    """`VectorIndexes` whose indexes wait, too."""

    def __init__(self, gates: Gates) -> None:
        self.inner = BruteForceVectorIndexes()
        self._gates = gates

    async def open(self, model: str, dimension: int) -> Any:
        await self._gates.pass_()
        return self._gates.gated(await self.inner.open(model, dimension))

    async def drop(self, model: str, dimension: int) -> None:
        await self._gates.pass_()
        await self.inner.drop(model, dimension)

    async def close(self) -> None:
        await self.inner.close()


class GatedEmbedders(WordEmbedders):
    """Embedders that wait."""

    def __init__(self, gates: Gates) -> None:
        super().__init__()
        self._gates = gates

    def open(self, name: IndexName) -> Any:
        return self._gates.gated(super().open(name))


class World:
    def __init__(self) -> None:
        self.gates = Gates()
        self.keywords, self.catalogue = BruteForceKeywordIndex(), MemoryCatalogue()
        self.indexes, self.embedders = GatedIndexes(self.gates), GatedEmbedders(self.gates)
        self.document, self.source = document(), document()
        self.removed = False

    async def begin(self) -> None:
        await self.catalogue.claim(WORDS)
        vectors, embedder = await self.indexes.inner.open(*astuple(WORDS)), self.embedders.by_model[WORDS.model]
        self.indexing = self._service(Space(WORDS, embedder, vectors, RANKING.calibration), lambda port: port)[0]
        gated = self.gates.gated
        slow = Space(WORDS, gated(embedder), gated(vectors), RANKING.calibration)
        self.slow_indexing, self.slow_copying, self.slow_generations, self.slow_rebuilding = self._service(slow, gated)

    def _service(self, space: Space, seen: Callable[[Any], Any]) -> tuple[Indexing, Copying, Generations, Rebuilding]:
        catalogue, spaces = seen(self.catalogue), Spaces(space)
        carrying = Carrying(catalogue, TELEMETRY)
        following = Following(spaces, self.indexes, self.embedders, catalogue, LOG)
        generations = Generations(spaces, seen(self.keywords), catalogue, carrying, following.follow, TELEMETRY)
        return (
            Indexing(generations, TELEMETRY, LOG),
            Copying(spaces, catalogue, generations, LOG),
            generations,
            Rebuilding(
                spaces, self.indexes, self.embedders, catalogue, catalogue, generations, carrying, following, LOG, 0
            ),
        )

    def metadata(self, revision: int) -> DocumentMetadata:
        """Odd revisions are public."""
        attributes = replace(
            self.document.metadata.attributes,
            access=DocumentAccess(ANNA.user_id, None, revision % 2 == 1),
            tags=(f"revision {revision}",),
        )
        return DocumentMetadata(f"Title {revision}", attributes, 1, revision)

    async def update(self, revision: int) -> None:
        await self.slow_generations.update(self.document.document_id, self.metadata(revision))

    async def index(self, revision: int) -> None:
        texts = [f"warranty of run {revision}", f"delivery of run {revision}", "both of all"][: 1 + revision % 3]
        run = IndexedDocument(self.document.document_id, new_id(), self.metadata(revision), (), len(texts), len(texts))
        await self._until_done(lambda: self.slow_indexing.index(run, self._batches(texts)))

    async def copy(self, revision: int) -> None:
        generation = new_id()
        await self._until_done(
            lambda: self.slow_copying.copy(
                self.source.document_id, self.document.document_id, generation, self.metadata(revision)
            )
        )

    async def remove(self, _: int) -> None:
        await self.slow_generations.delete(self.document.document_id)
        self.removed = True

    async def switch(self, revision: int) -> None:
        with contextlib.suppress(Conflict):
            await self.slow_rebuilding.rebuild((LONGER, WORDS)[revision % 2].model)

    async def _batches(self, texts: list[str]) -> AsyncIterator[Batch]:
        async for batch in batches(texts):
            await self.gates.pass_()
            yield batch

    async def _until_done(self, call: Callable[[], Awaitable[object]]) -> None:
        """As ingestion does: what may pass is tried again."""
        while True:
            try:
                await call()
                return
            except Unavailable:
                continue

    async def check_nobody_sees_too_much(self) -> None:
        """Whoever the newest revision keeps out gets no parent, whatever the engines still find."""
        newest = await self.catalogue.metadata(self.document.document_id)
        if newest is None or not newest.attributes.access.is_public:
            hits = await self.keywords.search("warranty delivery both", OTHERS, SearchFilters(), 100)
            assert await self.catalogue.parents([hit.parent_id for hit in hits], OTHERS) == {}

    async def check_all_agree(self, revisions: list[int]) -> None:
        document_id = self.document.document_id
        states = await self.catalogue.states()
        # Whatever was switched, one index is left.
        (name,) = self.indexes.inner.kept
        assert (name, states.building, states.retired) == (astuple(states.answering.index), None, ())
        vectors = self.indexes.inner.kept[name]
        assert await vectors.count(self.source.document_id, self.source.generation) == len(SOURCE_TEXTS)
        children = [each for each in vectors._children.values() if each.document_id == document_id]
        parents = [each for each in self.keywords._parents.values() if each.document_id == document_id]
        answering = await self.catalogue.answering(document_id)
        if answering is None:
            assert (children, parents) == ([], [])
            assert not [each for _, each in self.catalogue._parents.values() if each.document_id == document_id]
            return
        newest = self.metadata(max(revisions))
        assert not self.removed and answering.metadata == newest
        assert {each.generation for each in (*children, *parents)} == {answering.generation}
        assert (len(parents), len(children)) == (answering.parents, answering.children)
        assert {each.attributes for each in (*children, *parents)} == {newest.attributes}
        assert {each.title for each in parents} == {newest.title}
        kept = await self.catalogue.parents_behind(document_id, answering.generation, -1, 100)
        assert {each.parent_id for each in kept} == {each.parent_id for each in parents}
        assert {each.parent_id for each in children} <= {each.parent_id for each in parents}


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["update", "update", "index", "index", "copy", "remove", "switch", "switch"]), st.integers(2, 9)
    ),
    min_size=2,
    max_size=6,
    unique_by=lambda operation: operation[1],
)


@settings(max_examples=150, deadline=None)
@given(operations=OPERATIONS, picks=st.lists(st.integers(0, 50), min_size=20, max_size=120), indexed=st.booleans())
def test_engines_and_catalogue_end_with_the_newest_revision(
    operations: list[tuple[str, int]], picks: list[int], indexed: bool
) -> None:
    asyncio.run(live_through(operations, picks, indexed))


async def live_through(operations: list[tuple[str, int]], picks: list[int], indexed: bool) -> None:
    world = World()
    await world.begin()
    source = replace(world.source, parents=2, children=2)
    await world.indexing.index(source, batches(SOURCE_TEXTS))
    revisions = [revision for name, revision in operations if name not in ("remove", "switch")]
    if indexed:
        first = replace(world.document, metadata=world.metadata(1), parents=1, children=1)
        await world.indexing.index(first, batches(["warranty from before"]))
        revisions.append(1)
    tasks = [asyncio.create_task(getattr(world, name)(revision)) for name, revision in operations]
    turn = 0
    while await world.gates.open_one(picks[turn % len(picks)]):
        turn += 1
        assert turn < 10_000
        await world.check_nobody_sees_too_much()
    for task in tasks:
        try:
            await asyncio.wait_for(task, 60)
        except NotFound:
            assert world.removed
    await world.check_all_agree(revisions)
    assert len(await world.catalogue.parents_behind(source.document_id, source.generation, -1, 9)) == 2
