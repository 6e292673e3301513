"""Another person's id is answered exactly as one that does not exist, wherever an id can be put."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.ids import new_id
from tests.support.knowledge import MARKDOWN
from tests.support.turn_events import TurnStory


@dataclass(frozen=True)
class Foreign:
    """A stranger, and ids of somebody else's things by the name they have in the paths."""

    stranger: ApiClient
    owner: ApiClient
    ids: dict[str, str]


@pytest.fixture(scope="module")
async def foreign(fleet_with_model: Fleet) -> Any:
    async with (
        ApiClient(fleet_with_model.base_url) as owner,
        ApiClient(fleet_with_model.base_url) as stranger,
    ):
        await owner.sign_up()
        await stranger.sign_up()
        document_id = await owner.upload(MARKDOWN.file_name, MARKDOWN.content, domain_code="secrets")
        await owner.settled(document_id)
        story = TurnStory(await owner.ask(MARKDOWN.question))
        wanted = {"file_name": "half.md", "size": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}
        upload = (await owner.http.post("/uploads", json=wanted)).json()
        yield Foreign(
            stranger,
            owner,
            {
                "document_id": document_id,
                "conversation_id": story.conversation_id,
                "turn_id": story.turn_id,
                "upload_id": upload["upload_id"],
                "user_id": owner.user["id"],
            },
        )


BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("PATCH", "/conversations/{conversation_id}"): {"json": {"title": "Mine now"}},
    ("POST", "/documents/{document_id}/strategy"): {"json": {"strategy": "recursive"}},
    ("PATCH", "/documents/{document_id}"): {"json": {"title": "Mine now"}},
    ("POST", "/uploads/{upload_id}/proof"): {"json": {"digest": "0" * 64}},
    ("PUT", "/uploads/{upload_id}/parts/{n}"): {"content": b"abc"},
    ("GET", "/documents/{document_id}/passages"): {"params": {"chunk_id": "any"}},
    ("PUT", "/admin/users/{user_id}/org-tags"): {"json": {"org_tags": []}},
    ("PATCH", "/admin/users/{user_id}"): {"json": {"banned": True}},
}
SAFE_FIRST = ("GET", "POST", "PUT", "PATCH", "DELETE")


async def paths_with_ids(client: ApiClient) -> list[tuple[str, str]]:
    """(method, path below /api/v1) of everything the API describes that takes an id; reading before deleting."""
    base = str(client.http.base_url).removesuffix("/api/v1/")
    async with httpx.AsyncClient(trust_env=False, timeout=120) as http:
        described = (await http.get(f"{base}/openapi.json")).json()
    found = [
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in described["paths"].items()
        if "_id}" in path
        for method in methods
    ]
    return sorted(found, key=lambda item: SAFE_FIRST.index(item[0]))


def comparable(answer: httpx.Response) -> tuple[int, str]:
    """Status and body without the trace id."""
    body = answer.json() if answer.content else None
    if isinstance(body, dict):
        body.pop("trace_id", None)
    return answer.status_code, json.dumps(body)


async def test_every_path_with_an_id_answers_foreign_and_unknown_alike(foreign: Foreign) -> None:
    paths = await paths_with_ids(foreign.stranger)
    assert {path for _, path in paths} >= {
        "/conversations/{conversation_id}",
        "/conversations/{conversation_id}/turns",
        "/documents/{document_id}",
        "/documents/{document_id}/log",
        "/documents/{document_id}/passages",
        "/traces/turns/{turn_id}",
        "/turns/{turn_id}/cancel",
        "/turns/{turn_id}/events",
        "/turns/{turn_id}/plan",
        "/turns/{turn_id}/regenerate",
        "/turns/{turn_id}/replay",
        "/uploads/{upload_id}",
        "/uploads/{upload_id}/complete",
        "/uploads/{upload_id}/parts/{n}",
    }
    for method, path in paths:
        name = path.partition("{")[2].partition("}")[0]
        answers = []
        # A name that is no id, a service's for example, stands in administrators' paths only.
        for identifier in (foreign.ids.get(name, name), new_id(), "no-id-at-all"):
            address = path.replace(f"{{{name}}}", identifier).replace("{n}", "0")
            answers.append(await foreign.stranger.http.request(method, address, **BODIES.get((method, path), {})))
        refusals = [comparable(answer) for answer in answers]
        assert refusals[0] == refusals[1] == refusals[2], (method, path)
        expected = 403 if path.startswith("/admin/") else 404
        assert answers[0].status_code == expected, (method, path, answers[0].text)
        assert answers[0].headers["content-type"] == "application/problem+json"
    await assert_nothing_was_touched(foreign.owner, foreign.ids)


async def assert_nothing_was_touched(owner: ApiClient, ids: dict[str, str]) -> None:
    assert (await owner.document(ids["document_id"]))["state"] == "READY"
    upload = (await owner.http.get(f"/uploads/{ids['upload_id']}")).json()
    assert upload["parts_received"] == []
    turns = (await owner.http.get(f"/conversations/{ids['conversation_id']}/turns")).json()["turns"]
    assert [turn["turn_id"] for turn in turns] == [ids["turn_id"]]


async def test_a_question_cannot_be_put_into_a_foreign_conversation(foreign: Foreign) -> None:
    refusals = [
        comparable(await foreign.stranger.http.post("/chat", json={"message": "你好", "conversation_id": identifier}))
        for identifier in (foreign.ids["conversation_id"], new_id(), "no-id-at-all")
    ]
    assert refusals[0] == refusals[1] == refusals[2]
    assert refusals[0][0] == 404
    assert json.loads(refusals[0][1])["reason"] == "unknown_conversation"


async def test_a_foreign_conversation_id_cannot_be_claimed(foreign: Foreign) -> None:
    claimed = {"conversation_id": foreign.ids["conversation_id"], "title": "Mine now"}
    answer = await foreign.stranger.http.post("/conversations", json=claimed)
    assert (answer.status_code, answer.json()["reason"]) == (404, "unknown_conversation")
    listed = (await foreign.stranger.http.get("/conversations")).json()["conversations"]
    assert foreign.ids["conversation_id"] not in [conversation["conversation_id"] for conversation in listed]


async def test_lists_and_filters_by_a_foreign_id_are_empty_as_by_an_unknown_one(foreign: Foreign) -> None:
    stranger = foreign.stranger
    for identifier in (foreign.ids["conversation_id"], new_id()):
        turns = await stranger.http.get("/traces/turns", params={"conversation_id": identifier})
        assert turns.json() == {"turns": [], "next_cursor": None}
    found = []
    for identifier in (foreign.ids["document_id"], new_id()):
        body = {"question": MARKDOWN.question, "filters": {"document_ids": [identifier]}}
        answer = (await stranger.http.post("/retrieval/search", json=body)).json()
        found.append({name: value for name, value in answer.items() if name != "timings"})
    assert found[0] == found[1]
    assert found[0]["evidence"] == []
    for domain in ("secrets", "no-such-domain"):
        answer = (await stranger.http.post("/retrieval/search", json={"question": "x", "domains": [domain]})).json()
        assert (answer["evidence"], answer["unknown_domains"]) == ([], [domain])
