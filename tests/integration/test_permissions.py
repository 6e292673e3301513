"""RAG-9 through every door: own documents, public ones, and those of the person's org tags with all descendants."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import grpc
import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent.retrieval.v1.retrieval_pb2 import (
    GetOutlineRequest,
    ListDomainsRequest,
    PreviewSearchRequest,
    SearchRequest,
)
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from tests.support.grpc_doors import bearer, channel, reason_of

SEED = 20261129
# code → parent; siblings, cousins and two roots, so that "descendant" is neither "ancestor" nor "same root".
TREE = {
    "north": "",
    "north.lab": "north",
    "north.lab.chem": "north.lab",
    "north.shop": "north",
    "south": "",
    "south.lab": "south",
}
# Direct tags of each person.
PEOPLE: tuple[tuple[str, ...], ...] = (
    (),
    ("north",),
    ("north.lab",),
    ("north.lab.chem", "south"),
    ("north.shop",),
    ("south.lab",),
)
DOCUMENTS = 10
QUESTION = "Where is the wombat protocol kept?"


@dataclass(frozen=True)
class Kept:
    """A document as it was uploaded."""

    document_id: str
    owner: int
    org_tag: str
    is_public: bool
    domain: str


def expanded(tags: tuple[str, ...]) -> set[str]:
    """The tags and everything below them, the slow and obvious way."""

    def ancestors(code: str) -> set[str]:
        return {code, *(ancestors(TREE[code]) if TREE[code] else ())}

    return {code for code in TREE if ancestors(code) & set(tags)}


def readable(document: Kept, person: int) -> bool:
    return document.owner == person or document.is_public or document.org_tag in expanded(PEOPLE[person])


@dataclass
class Company:
    clients: list[ApiClient]
    documents: list[Kept]


@pytest.fixture(scope="module")
async def company(fleet_with_model: Fleet, administrator: ApiClient) -> AsyncIterator[Company]:
    for code, parent in TREE.items():
        body = {"code": code, "name": code, **({"parent_code": parent} if parent else {})}
        answer = await administrator.http.post("/admin/org-tags", json=body)
        assert answer.status_code == 201, answer.text
    async with AsyncExitStack() as stack:
        clients = []
        for number, tags in enumerate(PEOPLE):
            client = await stack.enter_async_context(ApiClient(fleet_with_model.base_url))
            await client.sign_up(f"wombat-{number}", "a long enough password")
            tagged = await administrator.http.put(
                f"/admin/users/{client.user['id']}/org-tags", json={"org_tags": list(tags)}
            )
            assert tagged.status_code == 200, tagged.text
            clients.append(await client.log_in(f"wombat-{number}", "a long enough password"))
        documents = await uploaded(clients, random.Random(SEED))
        yield Company(clients, documents)
        # Everybody of this fleet would find what is public in later tests.
        for kept in documents:
            if kept.is_public:
                (await clients[kept.owner].http.delete(f"/documents/{kept.document_id}")).raise_for_status()


async def uploaded(clients: list[ApiClient], chance: random.Random) -> list[Kept]:
    documents = []
    for number in range(DOCUMENTS):
        owner = chance.randrange(len(clients))
        tags = sorted(expanded(PEOPLE[owner]))
        org_tag = chance.choice(tags) if tags and chance.random() < 0.7 else ""
        kept = Kept("", owner, org_tag, chance.random() < 0.2, f"wombat-domain-{number}")
        text = f"# Wombat {number}\n\nThe wombat protocol number {number} is kept in cabinet {number}, row {number}.\n"
        document_id = await clients[owner].upload(
            f"wombat-{number}.md",
            text.encode(),
            domain_code=kept.domain,
            is_public=kept.is_public,
            **({"org_tag": org_tag} if org_tag else {}),
        )
        documents.append(Kept(document_id, owner, org_tag, kept.is_public, kept.domain))
    states = await asyncio.gather(*(clients[kept.owner].settled(kept.document_id) for kept in documents))
    assert {state["state"] for state in states} == {"READY"}
    return documents


async def test_the_sample_is_worth_its_name(company: Company) -> None:
    """Each way of being allowed occurs, and so does not being allowed."""
    pairs = [(kept, person) for kept in company.documents for person in range(len(PEOPLE))]
    assert len(pairs) == 60
    assert any(kept.owner == person for kept, person in pairs)
    assert any(kept.is_public and kept.owner != person for kept, person in pairs)
    others = [(kept, person) for kept, person in pairs if kept.owner != person and not kept.is_public]
    tagged = [(kept.org_tag, PEOPLE[person]) for kept, person in others if readable(kept, person)]
    assert any(tag in tags for tag, tags in tagged)
    assert any(tag not in tags for tag, tags in tagged)
    assert sum(not readable(kept, person) for kept, person in others) > 15


@pytest.mark.parametrize("person", range(len(PEOPLE)))
async def test_a_person_gets_what_they_may_read_and_nothing_else_through_any_door(
    fleet_with_model: Fleet, company: Company, person: int
) -> None:
    client = company.clients[person]
    expected = {kept.document_id for kept in company.documents if readable(kept, person)}
    domains = {kept.domain for kept in company.documents if kept.document_id in expected}
    everything = {"question": QUESTION, "top_k": 50}

    searched = (await client.http.post("/retrieval/search", json=everything)).json()
    assert {passage["document_id"] for passage in searched["evidence"]} == expected
    preview = (await client.http.post("/retrieval/preview", json=everything)).json()
    assert {passage["document_id"] for passage in preview["evidence"]} == expected
    titles = {f"Wombat {kept.domain.rpartition('-')[2]}" for kept in company.documents if kept.document_id in expected}
    assert {hit["title"] for hit in preview["hits"]} == titles
    for channel_name in ("vector", "keyword"):
        assert {hit["title"] for hit in preview["hits"] if hit["channel"] == channel_name} == titles
    # Counts of what was dropped say nothing of what may not be read.
    assert sum(dropped["count"] for dropped in preview["dropped"]) <= len(preview["hits"])
    listed = (await client.http.get("/domains")).json()["domains"]
    # Beside these there may be domains that somebody described: of them a person without documents learns no more.
    filled = [domain for domain in listed if domain["document_count"] or domain["sample_titles"]]
    assert {domain["code"]: domain["document_count"] for domain in filled} == dict.fromkeys(domains, 1)
    assert all(len(domain["sample_titles"]) == 1 for domain in filled)

    foreign = [kept for kept in company.documents if kept.document_id not in expected]
    filters = {"document_ids": [kept.document_id for kept in foreign]}
    asked_for = (await client.http.post("/retrieval/search", json={**everything, "filters": filters})).json()
    assert asked_for["evidence"] == []
    domain_only = {**everything, "domains": [kept.domain for kept in foreign]}
    assert (await client.http.post("/retrieval/search", json=domain_only)).json()["evidence"] == []

    own = {kept.document_id for kept in company.documents if kept.owner == person}
    managed = (await client.http.get("/documents", params={"limit": 200})).json()["documents"]
    assert {document["id"] for document in managed} == own
    for kept in company.documents:
        shown = await client.http.get(f"/documents/{kept.document_id}")
        assert shown.status_code == (200 if kept.document_id in expected else 404)
        # What happened to a document, and its end, are its owner's.
        log = await client.http.get(f"/documents/{kept.document_id}/log")
        assert log.status_code == (200 if kept.document_id in own else 404)
        if kept.document_id not in own:
            assert (await client.http.delete(f"/documents/{kept.document_id}")).status_code == 404

    await assert_the_same_over_grpc(fleet_with_model, client, company, expected, domains)


async def assert_the_same_over_grpc(
    fleet: Fleet, client: ApiClient, company: Company, expected: set[str], domains: set[str]
) -> None:
    metadata = bearer(client.http.headers["authorization"].removeprefix("Bearer "))
    search = SearchRequest(question=QUESTION, top_k=50, budget_chars=-1)
    async with channel(fleet.environment["RETRIEVAL_ADDRESS"]) as opened:
        retrieval = RetrievalServiceStub(opened)
        found = await retrieval.Search(search, metadata=metadata)
        assert {passage.document_id for passage in found.evidence} == expected
        preview = await retrieval.PreviewSearch(PreviewSearchRequest(search=search), metadata=metadata)
        assert {passage.document_id for passage in preview.result.evidence} == expected
        assert len({hit.parent_id for hit in preview.hits}) == len(expected)
        listed = await retrieval.ListDomains(ListDomainsRequest(), metadata=metadata)
        assert {domain.code for domain in listed.domains if domain.document_count} == domains
        for kept in company.documents:
            outline = retrieval.GetOutline(GetOutlineRequest(document_id=kept.document_id), metadata=metadata)
            if kept.document_id in expected:
                assert [entry.heading for entry in (await outline).entries] == [
                    f"Wombat {kept.domain.rpartition('-')[2]}"
                ]
            else:
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await outline
                assert (refused.value.code(), reason_of(refused.value)) == (
                    grpc.StatusCode.NOT_FOUND,
                    "unknown_document",
                )


async def test_an_answer_cites_only_what_its_reader_may_read(company: Company) -> None:
    for person, client in enumerate(company.clients):
        events = await client.ask(QUESTION)
        cited = {
            source["document_id"] for event in events if event.event == "sources" for source in event.json["sources"]
        }
        assert cited <= {kept.document_id for kept in company.documents if readable(kept, person)}


async def test_a_person_cannot_upload_for_a_tag_that_is_not_theirs(company: Company) -> None:
    wanted = {"file_name": "a.md", "size": 1, "sha256": "0" * 64, "org_tag": "south"}
    answer = await company.clients[1].http.post("/uploads", json=wanted)
    assert (answer.status_code, answer.json()["reason"]) == (400, "unknown_org_tag")
    unknown = await company.clients[1].http.post("/uploads", json={**wanted, "org_tag": "nowhere"})
    assert unknown.json() | {"trace_id": ""} == answer.json() | {"trace_id": ""}


async def test_tags_count_from_the_moment_they_are_given_until_they_are_taken_away(
    fleet_with_model: Fleet, company: Company, administrator: ApiClient
) -> None:
    client = company.clients[1]

    async def found() -> set[str]:
        answer = await client.http.post("/retrieval/search", json={"question": QUESTION, "top_k": 50})
        assert answer.status_code == 200, answer.text
        return {passage["document_id"] for passage in answer.json()["evidence"]}

    async def give(tags: tuple[str, ...]) -> None:
        path = f"/admin/users/{client.user['id']}/org-tags"
        assert (await administrator.http.put(path, json={"org_tags": list(tags)})).status_code == 200
        stale = await client.http.post("/retrieval/search", json={"question": QUESTION})
        assert (stale.status_code, stale.json()["reason"]) == (401, "token_revoked")
        await assert_soon_revoked_over_grpc(fleet_with_model, client)
        await client.log_in("wombat-1", "a long enough password")

    with_tags = await found()
    await give(())
    without_tags = await found()
    assert without_tags == {kept.document_id for kept in company.documents if kept.owner == 1 or kept.is_public}
    assert with_tags > without_tags
    await give(PEOPLE[1])
    assert await found() == with_tags


async def assert_soon_revoked_over_grpc(fleet: Fleet, client: ApiClient) -> None:
    """The services behind the gateway hear of it by a signal; the token they refuse is the one the gateway refuses."""
    metadata = bearer(client.http.headers["authorization"].removeprefix("Bearer "))
    refused: grpc.aio.AioRpcError | None = None
    async with channel(fleet.environment["RETRIEVAL_ADDRESS"]) as opened, asyncio.timeout(120):
        while refused is None:
            try:
                await RetrievalServiceStub(opened).Search(SearchRequest(question=QUESTION), metadata=metadata)
            except grpc.aio.AioRpcError as error:
                refused = error
    assert (refused.code(), reason_of(refused)) == (grpc.StatusCode.UNAUTHENTICATED, "token_revoked")
