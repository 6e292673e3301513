"""The JSON of the main job to the letter of the contract: names, types, statuses, times, ids."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import httpx

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.contract import (
    DOCUMENT,
    EVENT,
    EVENTS,
    EVIDENCE,
    OWN_ACCOUNT,
    PROBLEM,
    RETRIEVAL_MODES,
    SOURCE,
    TRACED_TURN,
    UPLOAD,
    USER,
)
from tests.support.json_shapes import Shape, assert_shape, str_or_null, utc, uuid7
from tests.support.knowledge import PDF
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory


def answered(answer: httpx.Response, status: int, shape: Shape) -> Any:
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert_shape(body, shape)
    return body


def assert_event_shapes(story: TurnStory) -> None:
    for event in story.events:
        assert event.event in EVENTS
        assert_shape(event.json, {**EVENT, **EVENTS[event.event]}, event.event)


async def test_the_main_job_speaks_the_contract_from_registering_to_the_trace(
    fleet_with_model: Fleet, model: ScriptedModel
) -> None:
    async with httpx.AsyncClient(base_url=f"{fleet_with_model.base_url}/api/v1", trust_env=False, timeout=120) as http:
        account = {"username": "contract", "password": "to the letter of it"}
        user_id = answered(await http.post("/auth/register", json=account), 201, {"user_id": uuid7})["user_id"]
        session = answered(
            await http.post("/auth/login", json=account),
            200,
            {"access_token": str, "refresh_token": str, "expires_in": int, "user": USER},
        )
        assert session["user"] | {"id": user_id, "username": "contract", "roles": ["user"]} == session["user"]
        assert session["expires_in"] == 3600
        http.headers["authorization"] = f"Bearer {session['access_token']}"
        answered(await http.get("/auth/me"), 200, OWN_ACCOUNT)

        document_id = await uploaded(http)
        async with ApiClient(fleet_with_model.base_url) as client:
            client.http.headers["authorization"] = http.headers["authorization"]
            await client.settled(document_id)
            document = answered(await http.get(f"/documents/{document_id}"), 200, DOCUMENT)
            assert (document["state"], document["progress"]) == ("READY", 100)
            assert document["chunks"]["children"] >= document["chunks"]["parents"] >= 3
            assert {stage["state"] for stage in document["stages"]} == {"completed"}

            story = TurnStory(await client.ask(PDF.question, time_zone="Asia/Shanghai", domains=["people"]))
        assert_event_shapes(story)
        assert {"accepted", "stage", "plan", "delta", "sources", "follow_ups", "usage", "done"} == set(story.names)
        assert story.plan["time_zone"] == "Asia/Shanghai"
        assert len(story.only("follow_ups")["questions"]) == 3

        search = {"question": PDF.question, "domains": ["people"], "filters": {"tags": ["handbook"]}, "top_k": 2}
        found = answered(
            await http.post("/retrieval/search", json=search),
            200,
            {"evidence": [EVIDENCE], "retrieval_mode": RETRIEVAL_MODES},
        )
        numbers = [passage["citation_id"] for passage in found["evidence"]]
        assert numbers == [1, 2][: len(numbers)] != []
        traced = answered(await http.get(f"/traces/turns/{story.turn_id}"), 200, TRACED_TURN)
        assert traced["turn_id"] == story.turn_id
        assert traced["plan"] == {name: value for name, value in story.plan.items() if name not in ("sequence", "at")}
        answered(
            await http.get("/conversations"),
            200,
            {
                "conversations": [{"conversation_id": uuid7, "title": str, "updated_at": utc}],
                "next_cursor": str_or_null,
            },
        )
        answered(
            await http.get(f"/conversations/{story.conversation_id}/turns"),
            200,
            {"turns": [{"turn_id": uuid7, "question": str, "answer": str, "sources": [SOURCE]}]},
        )
        assert (await http.delete(f"/conversations/{story.conversation_id}")).status_code == 204


async def uploaded(http: httpx.AsyncClient) -> str:
    metadata = {"domain_code": "people", "business_category": "hr", "title": "Handbook", "language": "en"}
    wanted = {
        "file_name": PDF.file_name,
        "size": len(PDF.content),
        "sha256": hashlib.sha256(PDF.content).hexdigest(),
        **metadata,
        "tags": ["handbook"],
        "is_public": False,
    }
    upload = answered(await http.post("/uploads", json=wanted), 201, UPLOAD)
    assert (upload["part_size"], upload["parts_total"]) == (5 * 1024 * 1024, 1)
    address = f"/uploads/{upload['upload_id']}"
    part = answered(
        await http.put(f"{address}/parts/0", content=PDF.content), 200, {"parts_received": [int], "parts_total": int}
    )
    assert part == {"parts_received": [0], "parts_total": 1}
    answered(await http.get(address), 200, UPLOAD)
    document_id = answered(await http.post(f"{address}/complete"), 202, {"document_id": uuid7})["document_id"]
    assert answered(await http.get(address), 200, UPLOAD)["document_id"] == document_id
    return str(document_id)


async def test_a_question_back_and_its_choices_have_their_shape(person: ApiClient) -> None:
    story = TurnStory(await person.ask("查一下那个"))
    assert_event_shapes(story)
    assert story.plan["mode"] == "CLARIFY"
    assert story.only("clarify")["question"] == story.plan["clarification"]["question"] == story.text
    assert story.finish_reason == "clarify"


async def test_thinking_degrading_and_failing_have_their_shape(person: ApiClient, model: ScriptedModel) -> None:
    broken = Reply(text="It may be", thinking="Hm.", failure=Failure("cut", after_deltas=2))
    model.answer_with(
        Rule(Reply(failure=Failure("status", status=500)), model="scripted", times=1),
        Rule(broken, model="scripted-backup"),
    )
    story = TurnStory(await person.ask("What is the weather in Berlin today?"))
    assert_event_shapes(story)
    assert set(story.names) >= {"degraded", "thinking", "error"}


async def test_a_problem_has_reason_and_trace_id(anybody: ApiClient) -> None:
    answer = await anybody.http.get("/documents/unknown")
    body = answered(answer, 404, PROBLEM)
    assert answer.headers["content-type"] == "application/problem+json"
    assert body["reason"] == "unknown_document"
    assert body["trace_id"] in answer.headers["traceresponse"]


async def test_lists_are_paged_by_cursor(person: ApiClient) -> None:
    ids = []
    for position in range(5):
        made = await person.http.post("/conversations", json={"title": f"Number {position}"})
        ids.append(answered(made, 201, {"conversation_id": uuid7, "title": str})["conversation_id"])
    seen: list[str] = []
    cursor = ""
    for size in (2, 2, 1):
        page = (await person.http.get("/conversations", params={"limit": 2, "cursor": cursor})).json()
        assert len(page["conversations"]) == size
        seen += [conversation["conversation_id"] for conversation in page["conversations"]]
        cursor = page["next_cursor"]
    assert cursor is None
    assert seen == ids[::-1]


async def test_an_upload_that_is_asked_for_again_with_its_key_is_the_same_upload(anybody: ApiClient) -> None:
    wanted = {"file_name": "a.md", "size": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}
    made = [
        (await anybody.http.post("/uploads", json=wanted, headers={"idempotency-key": key})).json()["upload_id"]
        for key in ("one", "one", "two")
    ]
    assert made[0] == made[1] != made[2]


async def test_operators_see_that_it_runs(fleet_with_model: Fleet) -> None:
    async with httpx.AsyncClient(base_url=fleet_with_model.base_url, trust_env=False, timeout=120) as http:
        assert (await http.get("/healthz")).status_code == 200
        # On a busy machine one check of seven services may take longer than a balancer would wait.
        async with asyncio.timeout(120):
            while (await http.get("/readyz")).status_code != 200:
                await asyncio.sleep(0.1)


async def test_the_api_describes_itself(fleet_with_model: Fleet) -> None:
    async with httpx.AsyncClient(base_url=fleet_with_model.base_url, trust_env=False, timeout=120) as http:
        described = answered(await http.get("/openapi.json"), 200, {"openapi": str, "paths": dict})
        assert described["openapi"].startswith("3.1")
        assert "text/html" in (await http.get("/docs")).headers["content-type"]
