"""Domains as each person sees them, and citations that open where they stand."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent.retrieval.v1.retrieval_pb2 import ListDomainsRequest
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from tests.conftest import People
from tests.support.grpc_doors import bearer, channel
from tests.support.knowledge import MARKDOWN
from tests.support.turn_events import TurnStory

TREE = (("quokka", None), ("quokka.lab", "quokka"), ("wallaby", None))
DESCRIBED: dict[str, dict[str, Any]] = {
    "quokka-notes": {"name": "短尾矮袋鼠", "description": "Notes of the laboratory.", "owner_org_tag": "quokka.lab"},
    "wallaby-notes": {"name": "Wallabies", "description": "", "owner_org_tag": "wallaby"},
}


@pytest.fixture
async def described(administrator: ApiClient) -> AsyncIterator[ApiClient]:
    """The administrator, with domains that are gone behind the test."""
    for code, parent in TREE:
        await administrator.http.post("/admin/org-tags", json={"code": code, "name": code, "parent_code": parent})
    for code, domain in DESCRIBED.items():
        answer = await administrator.http.post("/admin/domains", json={"code": code, **domain})
        assert answer.status_code == 201, answer.text
    yield administrator
    for code in DESCRIBED:
        await administrator.http.delete(f"/admin/domains/{code}")


async def member(people: People, administrator: ApiClient, *tags: str) -> ApiClient:
    """Somebody new with these org tags."""
    client, credentials = await people(), (f"member-{secrets.token_hex(6)}", "a long enough password")
    await client.sign_up(*credentials)
    path = f"/admin/users/{client.user['id']}/org-tags"
    assert (await administrator.http.put(path, json={"org_tags": list(tags)})).status_code == 200
    return await client.log_in(*credentials)


async def domains_of(client: ApiClient) -> dict[str, dict[str, Any]]:
    answer = await client.http.get("/domains")
    assert answer.status_code == 200, answer.text
    return {domain["code"]: domain for domain in answer.json()["domains"] if domain["code"] in DESCRIBED}


async def until(client: ApiClient, codes: set[str]) -> dict[str, dict[str, Any]]:
    """What the person sees as soon as the change has reached retrieval."""
    async with asyncio.timeout(120):
        while (seen := await domains_of(client)).keys() != codes:
            await asyncio.sleep(0.05)
    return seen


async def test_a_described_domain_is_there_for_its_people_and_for_who_finds_something_in_it(
    fleet_with_model: Fleet, described: ApiClient, people: People
) -> None:
    chief = await member(people, described, "quokka")
    assistant = await member(people, described, "quokka.lab")
    stranger = await people()
    assert (await until(described, set(DESCRIBED)))["wallaby-notes"]["name"] == "Wallabies"
    for client in (chief, assistant):
        seen = await until(client, {"quokka-notes"})
        assert (
            seen["quokka-notes"] | {"name": "短尾矮袋鼠", "document_count": 0, "sample_titles": []}
            == (seen["quokka-notes"])
        )
    assert await domains_of(stranger) == {}

    document_id = await assistant.upload(
        "quokka.md", b"# Quokkas\n\nQuokkas smile.\n", domain_code="quokka-notes", org_tag="quokka.lab"
    )
    assert (await assistant.settled(document_id))["domain_name"] == "短尾矮袋鼠"
    public_id = await assistant.upload(
        "smile.md", b"# Smiles\n\nThey smile.\n", domain_code="wallaby-notes", is_public=True
    )
    await assistant.settled(public_id)
    assert (await domains_of(chief))["quokka-notes"]["document_count"] == 1
    # Who reads something in it sees what it is called, and counts only what is readable.
    seen = await domains_of(stranger)
    assert {code: domain["document_count"] for code, domain in seen.items()} == {"wallaby-notes": 1}
    assert seen["wallaby-notes"]["name"] == "Wallabies"
    token = stranger.http.headers["authorization"].removeprefix("Bearer ")
    async with channel(fleet_with_model.environment["RETRIEVAL_ADDRESS"]) as opened:
        listed = await RetrievalServiceStub(opened).ListDomains(ListDomainsRequest(), metadata=bearer(token))
    assert [domain.code for domain in listed.domains if domain.code in DESCRIBED] == ["wallaby-notes"]

    # Documents outlive the description of their domain.
    assert (await described.http.delete("/admin/domains/wallaby-notes")).status_code == 204
    async with asyncio.timeout(120):
        while (await domains_of(stranger))["wallaby-notes"]["name"] != "wallaby-notes":
            await asyncio.sleep(0.05)
    shown = (await stranger.http.get(f"/documents/{public_id}")).json()
    assert (shown["domain_code"], shown["domain_name"], shown["mine"]) == ("wallaby-notes", "wallaby-notes", False)
    # Everybody of this fleet would find it in later tests.
    assert (await assistant.http.delete(f"/documents/{public_id}")).status_code == 204


async def test_a_citation_opens_where_it_stands(person: ApiClient) -> None:
    document_id = await person.upload(MARKDOWN.file_name, MARKDOWN.content)
    await person.settled(document_id)
    story = TurnStory(await person.ask(MARKDOWN.question))
    (source, *_) = story.only("sources")["sources"]
    answer = await person.http.get(f"/documents/{document_id}/passages", params={"chunk_id": source["child_ids"]})
    assert answer.status_code == 200, answer.text
    opened = answer.json()
    assert (opened["document_id"], opened["title"], opened["domain"]) == (
        document_id,
        source["title"],
        source["domain"],
    )
    asked_for = [child["chunk_id"] for passage in opened["passages"] for child in passage["children"]]
    assert sorted(asked_for) == sorted(source["child_ids"])
    assert opened["passages"][0]["heading_path"] == source["heading_path"]
    for passage in opened["passages"]:
        for child in passage["children"]:
            assert passage["text"][child["start"] : child["end"]].strip()
    text = " ".join(word for passage in opened["passages"] for word in passage["text"].split())
    assert source["snippet"].rstrip("…")[:40] in text


async def test_ids_of_another_persons_chunks_open_nothing(person: ApiClient, people: People) -> None:
    other = await people()
    for client in (person, other):
        await client.settled(await client.upload(MARKDOWN.file_name, MARKDOWN.content))
    found = (await other.http.post("/retrieval/search", json={"question": MARKDOWN.question})).json()["evidence"]
    chunk_ids = [child["chunk_id"] for passage in found for child in passage["children"]]
    own = (await person.http.get("/documents")).json()["documents"][0]["id"]
    answer = await person.http.get(f"/documents/{own}/passages", params={"chunk_id": chunk_ids[:50]})
    assert (answer.status_code, answer.json()["passages"]) == (200, [])
    theirs = found[0]["document_id"]
    refused = await person.http.get(f"/documents/{theirs}/passages", params={"chunk_id": chunk_ids[:50]})
    assert (refused.status_code, refused.json()["reason"]) == (404, "unknown_document")


async def test_a_ban_ends_what_a_person_may_do_at_every_door(
    fleet_with_model: Fleet, administrator: ApiClient, people: People
) -> None:
    client = await people()
    token = client.http.headers["authorization"].removeprefix("Bearer ")
    path = f"/admin/users/{client.user['id']}"
    assert (await administrator.http.patch(path, json={"banned": True})).json()["banned"] is True
    refused = await client.http.get("/domains")
    assert (refused.status_code, refused.json()["reason"]) == (401, "token_revoked")
    code = None
    async with channel(fleet_with_model.environment["RETRIEVAL_ADDRESS"]) as opened, asyncio.timeout(120):
        while code is None:
            try:
                await RetrievalServiceStub(opened).ListDomains(ListDomainsRequest(), metadata=bearer(token))
            except grpc.aio.AioRpcError as error:
                code = error.code()
    assert code is grpc.StatusCode.UNAUTHENTICATED


async def test_the_planner_narrows_by_what_a_domain_is_described_to_hold(
    described: ApiClient, person: ApiClient
) -> None:
    for code in ("quokka-notes", "plain-notes"):
        text = f"# Paper of {code}\n\nSixty coins a night, and a little more in the city.\n"
        await person.settled(await person.upload(f"{code}.md", text.encode(), domain_code=code))
    described_anew = {"name": "Paper", "description": "Hotels and reimbursement of travel expenses."}
    assert (await described.http.put("/admin/domains/quokka-notes", json=described_anew)).status_code == 200
    async with asyncio.timeout(120):
        while (await domains_of(person))["quokka-notes"]["name"] != "Paper":
            await asyncio.sleep(0.05)
    story = TurnStory(await person.ask("Which hotel expenses does the reimbursement cover?"))
    assert story.plan["mode"] == "RAG_CHAT"
    assert story.plan["knowledge_domains"] == ["quokka-notes"]
