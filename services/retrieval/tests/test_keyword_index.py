"""What every KeywordIndex does. A further engine joins by a line in `index_engines`."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.retrieval.tests.brute_force_indexes import BruteForceKeywordIndex
from services.retrieval.tests.index_engines import KEYWORD_ENGINES, engines
from services.retrieval.tests.index_records import ALICE, ALICES, BOB, EVERYTHING, parent, random_world
from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.records import DocumentAttributes, KeywordHit, SearchFilters
from superagent_retrieval.ports import KeywordIndex

pytestmark = pytest.mark.usefixtures("search_servers")
EMBEDDED = ["tantivy"]
# They outlive the process that writes to them.
DURABLE = [name for name in KEYWORD_ENGINES if name != "brute_force"]


@pytest.fixture(scope="module")
async def empty_stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Empty stores to copy, because making one may mean waiting for the disk."""
    stores = {engine: tmp_path_factory.mktemp(engine) for engine in EMBEDDED}
    for engine, directory in stores.items():
        await (await KEYWORD_ENGINES[engine](directory)).close()
    return stores


@pytest.fixture(params=engines(KEYWORD_ENGINES))
async def index(
    request: pytest.FixtureRequest, tmp_path: Path, empty_stores: dict[str, Path]
) -> AsyncIterator[KeywordIndex]:
    if request.param in empty_stores:
        shutil.copytree(empty_stores[request.param], tmp_path, dirs_exist_ok=True)
    opened = await KEYWORD_ENGINES[request.param](tmp_path)
    yield opened
    await opened.close()


async def ids(
    index: KeywordIndex, query: str, scope: AccessScope = ALICE, filters: SearchFilters = EVERYTHING
) -> list[str]:
    return [hit.parent_id for hit in await index.search(query, scope, filters, 100)]


async def test_an_empty_index_finds_nothing(index: KeywordIndex) -> None:
    assert await ids(index, "anything") == []
    assert await index.count("document", "g1") == 0


async def test_more_of_the_question_is_better_and_a_hit_says_where_it_is_from(index: KeywordIndex) -> None:
    await index.upsert([parent("half", "travel by train"), parent("whole", "travel costs"), parent("none", "tea")])
    await index.refresh()
    hits = await index.search("What are the costs of travelling?", ALICE, EVERYTHING, 10)
    assert [replace(hit, score=0) for hit in hits] == [
        KeywordHit("whole", "document", "g1", 0),
        KeywordHit("half", "document", "g1", 0),
    ]
    assert hits[0].score > hits[1].score > 0


async def test_equally_good_parents_come_in_the_order_of_their_ids(index: KeywordIndex) -> None:
    await index.upsert([parent(name, "green tea") for name in "fbdace"])
    await index.refresh()
    assert await ids(index, "tea") == list("abcdef")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("员工每年享有十天年假。", "年假有几天？"),
        ("税收政策", "税"),
        ("Employees were travelling abroad", "travel"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full"),
        ("the café is closed", "CAFE"),
        ("set max_connections = 100", "max_connections"),
        ("set max_connections = 100", "connections"),
        ("error E1042 was raised", "E1042是什么错误"),
        ("sold for $1,250,000", "1250000"),
        ("Tokyo's mayor", "tokyo"),
        ("东京は日本の首都です", "日本の首都"),
        ("서울은 대한민국의 수도이다", "대한민국"),
        ("to be or not to be", "to be"),
        ("这是什么", "什么"),
    ],
)
async def test_forms_of_a_word_find_each_other(index: KeywordIndex, text: str, query: str) -> None:
    await index.upsert([parent("right", text), parent("wrong", "unrelated words 其他内容")])
    await index.refresh()
    assert await ids(index, query) == ["right"]


async def test_titles_and_headings_are_searched_too(index: KeywordIndex) -> None:
    await index.upsert([parent("a", "text", title="Travel policy"), parent("b", "text", heading_path=("第一章 总则",))])
    await index.refresh()
    assert await ids(index, "travel") == ["a"]
    assert await ids(index, "总则") == ["b"]


@pytest.mark.parametrize(
    "query",
    ["", "   ", "？！…", "...", "😀🎉", "\x00", "\ud800", "\u200b", "@#$%^&*()[]{}\"'`~|\\<>/?+-=", "_"],
)
async def test_a_query_without_a_word_finds_nothing(index: KeywordIndex, query: str) -> None:
    await index.upsert([parent("a", "text of _ a \x00 document 😀 。"), parent("empty", "")])
    await index.refresh()
    assert await ids(index, query) == []


@pytest.mark.parametrize(
    "query",
    [
        "text:tea",
        "+tea -coffee",
        '"tea" AND',
        "tea*",
        "(tea",
        "tea\x00",
        "\ud800tea",
        "tea😀",
        "tea^9 OR *:*",
        "NOT tea",
    ],
)
async def test_no_query_is_syntax(index: KeywordIndex, query: str) -> None:
    await index.upsert([parent("tea", "green tea"), parent("other", "black sheep")])
    await index.refresh()
    assert await ids(index, query) == ["tea"]


@pytest.mark.parametrize(
    "query", ["tea " * 25_000, "tea " + "x" * 100_000, "茶叶" * 50_000, "tea 茶叶 " + "😀" * 50_000]
)
async def test_a_hundred_kilobytes_are_a_query_like_another(index: KeywordIndex, query: str) -> None:
    await index.upsert([parent("tea", "green tea 茶叶"), parent("other", "black sheep")])
    await index.refresh()
    assert await ids(index, query) == ["tea"]


async def test_a_query_of_very_many_words_is_answered(index: KeywordIndex) -> None:
    await index.upsert([parent("a", "tea")])
    await index.refresh()
    assert await ids(index, "tea " + " ".join(f"word{n}" for n in range(20_000))) == ["a"]


@pytest.mark.parametrize("limit", [0, -1])
async def test_a_limit_below_one_finds_nothing(index: KeywordIndex, limit: int) -> None:
    await index.upsert([parent("a", "tea")])
    await index.refresh()
    assert await index.search("tea", ALICE, EVERYTHING, limit) == []


async def test_a_limit_above_all_finds_all(index: KeywordIndex) -> None:
    await index.upsert([parent("a", "tea"), parent("b", "tea")])
    await index.refresh()
    assert len(await index.search("tea", ALICE, EVERYTHING, 10_000)) == 2


async def test_writing_again_replaces(index: KeywordIndex) -> None:
    await index.upsert([parent("a", "coffee"), parent("a", "milk")])
    await index.upsert([parent("a", "tea", generation="g2")])
    await index.refresh()
    assert await ids(index, "coffee milk") == []
    (hit,) = await index.search("tea", ALICE, EVERYTHING, 10)
    assert hit.generation == "g2"
    await index.upsert([parent("a", "tea", generation="g2")])
    await index.refresh()
    assert await index.count("document", "g2") == 1
    assert await index.count("document", "g1") == 0


async def test_deleting_removes_all_generations_of_that_document_only(index: KeywordIndex) -> None:
    await index.upsert([parent("a", "tea"), parent("b", "tea", generation="g2"), parent("c", "tea", "other")])
    assert await index.delete_document("document")
    await index.refresh()
    assert not await index.delete_document("document")
    assert not await index.delete_document("unknown")
    await index.refresh()
    assert await ids(index, "tea") == ["c"]


async def test_deleting_one_generation_leaves_the_others(index: KeywordIndex) -> None:
    await index.upsert([parent(name, "tea", generation=name) for name in ("g1", "g2")])
    await index.upsert([parent("other", "tea", document_id="other", generation="g1")])
    await index.delete_generation("document", "g1")
    await index.delete_generation("document", "g3")
    await index.refresh()
    assert await ids(index, "tea") == ["g2", "other"]


async def test_deleting_can_keep_one_generation(index: KeywordIndex) -> None:
    await index.upsert([parent(name, "tea", generation=name) for name in ("g1", "g2", "g3")])
    assert await index.delete_document("document", keep_generation="g2")
    await index.refresh()
    assert not await index.delete_document("document", keep_generation="g2")
    assert await ids(index, "tea") == ["g2"]
    await index.upsert([parent("g4", "tea", generation="g4")])
    await index.refresh()
    assert await ids(index, "tea") == ["g2", "g4"]


async def test_a_changed_title_access_and_filter_values_hold_for_every_generation(index: KeywordIndex) -> None:
    await index.upsert(
        [
            parent("a", "green tea 茶", title="Old name", heading_path=("Chapter one",)),
            parent("b", "tea", title="Old name", generation="g2"),
            parent("c", "tea", "other", title="Old name"),
        ]
    )
    moved = DocumentAttributes(DocumentAccess("bob", "sales", False), "law", "manual", ("new",), "zh")
    await index.update_document("document", "Fresh label", moved)
    await index.update_document("unknown", "Nothing", moved)
    await index.refresh()
    assert await ids(index, "tea", ALICE) == ["c"]
    assert sorted(await ids(index, "tea", BOB)) == ["a", "b"]
    assert sorted(await ids(index, "tea", AccessScope("carol", frozenset(["sales"])))) == ["a", "b"]
    assert sorted(await ids(index, "label", BOB)) == ["a", "b"]
    assert await ids(index, "old name", BOB) == []
    assert await ids(index, "chapter", BOB) == ["a"]
    assert await ids(index, "茶", BOB) == ["a"]
    assert len(await ids(index, "tea", BOB, SearchFilters(("law",), ("manual",), ("new",), ("zh",)))) == 2
    assert await ids(index, "tea", BOB, SearchFilters(domains=("hr",))) == []


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
async def test_only_readable_parents_are_found(
    index: KeywordIndex, owner: str, org_tag: str | None, is_public: bool, found: bool
) -> None:
    access = DocumentAccess(owner, org_tag, is_public)
    await index.upsert([parent("a", "tea", attributes=DocumentAttributes(access, "hr"))])
    await index.refresh()
    assert bool(await ids(index, "tea", AccessScope("alice", frozenset(["sales"])))) is found


async def test_unreadable_parents_take_no_places(index: KeywordIndex) -> None:
    bobs = replace(ALICES, access=DocumentAccess("bob", None, False))
    await index.upsert([parent(f"better {n}", "green tea", attributes=bobs) for n in range(200)])
    await index.upsert([parent("mine", "tea " + "and much else " * 50)])
    await index.refresh()
    assert [hit.parent_id for hit in await index.search("green tea", ALICE, EVERYTHING, 1)] == ["mine"]


async def test_strange_values_are_values(index: KeywordIndex) -> None:
    strange = '\'; DROP \x00 "quoted" 内部 * AND'
    attributes = DocumentAttributes(DocumentAccess(strange, strange, False), strange, strange, (strange,), strange)
    await index.upsert([parent(strange, "tea", strange, strange, attributes)])
    await index.refresh()
    filters = SearchFilters((strange,), (strange,), (strange,), (strange,), (strange,))
    assert await ids(index, "tea", AccessScope(strange), filters) == [strange]
    assert await index.count(strange, strange) == 1
    assert await ids(index, "tea", ALICE) == []


async def test_random_searches_find_what_the_rules_allow(index: KeywordIndex) -> None:
    world = random_world(seed=11, documents=150, searches=150)
    oracle = BruteForceKeywordIndex()
    for store in (oracle, index):
        await store.upsert(world.parents)
        await store.refresh()
    found = 0
    for scope, filters, _, query in world.searches:
        expected = await oracle.search(query, scope, filters, 1_000)
        actual = await index.search(query, scope, filters, 1_000)
        assert {hit.parent_id for hit in actual} == {hit.parent_id for hit in expected}
        found += len(actual)
    assert found > 1_000


async def test_headings_are_searched_within_the_same_rights_and_filters(index: KeywordIndex) -> None:
    world = random_world(seed=12, documents=100, searches=100)
    oracle = BruteForceKeywordIndex()
    for store in (oracle, index):
        await store.upsert([replace(each, heading_path=(each.text,), text="elsewhere") for each in world.parents])
        await store.refresh()
    found = 0
    for scope, filters, _, query in world.searches:
        expected = await oracle.headings(query, scope, filters, 1_000)
        actual = await index.headings(query, scope, filters, 1_000)
        assert {hit.parent_id for hit in actual} == {hit.parent_id for hit in expected}
        found += len(actual)
    assert found > 500


async def test_a_heading_search_leaves_texts_alone(index: KeywordIndex) -> None:
    await index.upsert(
        [
            parent("a", "chapter 3 in passing", title="Story"),
            parent("b", "text", heading_path=("Chapter 3", "Leave")),
            parent("c", "text", title="Leave policy"),
        ]
    )
    await index.refresh()
    assert [hit.parent_id for hit in await index.headings("chapter 3", ALICE, EVERYTHING, 10)] == ["b"]
    assert {hit.parent_id for hit in await index.headings("leave", ALICE, EVERYTHING, 10)} == {"b", "c"}
    assert len(await index.headings("leave", ALICE, EVERYTHING, 1)) == 1
    for nothing in ("", "？！", "\ud800", "in passing"):
        assert await index.headings(nothing, ALICE, EVERYTHING, 10) == []
    assert await index.headings("leave", ALICE, EVERYTHING, 0) == []


async def test_traditional_and_simplified_characters_are_the_same(index: KeywordIndex) -> None:
    await index.upsert([parent("a", "員工請假"), parent("b", "发票抬头")])
    await index.refresh()
    assert await ids(index, "员工请假") == ["a"]
    assert await ids(index, "發票抬頭") == ["b"]


@pytest.mark.parametrize("engine", engines(DURABLE))
async def test_everything_is_there_after_a_restart(engine: str, tmp_path: Path) -> None:
    index = await KEYWORD_ENGINES[engine](tmp_path)
    await index.upsert([parent("a", "tea"), parent("b", "tea")])
    await index.close()
    index = await KEYWORD_ENGINES[engine](tmp_path)
    assert await ids(index, "tea") == ["a", "b"]
    await index.upsert([parent("c", "tea")])
    await index.refresh()
    assert len(await ids(index, "tea")) == 3
    await index.close()


KILLED = """
import asyncio, os, pathlib, signal, sys
from services.retrieval.tests import test_keyword_index as tests

async def main():
    index = await tests.KEYWORD_ENGINES[sys.argv[1]](pathlib.Path(sys.argv[2]))
    await index.upsert([tests.parent(str(n), "tea") for n in range(300)])
    await index.delete_document("document", keep_generation="g1")
    await index.update_document("document", "title", tests.ALICES)
    await index.refresh()
    await index.upsert([tests.parent(str(n), "tea") for n in range(290, 400)])
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.parametrize("engine", engines(DURABLE))
async def test_a_killed_process_loses_nothing_that_was_refreshed(engine: str, tmp_path: Path) -> None:
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, engine, str(tmp_path), cwd=Path(__file__).parents[3]
    )
    assert await killed.wait() == -signal.SIGKILL
    index = await KEYWORD_ENGINES[engine](tmp_path)
    found = {hit.parent_id for hit in await index.search("tea", ALICE, EVERYTHING, 1_000)}
    assert found >= {str(number) for number in range(300)}
    await index.upsert([parent(str(number), "tea") for number in range(400)])
    await index.refresh()
    assert await index.count("document", "g1") == 400
    assert len(await index.search("tea", ALICE, EVERYTHING, 1_000)) == 400
    await index.close()


@pytest.mark.parametrize("engine", EMBEDDED)
async def test_a_second_process_is_kept_out(engine: str, tmp_path: Path) -> None:
    index = await KEYWORD_ENGINES[engine](tmp_path)
    with pytest.raises(Exception, match=r"(?i)lock"):
        await KEYWORD_ENGINES[engine](tmp_path)
    await index.close()
