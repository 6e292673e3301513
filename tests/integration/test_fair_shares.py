"""One person's hundreds of files do not hold up another's one file (ING-12)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.scripted_model import Gate, Reply, Rule, ScriptedModel

MANY = 200
BEFORE_HIM = 25
"""So many of the others' files are indexed at most before one that was uploaded behind all of them."""
SEEN_THROUGH = 40
SMALL, LONG = "Small file number", "is long."


@pytest.fixture
async def two(fleet_without_model: Fleet) -> AsyncIterator[tuple[ApiClient, ApiClient]]:
    async with AsyncExitStack() as stack:
        first, second = [await stack.enter_async_context(ApiClient(fleet_without_model.base_url)) for _ in range(2)]
        yield await first.sign_up(), await second.sign_up()


async def test_one_file_is_ready_long_before_another_persons_many(
    two: tuple[ApiClient, ApiClient], endpoint_embedder: ScriptedModel
) -> None:
    anna, ben = two
    nobodys, annas = Gate(), Gate()
    endpoint_embedder.answer_with(Rule(Reply(held_by=nobodys), endpoint="embeddings"))
    try:
        long = await anna.upload("long.txt", b"\n\n".join(b"Paragraph %d is long. " % n * 30 for n in range(2_000)))
        at_once = asyncio.Semaphore(8)

        async def upload(number: int) -> str:
            async with at_once:
                return await anna.upload(f"small-{number}.txt", f"{SMALL} {number}.".encode())

        many = await asyncio.gather(*(upload(number) for number in range(MANY)))
        bens = await ben.upload("one.txt", b"The one file of somebody else.")
        assert (await states(anna))["READY"] == 0
        # From here on some of Anna's small files get their vectors, her long one none, and Ben's.
        endpoint_embedder.answer_with(
            Rule(Reply(), body=SMALL, endpoint="embeddings", times=BEFORE_HIM),
            *(Rule(Reply(held_by=annas), body=text, endpoint="embeddings") for text in (SMALL, LONG)),
        )
        nobodys.open()
        assert (await ben.settled(bens))["state"] == "READY"
        assert (await anna.document(long))["state"] not in ("READY", "FAILED")
    finally:
        for gate in (nobodys, annas):
            gate.open()
        endpoint_embedder.answer_with()
    # The others come through as well; a part of them tells it, and nobody needs the rest.
    for document_id in many[SEEN_THROUGH:]:
        (await anna.http.delete(f"/documents/{document_id}")).raise_for_status()
    async with asyncio.timeout(480):
        while await states(anna) != {"READY": SEEN_THROUGH + 1}:
            await asyncio.sleep(0.5)


async def states(person: ApiClient) -> Counter[str]:
    """How many of a person's documents are in which state."""
    found: Counter[str] = Counter()
    cursor = ""
    while True:
        answer = await person.http.get("/documents", params={"limit": 200, "cursor": cursor})
        answer.raise_for_status()
        found.update(document["state"] for document in answer.json()["documents"])
        if not (cursor := answer.json()["next_cursor"] or ""):
            return found
