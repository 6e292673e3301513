"""Sixty documents while any process of the fleet is killed with -9 at random moments: each ends READY or FAILED with
its cause, and nothing is missing or there twice. `make chaos` kills more of them."""

from __future__ import annotations

import asyncio
import logging
import os
import random
from pathlib import Path
from typing import Any

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet, fleet
from tests.chaos.kills import Killing
from tests.chaos.papers import papers
from tests.conftest import ROOMY_LIMITS
from tests.support.steadfast import File, insist, settled_steadfastly, upload_steadfastly
from tests.support.stored_chunks import StoredChunks, stored_chunks

KILLS = int(os.environ.get("CHAOS_KILLS", "50"))
DOCUMENTS = 60
UPLOADS_AT_ONCE = 4
_SETTLED_SECONDS = 600.0
_log = logging.getLogger(__name__)

Outcome = tuple[str, str]
"""State and reason of the failure."""


@pytest.mark.timeout(max(900, KILLS * 15))
async def test_every_document_comes_through_whatever_is_killed(tmp_path_factory: pytest.TempPathFactory) -> None:
    seed = int(os.environ.get("CHAOS_SEED") or random.SystemRandom().randrange(1_000_000))
    _log.warning("CHAOS_SEED=%d", seed)
    files = papers(DOCUMENTS)
    settings = {**ROOMY_LIMITS, "INGESTION_SWEEP_SECONDS": "0.5"}
    async with (
        fleet(tmp_path_factory.mktemp("chaos"), environment=settings) as running,
        ApiClient(running.base_url) as author,
    ):
        await author.sign_up()
        calm = await upload_all(author, files)
        expected = await outcomes(author, calm)
        assert {state for state, _ in expected.values()} == {"READY", "FAILED"}
        calm_chunks = await chunks_of(running, calm)
        for document_id in calm.values():
            assert (await author.http.delete(f"/documents/{document_id}")).status_code == 204

        killing = Killing(running, KILLS, seed)
        async with asyncio.TaskGroup() as tasks:
            uploading = tasks.create_task(upload_all(author, files, killing))
            tasks.create_task(killing.run())
        documents = uploading.result()
        _log.warning("killed: %s", dict(sorted(killing.died.items())))

        await outcomes(author, documents)
        await redeliver_all(running)
        assert await outcomes(author, documents) == expected
        assert await chunks_of(running, documents) == calm_chunks
        assert await listed(author) == sorted(documents.values())


async def upload_all(author: ApiClient, files: list[File], killing: Killing | None = None) -> dict[str, str]:
    """Document ids by file name; some at once, and spread over all kills."""
    places = asyncio.Semaphore(UPLOADS_AT_ONCE)

    async def upload(number: int, name: str, content: bytes) -> tuple[str, str]:
        async with places:
            if killing:
                await killing.reached(number * KILLS // DOCUMENTS)
            return name, await upload_steadfastly(author, name, content)

    return dict(await asyncio.gather(*(upload(number, *file) for number, file in enumerate(files))))


async def outcomes(author: ApiClient, documents: dict[str, str]) -> dict[str, Outcome]:
    """By file name, once all are settled."""

    def outcome(document: dict[str, Any]) -> Outcome:
        return document["state"], document.get("failure", {}).get("reason", "")

    return {
        name: outcome(await settled_steadfastly(author, document_id, _SETTLED_SECONDS))
        for name, document_id in documents.items()
    }


async def redeliver_all(running: Fleet) -> None:
    """What was given up because it was killed too often is handed to the workers again, as an administrator would."""
    first = running.administrator
    assert first is not None
    async with ApiClient(running.base_url) as administrator:
        await administrator.log_in(first.username, first.password)
        listed = {"service": "ingestion", "limit": 200}
        answer = await insist(administrator, "GET", "/admin/dead-letters", params=listed)
        for letter in answer.raise_for_status().json()["dead_letters"]:
            path = f"/admin/dead-letters/ingestion/{letter['event_id']}/redeliver"
            (await insist(administrator, "POST", path)).raise_for_status()


async def chunks_of(running: Fleet, documents: dict[str, str]) -> dict[str, StoredChunks]:
    """By file name, those of documents that answer; no other document has any."""
    await running.stop("retrieval")
    try:
        folders = running.data_dir / "retrieval", _catalogue(running.data_dir)
        found = await asyncio.to_thread(stored_chunks, *folders)
    finally:
        await running.start("retrieval")
    names = {document_id: name for name, document_id in documents.items()}
    return {names[document_id]: chunks for document_id, chunks in found.items()}


def _catalogue(data_dir: Path) -> Path:
    return data_dir / "databases" / "retrieval.db"


async def listed(author: ApiClient) -> list[str]:
    answer = await insist(author, "GET", "/documents", params={"limit": 200})
    return sorted(document["id"] for document in answer.json()["documents"])
