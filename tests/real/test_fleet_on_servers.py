"""The whole fleet with a search engine on a server: what a person uploads is found, changed and gone, also around a cut."""

from __future__ import annotations

import asyncio
import os
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from dev.api_client import ApiClient
from dev.fleet import fleet
from tests.conftest import ROOMY_LIMITS, embedder_ready
from tests.support.tcp_relay import relay_to

QUESTION = {"question": "Who approves expensive flights?"}
SERVERS = ("OPENSEARCH_URL", "QDRANT_URL")


@pytest.mark.real("OPENSEARCH_URL")
async def test_the_fleet_works_with_keywords_on_opensearch(tmp_path: Path) -> None:
    await use_a_fleet(tmp_path, "OPENSEARCH_URL", "VECTOR_ONLY")


@pytest.mark.real("QDRANT_URL")
async def test_the_fleet_works_with_vectors_on_qdrant(tmp_path: Path) -> None:
    await use_a_fleet(tmp_path, "QDRANT_URL", "TEXT_ONLY")


async def use_a_fleet(folder: Path, server: str, mode_without: str) -> None:
    """A person's work on a fleet, during which the server is cut off for a while."""
    url = urlsplit(os.environ[server])
    async with relay_to(url.hostname or "", url.port or 443) as relay:
        settings = {
            **ROOMY_LIMITS,
            **dict.fromkeys(SERVERS, ""),
            server: f"{url.scheme}://127.0.0.1:{relay.port}",
            "RETRIEVAL_INDEX_PREFIX": f"test-{uuid.uuid4().hex[:8]}",
        }
        async with fleet(folder, environment=settings) as running:
            await embedder_ready(running)
            async with ApiClient(running.base_url) as anna, ApiClient(running.base_url) as ben:
                await anna.sign_up()
                await ben.sign_up()
                document_id = await life_of_a_document(anna, ben)

                await relay.cut()
                found = await search(anna)
                assert (documents(found), found["retrieval_mode"]) == ([document_id], mode_without)
                later = await anna.upload("later.md", b"# Hotels\n\nExpensive hotels need an approval, too.\n")
                while not (await anna.document(later)).get("waiting_reason"):
                    await asyncio.sleep(0.2)
                await relay.mend()
                assert (await anna.settled(later))["state"] == "READY"
                await recovered(anna)
                (await anna.http.delete(f"/documents/{document_id}")).raise_for_status()
                assert documents(await search(anna)) == [later]


async def life_of_a_document(anna: ApiClient, ben: ApiClient) -> str:
    """Uploaded, found by its owner, made public, found by somebody else."""
    text = b"# Travel policy\n\nFlights above 600 euros need the approval of the department head.\n"
    document_id = await anna.upload("travel.md", text)
    assert (await anna.settled(document_id))["state"] == "READY"
    preview = (await anna.http.post("/retrieval/preview", json=QUESTION)).json()
    assert {hit["channel"] for hit in preview["hits"]} >= {"vector", "keyword"}
    assert not preview["failures"]
    assert documents(await search(anna)) == [document_id]
    assert documents(await search(ben)) == []
    (await anna.http.patch(f"/documents/{document_id}", json={"is_public": True})).raise_for_status()
    assert (await anna.settled(document_id))["state"] == "READY"
    assert documents(await search(ben)) == [document_id]
    return document_id


async def search(person: ApiClient) -> Any:
    return (await person.http.post("/retrieval/search", json=QUESTION)).raise_for_status().json()


def documents(found: Any) -> list[str]:
    return [passage["document_id"] for passage in found["evidence"]]


async def recovered(person: ApiClient) -> None:
    """Waits until both channels answer: a breaker asks again only after a while."""
    async with asyncio.timeout(120):
        while (await search(person))["retrieval_mode"] != "HYBRID":
            await asyncio.sleep(0.5)
