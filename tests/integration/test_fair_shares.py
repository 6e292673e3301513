"""One person's hundreds of files do not hold up another's one file (ING-12)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.scripted_model import Reply, Rule, ScriptedModel

MANY = 200
# Two workers need at least a hundred seconds for the many; what is to be seen takes a few.
SLOW_EMBEDDINGS = Rule(Reply(first_delay_seconds=1), endpoint="embeddings")


@pytest.fixture
async def two(fleet_without_model: Fleet) -> AsyncIterator[tuple[ApiClient, ApiClient]]:
    async with AsyncExitStack() as stack:
        first, second = [await stack.enter_async_context(ApiClient(fleet_without_model.base_url)) for _ in range(2)]
        yield await first.sign_up(), await second.sign_up()


async def test_one_file_is_ready_long_before_another_persons_many(
    two: tuple[ApiClient, ApiClient], endpoint_embedder: ScriptedModel
) -> None:
    anna, ben = two
    endpoint_embedder.answer_with(SLOW_EMBEDDINGS)
    try:
        long = await anna.upload("long.txt", b"\n\n".join(b"Paragraph %d is long. " % n * 30 for n in range(2_000)))
        at_once = asyncio.Semaphore(8)

        async def upload(number: int) -> str:
            async with at_once:
                return await anna.upload(f"small-{number}.txt", b"Small file number %d." % number)

        await asyncio.gather(*(upload(number) for number in range(MANY)))
        waiting = await states(anna)
        assert waiting["READY"] < MANY / 2
        before = waiting["READY"]

        bens = await ben.upload("one.txt", b"The one file of somebody else.")
        assert (await ben.settled(bens))["state"] == "READY"
        after = await states(anna)
        assert after["READY"] - before < MANY / 8
        assert after["READY"] < MANY / 2
        assert (await anna.document(long))["state"] not in ("READY", "FAILED")
    finally:
        endpoint_embedder.answer_with()
    # The others come through as well.
    async with asyncio.timeout(480):
        while (await states(anna))["READY"] < MANY + 1:
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
