"""A document that was given up and is tried again, in the page."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

from playwright.async_api import expect

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.clock import now
from tests.e2e.browser import said_in_passing
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel

POLL_SECONDS = 0.1
# Not longer than a worker believes that a document waits.
AWAY = 45 * 1_000_000


async def test_what_was_given_up_is_delivered_again_by_an_administrator(
    visits_without_model: Visits,
    fleet_without_model: Fleet,
    person_without_model: ApiClient,
    endpoint_embedder: ScriptedModel,
) -> None:
    first = fleet_without_model.administrator
    assert first is not None
    owner = person_without_model
    endpoint_embedder.answer_with(Rule(Reply(failure=Failure("status", status=500)), endpoint="embeddings"))
    try:
        document_id = await owner.upload(MARKDOWN.file_name, MARKDOWN.content)
        tries = Tries(fleet_without_model.data_dir, document_id)
        await _tried(owner, document_id)
        async with tries.never_the_last(), visits_without_model(person=owner) as visit:
            await visit.page.goto(f"/documents/{document_id}")
            await expect(visit.page.get_by_text(re.compile(r"in \d+ s: The embedding service"))).to_be_visible()
        await tries.last()
        assert (await owner.settled(document_id))["state"] == "FAILED"
    finally:
        endpoint_embedder.answer_with()
    async with ApiClient(fleet_without_model.base_url) as root:
        await root.log_in(first.username, first.password)
        async with visits_without_model(person=root) as visit:
            page = visit.page
            await page.goto("/admin/dead-letters")
            letter = page.get_by_role("list", name="List of dead letters").get_by_role("listitem")
            letter = letter.filter(has_text=document_id)
            await expect(letter.get_by_role("heading")).to_contain_text("The embedding service")
            await expect(letter.get_by_role("link", name=document_id)).to_have_attribute(
                "href", f"/documents/{document_id}"
            )
            await letter.get_by_text("Content of the event").click()
            await expect(letter.locator("pre")).to_contain_text(document_id)
            assert await visit.accessibility_faults() == []
            async with page.expect_download() as download:
                await page.get_by_role("button", name="Export").click()
            exported = await asyncio.to_thread((await (await download.value).path()).read_text)
            assert document_id in exported

            await letter.get_by_role("button", name="Discard").click()
            question = page.get_by_role("dialog").filter(has_text="Discard this dead letter?")
            await question.get_by_role("button", name="Cancel").click()
            await expect(question).to_have_count(0)
            async with said_in_passing(page, "Delivered again."):
                await letter.get_by_role("button", name="Deliver again").click()
            await expect(letter).to_have_count(0)
    assert (await _ready(owner, document_id))["state"] == "READY"


async def _tried(owner: ApiClient, document_id: str) -> None:
    """Until a try has failed."""
    async with asyncio.timeout(120):
        while (await owner.document(document_id)).get("waiting_reason", "") in ("", "queued"):
            await asyncio.sleep(POLL_SECONDS)


async def _ready(owner: ApiClient, document_id: str) -> dict[str, object]:
    async with asyncio.timeout(120):
        while (document := await owner.document(document_id))["state"] != "READY":
            await asyncio.sleep(POLL_SECONDS)
    return document


class Tries:
    """How often a document was tried of five times, and when it is tried next: rewritten in the database."""

    def __init__(self, data_dir: Path, document_id: str) -> None:
        self._database = data_dir / "databases" / "ingestion.db"
        self._document_id = document_id

    @asynccontextmanager
    async def never_the_last(self) -> AsyncIterator[None]:
        """While the block runs, the next try is the second one and some time away, however long one looks."""

        over = asyncio.Event()

        async def put_off() -> None:
            while not over.is_set():
                await asyncio.to_thread(self._next, 1, now() + AWAY)
                with suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), 1)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(put_off())
            try:
                yield
            finally:
                # Not cancelled: what a thread still wrote would put off the last try, too.
                over.set()

    async def last(self) -> None:
        """Has the last try begin now."""
        while not await asyncio.to_thread(self._next, 4, 1):
            await asyncio.sleep(POLL_SECONDS)

    def _next(self, tried: int, at: int) -> bool:
        """The next try is at a time (microseconds), unless a worker is trying; says whether it is."""
        with closing(sqlite3.connect(self._database, timeout=30)) as connection, connection:
            changed = connection.execute(
                "UPDATE jobs SET attempts = ?, available_at = ? WHERE document_id = ? AND owner = ''",
                (tried, at, self._document_id),
            )
            return changed.rowcount == 1
