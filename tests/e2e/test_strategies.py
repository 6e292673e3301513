"""How documents are cut, in the page: looked at before it is confirmed, and changed while the document answers."""

from __future__ import annotations

import re

from playwright.async_api import FilePayload, expect

from dev.api_client import ApiClient
from tests.conftest import People
from tests.e2e.browser import PHONE
from tests.e2e.conftest import Visits
from tests.e2e.documents import choose, payload, row
from tests.support.knowledge import MARKDOWN

RULES = "Every visitor of the depot at Zelvograd signs the book at gate {n}, wears a helmet and leaves before nine. "
# Enough for several passages of several pieces, below headings.
MANUAL: FilePayload = payload(
    "depot.md",
    "\n\n".join(f"# Gate {n}\n\n{RULES.format(n=n) * 18}" for n in range(1, 5)).encode(),
)


async def test_pieces_are_looked_at_and_another_strategy_is_confirmed_before_anything_is_searchable(
    visits: Visits, person: ApiClient
) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await choose(page, MANUAL)
        dialog = page.get_by_role("dialog", name="Upload 1 file")
        await dialog.get_by_label("Let me look at the pieces before it becomes searchable").check()
        await dialog.get_by_role("button", name="Upload", exact=True).click()
        held = row(page, "depot")
        await expect(held.get_by_text("Waits for you")).to_be_visible(timeout=120_000)
        assert await visit.accessibility_faults() == []
        [document] = (await person.http.get("/documents")).json()["documents"]
        assert not document["answering"]

        await held.get_by_role("link", name="Look and confirm").click()
        await page.wait_for_url("**/pieces")
        recommended = page.get_by_role("radio", name="by structure, then by length Recommended")
        await expect(recommended).to_be_checked()
        await expect(page.get_by_role("heading", name="Gate 3", level=3).first).to_be_visible()
        total = page.get_by_role("status").filter(has_text="pieces in")
        await expect(total).to_have_text(re.compile(r"\d+ pieces in \d+ passages"))
        assert await visit.accessibility_faults() == []

        async with page.expect_response(re.compile(r"/chunks\?strategy=recursive&")) as cut:
            await page.get_by_role("radio", name="by length Cuts between").check()
        assert (await (await cut.value).json())["strategy"] == "recursive"
        await expect(total).to_have_text(re.compile(r"^\d+ pieces in \d+ passages$"))
        await page.reload()
        await expect(page.get_by_role("radio", name="by length Cuts between")).to_be_checked()
        await expect(total).to_have_text(re.compile(r"^\d+ pieces in \d+ passages$"))
        pieces = int((await total.inner_text()).split()[0])
        await page.get_by_role("button", name="Cut it this way and index it").click()
        await page.wait_for_url(f"**/documents/{document['id']}")
        await expect(page.get_by_text("Ready", exact=True)).to_be_visible(timeout=120_000)
        await expect(
            page.get_by_text("You chose this; recommended was “by structure, then by length”.")
        ).to_be_visible()
    ready = await person.document(document["id"])
    assert (ready["strategy"], ready["chunks"]["children"]) == ("recursive", pieces)


async def test_a_document_that_answers_is_cut_again_after_a_question(visits: Visits, person: ApiClient) -> None:
    document_id = await person.upload(MANUAL["name"], MANUAL["buffer"])
    before = await person.settled(document_id)
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto(f"/documents/{document_id}")
        await page.get_by_role("link", name="Look at the pieces").click()
        await expect(page.get_by_text("This is how it is cut now.")).to_be_visible()
        await expect(page.get_by_role("button", name="Cut it again this way")).to_have_count(0)
        await page.get_by_role("radio", name="by length Cuts between").check()
        await expect(page.get_by_text(f"{before['chunks']['children']} now")).to_be_visible()
        await page.get_by_role("button", name="Cut it again this way").click()
        question = page.get_by_role("dialog").filter(has_text="Cut it again by length?")
        await expect(question).to_contain_text("Until the new version is ready, answers use the one of now.")
        await question.get_by_role("button", name="Cancel").click()
        await expect(question).to_have_count(0)
        assert (await person.document(document_id))["strategy"] == before["strategy"]
        await page.get_by_role("button", name="Cut it again this way").click()
        await question.get_by_role("button", name="Cut it again this way").click()
        await page.wait_for_url(f"**/documents/{document_id}")
        await expect(page.get_by_text("You chose this")).to_be_visible(timeout=120_000)
        await expect(page.get_by_text("Ready", exact=True)).to_be_visible(timeout=120_000)
    assert (await person.settled(document_id))["strategy"] == "recursive"


async def test_long_documents_are_looked_at_page_by_page_also_on_a_phone(visits: Visits, person: ApiClient) -> None:
    document_id = await person.upload("long.md", MANUAL["buffer"] * 4)
    await person.settled(document_id)
    async with visits(person=person, size=PHONE, locale="zh-CN") as visit:
        page = visit.page
        await page.goto(f"/documents/{document_id}/pieces")
        shown = page.locator(".piece")
        await expect(shown).to_have_count(40)
        assert await visit.sideways_pixels() == 0
        await page.get_by_role("button", name="加载更多").click()
        await expect(shown.nth(40)).to_be_attached()
        repeated = page.locator(".is-repeated").first
        await expect(repeated).to_contain_text("重复前文：")
        assert await visit.accessibility_faults() == []


async def test_pieces_are_their_owners_alone(visits: Visits, people: People) -> None:
    owner, reader = await people(), await people()
    document_id = await owner.upload(MARKDOWN.file_name, MARKDOWN.content, is_public=True)
    await owner.settled(document_id)
    failed = await reader.upload("broken.pdf", b"%PDF-1.7 but no more")
    assert (await reader.settled(failed))["state"] == "FAILED"
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto(f"/documents/{document_id}")
        await expect(page.get_by_role("heading", name="Strategy", exact=True)).to_be_visible()
        await expect(page.get_by_role("link", name="Look at the pieces")).to_have_count(0)
        await expect(page.get_by_role("button", name="Process again")).to_have_count(0)
        await expect(page.get_by_role("button", name="Edit")).to_have_count(0)
        await page.goto(f"/documents/{document_id}/pieces")
        await expect(page.get_by_role("heading", name="Only the owner sees the pieces")).to_be_visible()
        await page.goto(f"/documents/{failed}/pieces")
        await expect(page.get_by_role("heading", name="There is no text to cut")).to_be_visible()
    # Everybody of this fleet would find it.
    (await owner.http.delete(f"/documents/{document_id}")).raise_for_status()
