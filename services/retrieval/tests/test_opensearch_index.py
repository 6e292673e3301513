"""What the keyword index on a server asks for, and does when the server does not do what it should."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from services.retrieval.tests.index_records import ALICE, ALICES, EVERYTHING, parent
from services.retrieval.tests.opensearch_double import WRITTEN, Server, running
from superagent_common.errors import Unavailable
from superagent_common.logging import get_logger
from superagent_retrieval.adapters.opensearch_server import open_keyword_index, opensearch_client
from superagent_retrieval.ports import KeywordIndex
from tests.support.ports import own_port

LOG = get_logger("retrieval")
NAME = "test-passages-1"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running(Server()) as served:
        yield served


@pytest.fixture
async def index(server: Server) -> AsyncIterator[KeywordIndex]:
    opened = await open_keyword_index(opensearch_client(server.url, "", None), "test", LOG)
    server.calls.clear()
    yield opened
    server.there = True
    await opened.close()


def failed_item(action: str, status: int) -> tuple[int, Any]:
    return 200, {"errors": True, "items": [{action: {"_id": "a", "status": status, "error": {"type": "some"}}}]}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (503, "keyword_index_down"),
        (500, "keyword_index_down"),
        (429, "keyword_index_down"),
        (400, "keyword_index_failed"),
        (401, "keyword_index_failed"),
        (403, "keyword_index_failed"),
    ],
)
async def test_a_failed_search_says_why_without_the_servers_words(
    server: Server, index: KeywordIndex, status: int, reason: str
) -> None:
    server.answers["_search"] = [(status, {"error": {"type": "some", "reason": "quoted text of a document"}})]
    with pytest.raises(Unavailable) as failed:
        await index.search("tea", ALICE, EVERYTHING, 10)
    assert failed.value.reason == reason
    assert "quoted" not in failed.value.message
    assert server.calls == ["POST _search"]


async def test_an_answer_that_is_no_json_is_a_failure(server: Server, index: KeywordIndex) -> None:
    server.answers["_search"] = [(200, "<html>")]
    with pytest.raises(Unavailable) as failed:
        await index.search("tea", ALICE, EVERYTHING, 10)
    assert failed.value.reason == "keyword_index_failed"


async def test_an_answer_without_all_shards_is_not_asked_for(server: Server, index: KeywordIndex) -> None:
    await index.search("tea", ALICE, EVERYTHING, 10)
    asked = server.requests[-1].query
    assert asked["allow_partial_search_results"] == "false"
    assert asked["search_type"] == "dfs_query_then_fetch"


async def test_a_write_is_tried_again(server: Server, index: KeywordIndex) -> None:
    server.answers["_bulk"] = [(503, {}), failed_item("index", 429), (200, WRITTEN)]
    await index.upsert([parent("a", "tea")])
    assert server.calls == ["POST _bulk"] * 3


async def test_a_write_is_not_tried_for_ever(server: Server, index: KeywordIndex) -> None:
    server.answers["_bulk"] = [(503, {})]
    with pytest.raises(Unavailable):
        await index.upsert([parent("a", "tea")])
    assert server.calls == ["POST _bulk"] * 3


async def test_one_entry_that_is_refused_fails_the_write(server: Server, index: KeywordIndex) -> None:
    server.answers["_bulk"] = [failed_item("index", 400)]
    with pytest.raises(Unavailable) as failed:
        await index.upsert([parent("a", "tea")])
    assert failed.value.reason == "keyword_index_failed"


async def test_an_entry_that_is_gone_needs_no_update(server: Server, index: KeywordIndex) -> None:
    hit = {"_id": "a", "_source": {"heading_path": ""}, "sort": ["a"]}
    server.answers["_search"] = [(200, {"hits": {"hits": [hit]}})]
    server.answers["_bulk"] = [failed_item("update", 404)]
    await index.update_document("document", "Title", ALICES)
    assert server.calls == ["POST _refresh", "POST _search", "POST _bulk"]


async def test_an_index_that_somebody_removed_is_made_again(server: Server, index: KeywordIndex) -> None:
    server.there = False
    with pytest.raises(Unavailable) as failed:
        await index.search("tea", ALICE, EVERYTHING, 10)
    assert failed.value.reason == "keyword_index_failed"
    assert await index.search("tea", ALICE, EVERYTHING, 10) == []
    assert f"PUT {NAME}" in server.calls


async def test_an_index_with_other_fields_ends_the_start(server: Server) -> None:
    server.fields = {"text": {}}
    client = opensearch_client(server.url, "", None)
    with pytest.raises(ValueError, match="fields"):
        await open_keyword_index(client, "test", LOG)
    await client.close()


async def test_name_and_password_are_sent(server: Server) -> None:
    opened = await open_keyword_index(opensearch_client(server.url, "anna", SecretStr("sesame")), "test", LOG)
    await opened.close()
    assert server.requests[0].headers["authorization"] == f"Basic {base64.b64encode(b'anna:sesame').decode()}"


async def test_an_index_whose_server_comes_later_works_from_then_on() -> None:
    server = Server()
    port = own_port()
    opened = await open_keyword_index(opensearch_client(f"http://127.0.0.1:{port}", "", None), "test", LOG)
    with pytest.raises(Unavailable) as failed:
        await opened.search("tea", ALICE, EVERYTHING, 10)
    assert failed.value.reason == "keyword_index_down"
    async with running(server, port):
        assert await opened.search("tea", ALICE, EVERYTHING, 10) == []
        await opened.close()
