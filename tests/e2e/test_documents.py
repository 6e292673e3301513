"""Documents in the page: uploading, what becomes of them, and what a bad line or a reload does."""

from __future__ import annotations

import asyncio

from playwright.async_api import FilePayload, Route, expect

from dev.api_client import ApiClient
from tests.conftest import People
from tests.e2e.browser import PHONE, said_in_passing
from tests.e2e.conftest import Visits
from tests.e2e.documents import LARGE, PARTS, choose, held, payload, row, unknown, upload
from tests.support.knowledge import MARKDOWN, PDF

EMPTY: FilePayload = {"name": "empty.txt", "mimeType": "text/plain", "buffer": b""}
MISNAMED: FilePayload = {
    "name": "invoice.pdf",
    "mimeType": "application/pdf",
    "buffer": b"\x89PNG\r\n\x1a\n" + bytes(64),
}


async def test_a_new_person_is_told_what_to_do_first_and_uploads_a_file_that_becomes_searchable(
    visits: Visits, person: ApiClient
) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
        await expect(page.get_by_text("PDF, Word, PowerPoint")).to_be_visible()
        await choose(page, payload(PDF.file_name, PDF.content), payload(MARKDOWN.file_name, MARKDOWN.content))
        dialog = page.get_by_role("dialog", name="Upload 2 files")
        await dialog.get_by_label("Domain").fill("hr")
        await dialog.get_by_label("Tags").fill("handbook")
        await dialog.get_by_label("Tags").press("Enter")
        await dialog.get_by_role("button", name="Leave out minio.md").click()
        await page.get_by_role("dialog", name="Upload 1 file").get_by_role("button", name="Upload", exact=True).click()
        uploaded = row(page, PDF.file_name.removesuffix(".pdf"))
        await expect(uploaded.get_by_text("Ready")).to_be_visible(timeout=120_000)
        for shown in ("hr", "handbook", "Only me", "3 pages"):
            await expect(uploaded.get_by_text(shown, exact=True)).to_be_visible()
        [document] = (await person.http.get("/documents")).json()["documents"]
        assert (document["domain_code"], document["tags"]) == ("hr", ["handbook"])
        await uploaded.get_by_role("link").click()
        await page.wait_for_url(f"**/documents/{document['id']}")
        for stage in ("Upload", "Read", "Choose a strategy", "Cut into passages", "Index"):
            await expect(
                page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=stage))
            ).to_contain_text("Done")
        await expect(page.get_by_role("list").filter(has_text="Searchable.")).to_be_visible()


async def test_files_dropped_anywhere_on_the_page_are_uploaded(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
        dragged = await page.evaluate_handle(
            """([name, text]) => {
                const dragged = new DataTransfer();
                dragged.items.add(new File([text], name));
                return dragged;
            }""",
            [MARKDOWN.file_name, MARKDOWN.content.decode()],
        )
        await page.dispatch_event("nav", "dragenter", {"dataTransfer": dragged})
        await expect(page.get_by_text("Drop to upload")).to_be_visible()
        await page.dispatch_event("nav", "drop", {"dataTransfer": dragged})
        await expect(page.get_by_text("Drop to upload")).to_have_count(0)
        await page.get_by_role("dialog").get_by_role("button", name="Upload", exact=True).click()
        await expect(row(page, "minio").get_by_text("Ready")).to_be_visible(timeout=120_000)


async def test_a_file_that_cannot_be_read_says_why_and_what_to_do(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await upload(page, EMPTY, MISNAMED)
        await expect(row(page, "empty").get_by_text("The file is empty.")).to_be_visible(timeout=120_000)
        await expect(row(page, "invoice").get_by_text("does not fit its content")).to_be_visible(timeout=120_000)
        await row(page, "invoice").get_by_role("link").click()
        failure = page.get_by_role("alert").filter(has_text="The file's ending does not fit its content.")
        await expect(failure).to_contain_text("What to do: Make sure it is the right file")
        await expect(failure).to_contain_text("PNG picture")


async def test_an_upload_goes_on_after_a_reload_and_sends_only_what_is_missing(
    visits: Visits, person: ApiClient
) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        async with held(page, 1) as came:
            await upload(page, LARGE)
            async with asyncio.timeout(120):
                await came.wait()
            await expect(page.get_by_text("of 11.4 MB")).to_be_visible()
            kept = await page.evaluate("JSON.parse(localStorage.getItem('superagent.uploads'))")
            [begun] = kept[person.user["id"]]
            async with asyncio.timeout(120):
                while (await person.http.get(f"/uploads/{begun['uploadId']}")).json()["parts_received"] != [0, 2]:
                    await asyncio.sleep(0.05)
            await page.reload()
        sent: list[int] = []
        page.on("request", lambda request: sent.extend(int(found[1]) for found in PARTS.finditer(request.url)))
        await expect(page.get_by_role("region", name="Uploads").get_by_text("large.html")).to_be_visible()
        await expect(page.get_by_text("This was interrupted.")).to_be_visible()
        again = "Go on with large.html"
        async with said_in_passing(page, "That is not the same file"):
            await choose(page, EMPTY, button=again)
        await choose(page, LARGE, button=again)
        await expect(row(page, "large").or_(row(page, "Rates")).get_by_text("Ready")).to_be_visible(timeout=120_000)
        assert sent == [1]
        await expect(page.get_by_text("This was interrupted.")).to_have_count(0)
        assert len((await person.http.get("/documents")).json()["documents"]) == 1


async def test_a_broken_line_delays_an_upload_and_does_not_end_it(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        # Chromium itself reports the request that the test breaks.
        visit.expected_errors = {"ERR_CONNECTION_RESET"}
        page = visit.page
        await page.goto("/documents")
        broken = 0

        async def break_once(route: Route) -> None:
            nonlocal broken
            broken += 1
            await (route.abort("connectionreset") if broken == 1 else route.continue_())

        await page.route(PARTS, break_once)
        await upload(page, unknown(MARKDOWN))
        await expect(row(page, "minio").get_by_text("Ready")).to_be_visible(timeout=120_000)
        assert broken == 2


async def test_an_upload_that_is_cancelled_makes_no_document_and_is_not_offered_again(
    visits: Visits, person: ApiClient
) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        async with held(page, 0) as came:
            await upload(page, unknown(MARKDOWN))
            async with asyncio.timeout(120):
                await came.wait()
            await page.get_by_role("button", name="Cancel the upload of minio.md").click()
            await expect(page.get_by_role("region", name="Uploads")).to_have_count(0)
        await page.reload()
        await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
        await expect(page.get_by_text("This was interrupted.")).to_have_count(0)


async def test_a_document_is_deleted_after_a_question(visits: Visits, person: ApiClient) -> None:
    kept = await person.upload("kept.md", b"# Kept\n\nThis stays.")
    for each in (kept, await person.upload("gone.md", b"# Gone\n\nThis goes.")):
        await person.settled(each)
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await page.get_by_role("button", name="Delete Gone").click()
        question = page.get_by_role("dialog").filter(has_text="Delete “Gone”?")
        await question.get_by_role("button", name="Cancel").click()
        await expect(question).to_have_count(0)
        await expect(row(page, "Gone")).to_be_visible()
        await page.get_by_role("button", name="Delete Gone").click()
        async with said_in_passing(page, "“Gone” is deleted."):
            await question.get_by_role("button", name="Delete").click()
        await expect(row(page, "Gone")).to_have_count(0)
        assert [each["id"] for each in (await person.http.get("/documents")).json()["documents"]] == [kept]
        await page.get_by_role("link", name="Kept").click()
        # The list has a button of this name, too.
        await expect(page.get_by_role("heading", level=1, name="Kept")).to_be_visible()
        await page.get_by_role("button", name="Delete Kept").click()
        last = page.get_by_role("dialog").filter(has_text="Delete “Kept”?")
        await last.get_by_role("button", name="Delete").click()
        await page.wait_for_url("**/documents")
        await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()


async def test_the_list_is_narrowed_by_words_and_state_and_the_address_keeps_it(
    visits: Visits, person: ApiClient
) -> None:
    for name, content in (
        ("leave.md", b"# Leave\n\n27 days."),
        ("travel.md", b"# Travel\n\nBy train."),
        ("void.md", b""),
    ):
        await person.settled(await person.upload(name, content))
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await expect(page.get_by_role("row")).to_have_count(4)
        await page.get_by_label("Find by title or file name").fill("LEAV")
        await expect(page.get_by_role("row")).to_have_count(2)
        await expect(row(page, "Leave")).to_be_visible()
        await page.reload()
        await expect(page.get_by_label("Find by title or file name")).to_have_value("LEAV")
        await expect(page.get_by_role("row")).to_have_count(2)
        await page.get_by_text("Failed", exact=True).click()
        await expect(page.get_by_role("heading", name="No document fits")).to_be_visible()
        await page.get_by_role("main").get_by_role("button", name="Clear filters").click()
        await expect(page.get_by_role("row")).to_have_count(4)
        await page.goto("/documents?state=failed")
        await expect(row(page, "void")).to_be_visible()
        await expect(page.get_by_role("row")).to_have_count(2)


async def test_a_strangers_document_looks_like_one_that_does_not_exist(visits: Visits, people: People) -> None:
    owner, stranger = await people(), await people()
    document_id = await owner.upload(MARKDOWN.file_name, MARKDOWN.content)
    async with visits(person=stranger) as visit:
        visit.expected_statuses = {404}
        for each in (document_id, "0193a000-0000-7000-8000-000000000000"):
            await visit.page.goto(f"/documents/{each}")
            await expect(visit.page.get_by_role("heading", name="There is no such document.")).to_be_visible()
            await expect(visit.page.get_by_text("minio")).to_have_count(0)


async def test_a_phone_shows_cards_in_chinese_and_takes_uploads(visits: Visits, person: ApiClient) -> None:
    await person.settled(await person.upload("empty.txt", b""))
    async with visits(person=person, size=PHONE, locale="zh-CN") as visit:
        page = visit.page
        await page.goto("/documents")
        card = page.get_by_role("list", name="文档列表").get_by_role("listitem").filter(has_text="empty")
        await expect(card.get_by_text("文件是空的，没有任何内容。")).to_be_visible()
        await choose(page, payload(MARKDOWN.file_name, MARKDOWN.content), button="上传文件")
        await expect(page.get_by_role("dialog", name="上传 1 个文件")).to_be_visible()
        assert await visit.sideways_pixels() == 0
        await page.get_by_role("dialog").get_by_role("button", name="开始上传").click()
        uploaded = page.get_by_role("list", name="文档列表").get_by_role("listitem").filter(has_text="对象存储手册")
        await expect(uploaded.get_by_text("可检索")).to_be_visible(timeout=120_000)
        assert await visit.sideways_pixels() == 0
        await uploaded.get_by_role("link").click()
        await expect(page.get_by_text("已可检索。")).to_be_visible()
        assert await visit.sideways_pixels() == 0


async def test_everybody_can_use_the_screens_of_documents(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
        assert await visit.accessibility_faults_in_both_themes() == []
        await choose(page, unknown(MARKDOWN), EMPTY)
        await expect(page.get_by_role("dialog")).to_be_visible()
        assert await visit.accessibility_faults_in_both_themes() == []
        await page.get_by_role("dialog").get_by_role("button", name="Upload 2 files").click()
        for text in ("Ready", "Failed"):
            await expect(page.get_by_role("row").get_by_text(text)).to_be_visible(timeout=120_000)
        assert await visit.accessibility_faults_in_both_themes() == []
        for title in ("empty", "对象存储手册"):
            await page.goto("/documents")
            await page.get_by_role("link", name=title).click()
            await expect(page.get_by_role("heading", name="Log")).to_be_visible()
            await expect(page.get_by_text("Uploaded.")).to_be_visible()
            assert await visit.accessibility_faults_in_both_themes() == []
