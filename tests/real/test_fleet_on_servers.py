"""The whole fleet with its search engines on servers: what a person uploads is found, cited, changed and gone."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest

from dev.api_client import ApiClient
from dev.fleet import fleet
from tests.conftest import ROOMY_LIMITS, embedder_ready

SERVERS = ("OPENSEARCH_URL", "QDRANT_URL")


@pytest.mark.real("OPENSEARCH_URL")
async def test_the_fleet_works_with_keywords_on_opensearch(tmp_path: Path) -> None:
    await use_a_fleet(tmp_path, "OPENSEARCH_URL")


@pytest.mark.real("QDRANT_URL")
async def test_the_fleet_works_with_vectors_on_qdrant(tmp_path: Path) -> None:
    await use_a_fleet(tmp_path, "QDRANT_URL")


async def use_a_fleet(folder: Path, server: str) -> None:
    prefix = f"test-{uuid.uuid4().hex[:8]}"
    settings = {
        **ROOMY_LIMITS,
        **dict.fromkeys(SERVERS, ""),
        server: os.environ[server],
        "RETRIEVAL_INDEX_PREFIX": prefix,
    }
    async with fleet(folder, environment=settings) as running:
        await embedder_ready(running)
        async with ApiClient(running.base_url) as anna, ApiClient(running.base_url) as ben:
            await anna.sign_up()
            await ben.sign_up()
            text = b"# Travel policy\n\nFlights above 600 euros need the approval of the department head.\n"
            document_id = await anna.upload("travel.md", text)
            assert (await anna.settled(document_id))["state"] == "READY"
            question = {"question": "Who approves expensive flights?"}

            preview = (await anna.http.post("/retrieval/preview", json=question)).json()
            assert {hit["channel"] for hit in preview["hits"]} >= {"vector", "keyword"}
            assert not preview["failures"]
            found = (await anna.http.post("/retrieval/search", json=question)).json()
            assert [passage["document_id"] for passage in found["evidence"]] == [document_id]
            assert (await ben.http.post("/retrieval/search", json=question)).json()["evidence"] == []

            (await anna.http.patch(f"/documents/{document_id}", json={"is_public": True})).raise_for_status()
            assert (await anna.settled(document_id))["state"] == "READY"
            found = (await ben.http.post("/retrieval/search", json=question)).json()
            assert [passage["document_id"] for passage in found["evidence"]] == [document_id]
            (await anna.http.delete(f"/documents/{document_id}")).raise_for_status()
            assert (await ben.http.post("/retrieval/search", json=question)).json()["evidence"] == []
