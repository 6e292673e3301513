"""What becomes of documents that are there already: edited, processed again, given up and tried again, in the page."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from pathlib import Path

from playwright.async_api import expect

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.conftest import People
from tests.e2e.chat import answered, ask
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel

POLL_SECONDS = 0.1


async def test_title_tags_and_readers_are_changed_and_hold_at_once(visits: Visits, people: People) -> None:
    owner, reader = await people(), await people()
    document_id = await owner.upload(MARKDOWN.file_name, MARKDOWN.content)
    await owner.settled(document_id)
    own_title = (await owner.document(document_id))["title"]
    assert (await reader.http.get(f"/documents/{document_id}")).status_code == 404
    async with visits(person=owner) as visit:
        page = visit.page
        await page.goto(f"/documents/{document_id}")
        await page.get_by_role("button", name="Edit", exact=True).click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Title").fill("Store manual")
        await dialog.get_by_label("Tags").fill("operations")
        await page.keyboard.press("Enter")
        await dialog.get_by_label("Who can read it").click()
        await page.get_by_title("Everybody").click()
        assert await visit.accessibility_faults() == []
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        await expect(page.get_by_role("heading", name="Store manual", level=1)).to_be_visible()
        facts = page.get_by_role("complementary", name="About this document")
        for shown in ("operations", "Everybody"):
            await expect(facts.get_by_text(shown, exact=True)).to_be_visible()
        found = (await reader.http.post("/retrieval/search", json={"question": MARKDOWN.question})).json()
        assert found["evidence"][0]["title"] == "Store manual"

        await page.get_by_role("button", name="Edit", exact=True).click()
        await dialog.get_by_label("Title").fill("")
        await dialog.get_by_label("Who can read it").click()
        await page.get_by_title("Only me").click()
        await dialog.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("heading", name=own_title, level=1)).to_be_visible()
    found = (await reader.http.post("/retrieval/search", json={"question": MARKDOWN.question})).json()
    assert found["evidence"] == []


async def test_a_document_is_processed_again_while_it_goes_on_answering(
    visits: Visits, person: ApiClient, model: ScriptedModel
) -> None:
    document_id = await person.upload(MARKDOWN.file_name, MARKDOWN.content)
    before = await person.settled(document_id)
    async with visits(person=person) as visit:
        page, chat = visit.page, await visit.another_tab()
        await page.goto(f"/documents/{document_id}")
        await page.get_by_role("button", name="Process again").click()
        question = page.get_by_role("dialog").filter(has_text="again?")
        await expect(question).to_contain_text("Until the new version is ready, answers use the one of now.")
        await question.get_by_role("button", name="Process again").click()
        await expect(page.get_by_text("It is being processed again.")).to_be_visible()
        await chat.goto("/chat")
        await ask(chat, MARKDOWN.question)
        turn = await answered(chat, MARKDOWN.question)
        await expect(turn.get_by_role("button", name="Show source 1").first).to_be_visible()
        await expect(page.get_by_role("button", name="Process again")).to_be_visible(timeout=120_000)
        await expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    after = await person.document(document_id)
    assert (after["state"], after["chunks"]) == ("READY", before["chunks"])
    assert after["updated_at"] > before["updated_at"]


async def test_the_list_finds_what_waits_for_its_owner(visits: Visits, person: ApiClient) -> None:
    await person.settled(await person.upload("ready.md", b"# Ready\n\nIt asks nobody.\n"))
    held = await person.upload("held.md", b"# Held\n\nIt waits for somebody.\n", review_strategy=True)
    await _waits_for(person, held, "awaiting_strategy")
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await expect(page.get_by_role("link", name="Ready", exact=True)).to_be_visible()
        await page.locator(".ant-segmented").get_by_text("Waits for you").click()
        await expect(page.get_by_role("link", name="Ready", exact=True)).to_have_count(0)
        await expect(page.get_by_role("link", name="Held", exact=True)).to_be_visible()
        await page.reload()
        await expect(page.get_by_role("link", name="Held", exact=True)).to_be_visible()
        await page.get_by_role("link", name="Look and confirm").click()
        await expect(page).to_have_url(re.compile(f"/documents/{held}/pieces"))


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
        await _tried(owner, document_id)
        async with visits_without_model(person=owner) as visit:
            await visit.page.goto(f"/documents/{document_id}")
            await expect(visit.page.get_by_text(re.compile(r"in \d+ s: The embedding service"))).to_be_visible()
        await asyncio.to_thread(_make_it_the_last_try, fleet_without_model.data_dir, document_id)
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
            await letter.get_by_role("button", name="Deliver again").click()
            await expect(page.get_by_text("Delivered again.")).to_be_visible()
            await expect(letter).to_have_count(0)
    assert (await _ready(owner, document_id))["state"] == "READY"


async def _tried(owner: ApiClient, document_id: str) -> None:
    """Until a try has failed."""
    async with asyncio.timeout(120):
        while (await owner.document(document_id)).get("waiting_reason", "") in ("", "queued"):
            await asyncio.sleep(POLL_SECONDS)


async def _waits_for(owner: ApiClient, document_id: str, reason: str) -> None:
    async with asyncio.timeout(120):
        while (await owner.document(document_id)).get("waiting_reason") != reason:
            await asyncio.sleep(POLL_SECONDS)


async def _ready(owner: ApiClient, document_id: str) -> dict[str, object]:
    async with asyncio.timeout(120):
        while (document := await owner.document(document_id))["state"] != "READY":
            await asyncio.sleep(POLL_SECONDS)
    return document


def _make_it_the_last_try(data_dir: Path, document_id: str) -> None:
    """The five tries take a minute and a half: this is the fifth, and due now."""
    with sqlite3.connect(data_dir / "databases" / "ingestion.db", timeout=30) as connection:
        connection.execute("UPDATE jobs SET attempts = 4, available_at = 1 WHERE document_id = ?", (document_id,))
    connection.close()
