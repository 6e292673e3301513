"""What every VectorIndex does. A further engine joins by a line in `index_engines`."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.retrieval.tests.brute_force_indexes import BruteForceVectorIndex
from services.retrieval.tests.index_engines import VECTOR_ENGINES, engines
from services.retrieval.tests.index_records import (
    ALICE,
    ALICES,
    BOB,
    DIMENSION,
    EVERYTHING,
    angle,
    child,
    chunk_id,
    random_world,
)
from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.records import ChildPlace, DocumentAttributes, SearchFilters, StoredVector, VectorHit
from superagent_retrieval.ports import VectorIndex

pytestmark = pytest.mark.usefixtures("search_servers")
# A hit's score may be this far from the exact cosine.
TOLERANCE = 2e-4
NORTH = [1.0, *[0.0] * (DIMENSION - 1)]
EMBEDDED = ["qdrant_edge"]
# They outlive the process that writes to them.
DURABLE = [name for name in VECTOR_ENGINES if name != "brute_force"]


@pytest.fixture(scope="module")
async def empty_stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Empty stores to copy, because making one takes a second of waiting for the disk."""
    stores = {engine: tmp_path_factory.mktemp(engine) for engine in EMBEDDED}
    for engine, directory in stores.items():
        await (await VECTOR_ENGINES[engine](directory)).close()
    return stores


@pytest.fixture(params=engines(VECTOR_ENGINES))
async def index(
    request: pytest.FixtureRequest, tmp_path: Path, empty_stores: dict[str, Path]
) -> AsyncIterator[VectorIndex]:
    if request.param in empty_stores:
        shutil.copytree(empty_stores[request.param], tmp_path, dirs_exist_ok=True)
    opened = await VECTOR_ENGINES[request.param](tmp_path)
    yield opened
    await opened.close()


async def ids(index: VectorIndex, scope: AccessScope = ALICE, filters: SearchFilters = EVERYTHING) -> list[str]:
    return [hit.chunk_id for hit in await index.search(NORTH, scope, filters, 100)]


async def test_an_empty_index_finds_nothing(index: VectorIndex) -> None:
    assert await ids(index) == []
    assert await index.count("document", "g1") == 0
    assert await index.existing([chunk_id("a")]) == set()


async def test_the_nearest_come_first_with_their_cosine_and_all_that_was_written(index: VectorIndex) -> None:
    await index.upsert([child("far", *angle(80)), child("near", *angle(10)), child("middle", *angle(40))])
    await index.refresh()
    hits = await index.search(NORTH, ALICE, EVERYTHING, 2)
    assert [replace(hit, score=0) for hit in hits] == [
        VectorHit(chunk_id("near"), "parent of near", "document", "g1", 3, 17, 0),
        VectorHit(chunk_id("middle"), "parent of middle", "document", "g1", 3, 17, 0),
    ]
    assert [hit.score for hit in hits] == pytest.approx([angle(10)[0], angle(40)[0]], abs=TOLERANCE)


async def test_the_length_of_a_vector_does_not_matter(index: VectorIndex) -> None:
    await index.upsert([child("long", 70.0), child("short", 0.001)])
    await index.refresh()
    hits = await index.search([0.5, *NORTH[1:]], ALICE, EVERYTHING, 2)
    assert [hit.score for hit in hits] == pytest.approx([1, 1], abs=TOLERANCE)


async def test_equally_near_children_come_in_the_order_of_their_ids(index: VectorIndex) -> None:
    await index.upsert([child(name, *angle(20)) for name in "fbdace"])
    await index.refresh()
    assert await ids(index) == sorted(chunk_id(name) for name in "abcdef")


@pytest.mark.parametrize("limit", [0, -1])
async def test_a_limit_below_one_finds_nothing(index: VectorIndex, limit: int) -> None:
    await index.upsert([child("a", 1.0)])
    await index.refresh()
    assert await index.search(NORTH, ALICE, EVERYTHING, limit) == []


async def test_a_limit_above_all_finds_all(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0)])
    await index.refresh()
    assert len(await index.search(NORTH, ALICE, EVERYTHING, 10_000)) == 2


async def test_writing_again_replaces(index: VectorIndex) -> None:
    await index.upsert([child("a", *angle(80)), child("a", *angle(70))])
    await index.upsert([child("a", *angle(0), generation="g2")])
    await index.refresh()
    (hit,) = await index.search(NORTH, ALICE, EVERYTHING, 10)
    assert hit.generation == "g2"
    assert hit.score == pytest.approx(1, abs=TOLERANCE)
    assert await index.count("document", "g1") == 0


async def test_it_says_which_children_it_holds(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0)])
    await index.refresh()
    assert await index.existing([chunk_id("b"), chunk_id("c")]) == {chunk_id("b")}
    assert await index.existing([]) == set()


async def test_it_says_where_children_stand(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0, document_id="other", generation="g2"), child("c", 1.0)])
    await index.refresh()
    places = await index.places([chunk_id(name) for name in ("b", "nothing", "a", "a")])
    assert sorted(places, key=lambda place: place.document_id) == [
        ChildPlace(chunk_id("a"), "parent of a", "document", "g1", 3, 17),
        ChildPlace(chunk_id("b"), "parent of b", "other", "g2", 3, 17),
    ]
    assert await index.places([]) == []


async def test_children_are_read_back_page_by_page_with_vectors_that_find_the_same(index: VectorIndex) -> None:
    names = [f"child {number}" for number in range(150)]
    await index.upsert([child(name, *angle(number / 2)) for number, name in enumerate(names)])
    await index.upsert([child("newer", 1.0, generation="g2"), child("foreign", 1.0, document_id="other")])
    await index.refresh()
    read: list[StoredVector] = []
    while page := await index.children("document", "g1", read[-1].chunk_id if read else None, 70):
        assert len(page) <= 70
        read += page
    assert [each.chunk_id for each in read] == sorted(chunk_id(name) for name in names)
    assert {(each.parent_id, each.start, each.end) for each in read} == {(f"parent of {name}", 3, 17) for name in names}
    vectors = {each.chunk_id: each.vector for each in read}
    for number, name in enumerate(names):
        assert vectors[chunk_id(name)][:2] == pytest.approx(angle(number / 2), abs=TOLERANCE)
    assert await index.children("unknown", "g1", None, 10) == []


async def test_what_was_embedded_in_front_of_a_child_is_read_back(index: VectorIndex) -> None:
    await index.upsert([replace(child("row", 1.0), header="| name | price |\n"), child("prose", 1.0)])
    await index.refresh()
    read = {each.chunk_id: each.header for each in await index.children("document", "g1", None, 10)}
    assert read == {chunk_id("row"): "| name | price |\n", chunk_id("prose"): ""}


async def test_it_counts_one_generation_of_one_document(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0), child("c", 1.0, generation="g2")])
    await index.upsert([child("d", 1.0, document_id="other")])
    await index.refresh()
    assert await index.count("document", "g1") == 2
    assert await index.count("document", "g2") == 1
    assert await index.count("unknown", "g1") == 0


async def test_deleting_removes_all_generations_of_that_document_only(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0, generation="g2"), child("c", 1.0, document_id="other")])
    assert await index.delete_document("document")
    assert not await index.delete_document("document")
    assert not await index.delete_document("unknown")
    await index.refresh()
    assert await ids(index) == [chunk_id("c")]


async def test_deleting_can_keep_one_generation(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0, generation="g2"), child("c", 1.0, generation="g3")])
    assert await index.delete_document("document", keep_generation="g2")
    await index.refresh()
    assert not await index.delete_document("document", keep_generation="g2")
    assert await ids(index) == [chunk_id("b")]


async def test_deleting_one_generation_leaves_the_others(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0, generation="g2"), child("c", 1.0, document_id="other")])
    await index.delete_generation("document", "g1")
    await index.delete_generation("document", "g3")
    await index.refresh()
    assert await ids(index) == sorted([chunk_id("b"), chunk_id("c")])


async def test_changed_access_and_filter_values_hold_for_every_generation(index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0), child("b", 1.0, generation="g2"), child("c", 1.0, document_id="other")])
    moved = DocumentAttributes(DocumentAccess("bob", "sales", False), "law", "manual", ("new",), "zh")
    await index.update_document("document", moved)
    await index.refresh()
    both = sorted([chunk_id("a"), chunk_id("b")])
    assert await ids(index, ALICE) == [chunk_id("c")]
    assert await ids(index, BOB) == both
    assert await ids(index, AccessScope("carol", frozenset(["sales"]))) == both
    assert await ids(index, BOB, SearchFilters(domains=("law",), tags=("new",), languages=("zh",))) == both
    assert await ids(index, BOB, SearchFilters(domains=("hr",))) == []


@pytest.mark.parametrize(
    ("owner", "org_tag", "is_public", "found"),
    [
        ("alice", None, False, True),
        ("bob", None, False, False),
        ("bob", None, True, True),
        ("bob", "sales", False, True),
        ("bob", "sales/eu", False, False),
        ("bob", "alice", False, False),
        ("sales", None, False, False),
        ("public", "public", False, False),
    ],
)
async def test_only_readable_children_are_found(
    index: VectorIndex, owner: str, org_tag: str | None, is_public: bool, found: bool
) -> None:
    access = DocumentAccess(owner, org_tag, is_public)
    await index.upsert([child("a", 1.0, attributes=DocumentAttributes(access, "hr"))])
    await index.refresh()
    assert bool(await ids(index, AccessScope("alice", frozenset(["sales"])))) is found


async def test_unreadable_children_take_no_places(index: VectorIndex) -> None:
    bobs = replace(ALICES, access=DocumentAccess("bob", None, False))
    await index.upsert([child(f"nearer {n}", 1.0, attributes=bobs) for n in range(200)])
    await index.upsert([child("a", *angle(85))])
    await index.refresh()
    assert [hit.chunk_id for hit in await index.search(NORTH, ALICE, EVERYTHING, 1)] == [chunk_id("a")]


async def test_strange_values_are_values(index: VectorIndex) -> None:
    strange = '\'; DROP \x00 "quoted" 内部 * AND'
    attributes = DocumentAttributes(DocumentAccess(strange, strange, False), strange, strange, (strange,), strange)
    await index.upsert([child("a", 1.0, attributes=attributes, document_id=strange, generation=strange)])
    await index.refresh()
    filters = SearchFilters((strange,), (strange,), (strange,), (strange,), (strange,))
    assert await ids(index, AccessScope(strange), filters) == [chunk_id("a")]
    assert await index.count(strange, strange) == 1
    assert await ids(index, ALICE) == []


async def test_random_searches_find_what_the_rules_allow(index: VectorIndex) -> None:
    world = random_world(seed=7, documents=100, searches=100)
    oracle = BruteForceVectorIndex(DIMENSION)
    for store in (oracle, index):
        await store.upsert(world.children)
        await store.refresh()
    found = 0
    for scope, filters, vector, _ in world.searches:
        expected = await oracle.search(vector, scope, filters, 1_000)
        actual = await index.search(vector, scope, filters, 1_000)
        assert {hit.chunk_id for hit in actual} == {hit.chunk_id for hit in expected}
        assert [hit.score for hit in actual] == pytest.approx([hit.score for hit in expected], abs=TOLERANCE)
        found += len(actual)
    assert found > 1_000


@pytest.mark.parametrize("vector", [[1.0] * (DIMENSION - 1), [float("nan")] * DIMENSION, [float("inf")] * DIMENSION])
async def test_what_is_no_vector_of_this_index_is_refused_whole(index: VectorIndex, vector: list[float]) -> None:
    with pytest.raises(ValueError):
        await index.upsert([child("good", 1.0), replace(child("bad"), vector=vector)])
    with pytest.raises(ValueError):
        await index.search(vector, ALICE, EVERYTHING, 1)
    await index.refresh()
    assert await ids(index) == []


@pytest.mark.parametrize("engine", engines(DURABLE))
async def test_everything_is_there_after_a_restart(engine: str, tmp_path: Path) -> None:
    index = await VECTOR_ENGINES[engine](tmp_path)
    await index.upsert([child("a", 1.0), child("b", 1.0)])
    await index.delete_document("unknown")
    await index.close()
    index = await VECTOR_ENGINES[engine](tmp_path)
    assert await ids(index) == sorted([chunk_id("a"), chunk_id("b")])
    await index.upsert([child("c", 1.0)])
    await index.refresh()
    assert len(await ids(index)) == 3
    await index.close()


KILLED = """
import asyncio, os, pathlib, signal, sys
from services.retrieval.tests import test_vector_index as tests

async def main():
    index = await tests.VECTOR_ENGINES[sys.argv[1]](pathlib.Path(sys.argv[2]))
    await index.upsert([tests.child(str(n), 1.0) for n in range(300)])
    await index.delete_document("document", keep_generation="g1")
    await index.update_document("document", tests.ALICES)
    await index.refresh()
    await index.upsert([tests.child(str(n), 1.0) for n in range(290, 400)])
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.parametrize("engine", engines(DURABLE))
async def test_a_killed_process_loses_nothing_that_was_refreshed(engine: str, tmp_path: Path) -> None:
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, engine, str(tmp_path), cwd=Path(__file__).parents[3]
    )
    assert await killed.wait() == -signal.SIGKILL
    index = await VECTOR_ENGINES[engine](tmp_path)
    refreshed = [chunk_id(str(number)) for number in range(300)]
    assert await index.existing(refreshed) == set(refreshed)
    await index.upsert([child(str(number), 1.0) for number in range(400)])
    await index.refresh()
    assert await index.count("document", "g1") == 400
    assert len(await index.search(NORTH, ALICE, EVERYTHING, 1_000)) == 400
    await index.close()


@pytest.mark.parametrize("engine", EMBEDDED)
async def test_a_second_process_is_kept_out(engine: str, tmp_path: Path) -> None:
    index = await VECTOR_ENGINES[engine](tmp_path)
    with pytest.raises(Exception, match=r"(?i)lock"):
        await VECTOR_ENGINES[engine](tmp_path)
    await index.close()
