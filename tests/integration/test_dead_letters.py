"""What consumers have given up, through the administrators' door: events and documents."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel

PATH = "/admin/dead-letters"
UPLOADED = "superagent.document.uploaded.v1"
POLL_SECONDS = 0.1


@pytest.fixture
async def root(fleet_without_model: Fleet) -> AsyncIterator[ApiClient]:
    first = fleet_without_model.administrator
    assert first is not None
    async with ApiClient(fleet_without_model.base_url) as client:
        yield await client.log_in(first.username, first.password)


@pytest.fixture
async def owner(fleet_without_model: Fleet) -> AsyncIterator[ApiClient]:
    async with ApiClient(fleet_without_model.base_url) as client:
        yield await client.sign_up()


async def letters(root: ApiClient, service: str = "ingestion") -> list[dict[str, Any]]:
    answer = await root.http.get(PATH, params={"service": service})
    answer.raise_for_status()
    return list(answer.json()["dead_letters"])


async def letter(root: ApiClient, key: str) -> dict[str, Any]:
    """The dead letter of a key, once there is one."""
    async with asyncio.timeout(120):
        while True:
            for each in await letters(root):
                if each["key"] == key:
                    return each
            await asyncio.sleep(POLL_SECONDS)


async def test_an_event_that_nobody_can_read_is_listed_exported_and_discarded(
    fleet_without_model: Fleet, root: ApiClient
) -> None:
    key, event_id = f"key-{secrets.token_hex(4)}", str(uuid.uuid4())
    producer = Producer({"bootstrap.servers": fleet_without_model.environment["KAFKA_BROKERS"], "acks": "all"})
    producer.produce(UPLOADED, key=key, value=b"\xff\xff", headers={"event-id": event_id})
    assert await asyncio.to_thread(producer.flush, 90) == 0

    found = await letter(root, key)
    assert (found["event_id"], found["topic"], found["reason"]) == (event_id, UPLOADED, "undecodable_event")
    assert found["payload"] is None
    export = await root.http.get(f"{PATH}/export")
    assert export.headers["content-type"] == "application/x-ndjson"
    assert found in [json.loads(line) for line in export.text.splitlines()]

    again = await root.http.post(f"{PATH}/ingestion/{event_id}/redeliver")
    assert (again.status_code, again.json()["reason"]) == (409, "redelivery_failed")
    assert (await root.http.delete(f"{PATH}/ingestion/{event_id}")).status_code == 204
    assert key not in [each["key"] for each in await letters(root)]
    gone = await root.http.delete(f"{PATH}/ingestion/{event_id}")
    assert (gone.status_code, gone.json()["reason"]) == (404, "unknown_dead_letter")


async def test_a_document_that_was_given_up_is_tried_again_and_answers(
    fleet_without_model: Fleet, root: ApiClient, owner: ApiClient, endpoint_embedder: ScriptedModel
) -> None:
    endpoint_embedder.answer_with(Rule(Reply(failure=Failure("status", status=500)), endpoint="embeddings"))
    try:
        document_id = await owner.upload(MARKDOWN.file_name, MARKDOWN.content)
        await waiting(owner, document_id)
        await asyncio.to_thread(make_it_the_last_try, fleet_without_model.data_dir, document_id)
        found = await letter(root, document_id)
    finally:
        endpoint_embedder.answer_with()
    assert (found["event_id"], found["topic"], found["attempts"]) == (document_id, UPLOADED, 5)
    assert found["payload"] == {"document_id": document_id}
    document = await owner.document(document_id)
    assert (document["state"], document["failure"]["reason"]) == ("FAILED", found["reason"])

    assert (await root.http.post(f"{PATH}/ingestion/{document_id}/redeliver")).status_code == 204
    async with asyncio.timeout(120):
        while (await owner.document(document_id))["state"] != "READY":
            await asyncio.sleep(POLL_SECONDS)
    assert document_id not in [each["key"] for each in await letters(root)]


async def test_nobody_else_sees_or_touches_them(owner: ApiClient) -> None:
    for method, path in (
        ("GET", f"{PATH}?service=trace"),
        ("GET", f"{PATH}/export"),
        ("POST", f"{PATH}/trace/x/redeliver"),
        ("DELETE", f"{PATH}/trace/x"),
    ):
        answer = await owner.http.request(method, path)
        assert (answer.status_code, answer.json()["reason"]) == (403, "administrators_only")


async def test_every_consumer_can_be_asked(root: ApiClient) -> None:
    for service in ("ingestion", "orchestrator", "trace"):
        assert isinstance(await letters(root, service), list)


async def waiting(owner: ApiClient, document_id: str) -> None:
    """Until a try has failed."""
    async with asyncio.timeout(120):
        while (await owner.document(document_id)).get("waiting_reason", "") in ("", "queued"):
            await asyncio.sleep(POLL_SECONDS)


def make_it_the_last_try(data_dir: Path, document_id: str) -> None:
    """The five tries take a minute and a half: this is the fifth, and due now."""
    with sqlite3.connect(data_dir / "databases" / "ingestion.db", timeout=30) as connection:
        connection.execute("UPDATE jobs SET attempts = 4, available_at = 1 WHERE document_id = ?", (document_id,))
    connection.close()
