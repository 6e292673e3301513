"""Searching through both doors of a fleet with the local embedder: odd questions, unrelated ones, and the working shown."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent.retrieval.v1.retrieval_pb2 import PreviewSearchRequest, SearchRequest
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from tests.integration.test_bad_input import assert_problem
from tests.support.grpc_doors import bearer, channel, reason_of

HANDBOOK = """# 第一章 总则

本手册适用于全体员工，自发布之日起施行。

# 第二章 休假

正式员工入职满一年后每年享有五天带薪年休假，满十年为十天。当年未休完的年假可以顺延到次年三月底。

# 第三章 报销

差旅费应在出差结束后十个工作日内报销，需要附上发票原件和审批单。错误码 E1042 表示发票号码重复。
"""


@pytest.fixture(scope="module")
async def handbook_reader(fleet_with_model: Fleet) -> AsyncIterator[ApiClient]:
    async with ApiClient(fleet_with_model.base_url) as client:
        await client.sign_up()
        document_id = await client.upload("员工手册.md", HANDBOOK.encode())
        assert (await client.settled(document_id))["state"] == "READY"
        yield client


async def texts(client: ApiClient, question: str, **more: object) -> list[str]:
    answer = await client.http.post("/retrieval/search", json={"question": question, **more})
    assert answer.status_code == 200, answer.text
    return [passage["text"] for passage in answer.json()["evidence"]]


async def test_related_questions_find_their_passage_in_every_way_of_writing(handbook_reader: ApiClient) -> None:
    for question in ("年假有几天？", "年假可以順延嗎？", "How many days of annual leave are there?", "第2章讲了什么？"):
        assert "年休假" in (await texts(handbook_reader, question))[0], question
    assert "E1042" in (await texts(handbook_reader, "E1042 是什么意思"))[0]


@pytest.mark.parametrize(
    "question",
    ["蒙古的首都是哪里？", "怎么做红烧肉？", "《蒙娜丽莎》是谁画的？"],
)
async def test_an_unrelated_question_finds_nothing(handbook_reader: ApiClient, question: str) -> None:
    assert await texts(handbook_reader, question) == []


async def test_what_was_asked_before_does_not_answer_another_question(handbook_reader: ApiClient) -> None:
    assert await texts(handbook_reader, "蒙古的首都是哪里？", history_hint="年假有几天？") == []


@pytest.mark.parametrize(
    "question",
    [
        "???",
        "的吗呢",
        'title:"x" AND (a OR *) ~2 [a TO z]',
        "🙂",
        "\x00",
        "a\x00b",
        "休假 leave ２ ъ ขอ",
        "问" * 8_000,
        "a" * 8_000,
    ],
    ids=lambda question: ascii(question)[:20],
)
async def test_any_text_is_a_question_through_both_doors(
    fleet_with_model: Fleet, handbook_reader: ApiClient, question: str
) -> None:
    shown = await handbook_reader.http.post("/retrieval/preview", json={"question": question})
    assert shown.status_code == 200 and shown.json()["failures"] == [], shown.text
    metadata = bearer(handbook_reader.http.headers["authorization"].removeprefix("Bearer "))
    async with channel(fleet_with_model.environment["RETRIEVAL_ADDRESS"]) as opened:
        found = await RetrievalServiceStub(opened).Search(SearchRequest(question=question), metadata=metadata)
    assert [each.parent_id for each in found.evidence] == [each["parent_id"] for each in shown.json()["evidence"]]


async def test_a_question_longer_than_a_search_takes_is_answered(handbook_reader: ApiClient) -> None:
    events = await handbook_reader.ask("年假有几天？" + "下面是一段很长的文字。" * 1_000)
    assert events[-1].event == "done"
    assert await texts(handbook_reader, "年假有几天？")


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (SearchRequest(), "empty_question"),
        (SearchRequest(question=" \n"), "empty_question"),
        (SearchRequest(question="x" * 100_000), "question_too_long"),
        (SearchRequest(question="x", top_k=10_000), "invalid_top_k"),
        (SearchRequest(question="x", top_k=-1), "invalid_top_k"),
    ],
    ids=["empty", "space", "100 kB", "top_k 10,000", "top_k -1"],
)
async def test_what_is_no_search_is_refused(
    fleet_with_model: Fleet, handbook_reader: ApiClient, request_: SearchRequest, reason: str
) -> None:
    metadata = bearer(handbook_reader.http.headers["authorization"].removeprefix("Bearer "))
    async with channel(fleet_with_model.environment["RETRIEVAL_ADDRESS"]) as opened:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await RetrievalServiceStub(opened).PreviewSearch(PreviewSearchRequest(search=request_), metadata=metadata)
    assert (refused.value.code(), reason_of(refused.value)) == (grpc.StatusCode.INVALID_ARGUMENT, reason)


async def test_over_http_too_and_surrogates_are_no_json_text(handbook_reader: ApiClient) -> None:
    http = handbook_reader.http
    for body, reason in (
        ({"question": ""}, "empty_question"),
        ({"question": "问" * 40_000}, "question_too_long"),
        ({"question": "x", "top_k": 0}, "invalid_request"),
        ({"question": "x", "top_k": 10_000}, "invalid_request"),
        ({"question": "x", "hint_words": ["y"] * 51}, "invalid_request"),
    ):
        assert_problem(await http.post("/retrieval/search", json=body), 400, reason)
    lone = b'{"question": "a\\ud800b"}'
    answer = await http.post("/retrieval/search", content=lone, headers={"content-type": "application/json"})
    assert answer.status_code == 400, answer.text


async def test_the_sums_that_are_shown_are_right(handbook_reader: ApiClient) -> None:
    body = {"question": "年假可以順延多久？", "history_hint": "病假怎么请？", "hint_words": ["休假"], "domains": []}
    shown = (await handbook_reader.http.post("/retrieval/preview", json=body)).json()
    assert shown["variant_kinds"] == ["question", "normalised", "hints", "history"]
    assert {hit["channel"] for hit in shown["hits"]} == {"vector", "keyword"}
    assert {hit["variant"] for hit in shown["hits"]} == {0, 1, 2, 3}
    best = shown["candidates"][0]
    assert (best["citation_id"], best["dropped"]) == (1, "") and "年休假" in best["text"]
    for candidate in shown["candidates"]:
        lists = [part["value"] for part in candidate["parts"] if not part["channel"]]
        bonuses = [bonus["value"] for bonus in candidate["bonuses"]]
        assert sum(lists) + sum(bonuses) == pytest.approx(candidate["fused"])
        assert ("citation_id" in candidate) != bool(candidate["dropped"])
    unrelated = (await handbook_reader.http.post("/retrieval/preview", json={"question": "怎么做红烧肉？"})).json()
    assert {each["dropped"] for each in unrelated["candidates"]} <= {"unrelated"}
    assert unrelated["fusion"]["related"]["han"] > 0.5
