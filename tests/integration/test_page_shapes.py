"""The JSON that the page reads beside the main job: what is installed, lists to choose from, administration."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.contract import (
    ABOUT,
    DOMAIN,
    LISTED_USER,
    MANAGED_DOMAIN,
    ORG_TAG,
    OWN_ACCOUNT,
    PASSAGES,
    SKILL,
    TOOL,
)
from tests.support.json_shapes import Shape, assert_shape, str_or_null
from tests.support.knowledge import MARKDOWN


async def answered(client: ApiClient, method: str, path: str, shape: Shape, **request: Any) -> Any:
    answer = await client.http.request(method, path, **request)
    assert answer.is_success, answer.text
    body = answer.json()
    assert_shape(body, shape)
    return body


async def test_anybody_reads_what_is_installed(fleet_with_model: Fleet) -> None:
    async with httpx.AsyncClient(base_url=fleet_with_model.base_url, trust_env=False, timeout=120) as http:
        about = (await http.get("/api/v1/about")).json()
    assert_shape(about, ABOUT)
    assert about["model"] == {"configured": True, "name": "scripted"}


async def test_lists_to_choose_from(reader: ApiClient) -> None:
    skills = (await answered(reader, "GET", "/skills", {"skills": [SKILL]}))["skills"]
    assert "ai-assistant" in [skill["code"] for skill in skills]
    tools = (await answered(reader, "GET", "/tools", {"tools": [TOOL]}))["tools"]
    assert {"knowledge_search", "calculate", "current_time"} <= {tool["name"] for tool in tools}
    domains = (await answered(reader, "GET", "/domains", {"domains": [DOMAIN]}))["domains"]
    assert any(domain["document_count"] for domain in domains)


async def test_a_passage(reader: ApiClient) -> None:
    found = (await reader.http.post("/retrieval/search", json={"question": MARKDOWN.question})).json()["evidence"][0]
    path = f"/documents/{found['document_id']}/passages"
    opened = await answered(reader, "GET", path, PASSAGES, params={"chunk_id": found["parent_id"]})
    assert [passage["parent_id"] for passage in opened["passages"]] == [found["parent_id"]]


async def test_documents_and_conversations_are_found_by_a_word(person: ApiClient) -> None:
    await person.upload("Quarterly figures.md", b"# Figures\n")
    for query, names in (("FIGURES", ["Quarterly figures.md"]), ("wombat", [])):
        found = (await person.http.get("/documents", params={"query": query})).json()["documents"]
        assert [document["file_name"] for document in found] == names
    await person.http.post("/conversations", json={"title": "About wombats"})
    for query, titles in (("WOMBAT", ["About wombats"]), ("figures", [])):
        listed = (await person.http.get("/conversations", params={"query": query})).json()["conversations"]
        assert [conversation["title"] for conversation in listed] == titles


@pytest.fixture
async def code(administrator: ApiClient) -> AsyncIterator[str]:
    """A code for a domain and an org tag, both of which are gone behind the test."""
    made = f"shape-{secrets.token_hex(4)}"
    yield made
    await administrator.http.delete(f"/admin/domains/{made}")
    await administrator.http.delete(f"/admin/org-tags/{made}")


async def test_administration(administrator: ApiClient, person: ApiClient, code: str) -> None:
    users = await answered(
        administrator,
        "GET",
        "/admin/users",
        {"users": [LISTED_USER], "next_cursor": str_or_null},
        params={"query": person.user["username"]},
    )
    assert [user["id"] for user in users["users"]] == [person.user["id"]]
    changed = await answered(
        administrator, "PATCH", f"/admin/users/{person.user['id']}", LISTED_USER, json={"roles": ["user"]}
    )
    assert (changed["roles"], changed["banned"]) == (["user"], False)
    tag = {"code": code, "name": "Shape"}
    await answered(administrator, "POST", "/admin/org-tags", ORG_TAG, json=tag)
    await answered(administrator, "PATCH", f"/admin/org-tags/{code}", ORG_TAG, json={"name": "Shapes"})
    await answered(administrator, "GET", "/admin/org-tags", {"org_tags": [ORG_TAG]})
    domain = {"code": code, "name": "Shape", "description": "Shapes.", "owner_org_tag": code}
    assert await answered(administrator, "POST", "/admin/domains", MANAGED_DOMAIN, json=domain) == domain
    listed = (await answered(administrator, "GET", "/admin/domains", {"domains": [MANAGED_DOMAIN]}))["domains"]
    assert domain in listed
    await answered(administrator, "PUT", f"/admin/domains/{code}", MANAGED_DOMAIN, json={"name": "Shapes"})
    await answered(administrator, "GET", "/auth/me", OWN_ACCOUNT)
