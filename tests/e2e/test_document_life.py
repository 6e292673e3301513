"""What becomes of documents that are there already: edited and processed again, in the page."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.conftest import People
from tests.e2e.browser import said_in_passing
from tests.e2e.chat import answered, ask
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import ScriptedModel

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
        await dialog.get_by_label("Tags").press("Enter")
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
        async with said_in_passing(page, "It is being processed again."):
            await question.get_by_role("button", name="Process again").click()
        await chat.goto("/chat")
        await ask(chat, MARKDOWN.question)
        turn = await answered(chat, MARKDOWN.question)
        await expect(turn.get_by_role("button", name="Show source 1").first).to_be_visible()
        await expect(page.get_by_role("button", name="Process again")).to_be_visible(timeout=120_000)
        await expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    after = await person.settled(document_id)
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


async def _waits_for(owner: ApiClient, document_id: str, reason: str) -> None:
    async with asyncio.timeout(120):
        while (await owner.document(document_id)).get("waiting_reason") != reason:
            await asyncio.sleep(POLL_SECONDS)
