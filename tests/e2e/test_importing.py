"""Addresses that are imported as documents, in the page."""

from __future__ import annotations

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.e2e.conftest import Visits
from tests.e2e.documents import row
from tests.support.http_origin import Origin
from tests.support.http_origin import page as answer

PAGE = b"<!doctype html><title>Opening hours</title><h1>Opening hours</h1><p>The depot at Quornby opens at 5:40.</p>"


async def test_an_address_is_fetched_and_becomes_searchable(visits: Visits, person: ApiClient, web: Origin) -> None:
    web.answers["/hours"] = answer(PAGE, content_type="text/html; charset=utf-8")
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await page.get_by_role("button", name="Import from an address").click()
        dialog = page.get_by_role("dialog", name="Import from an address")
        address = dialog.get_by_label("Address")
        await address.fill("ftp://127.0.0.7/hours")
        await address.press("Enter")
        await expect(dialog.get_by_text("Type a whole address that begins with http:// or https://")).to_be_visible()
        assert await visit.accessibility_faults() == []
        await address.fill(f"http://127.0.0.7:{web.port}/hours")
        await dialog.get_by_label("Tags").fill("web")
        await dialog.get_by_label("Tags").press("Enter")
        await dialog.get_by_role("button", name="Import", exact=True).click()
        await expect(dialog).to_have_count(0)
        fetched = row(page, "Opening hours")
        await expect(fetched.get_by_text("Ready")).to_be_visible(timeout=120_000)
        for shown in (f"From 127.0.0.7:{web.port}", "web"):
            await expect(fetched.get_by_text(shown, exact=True)).to_be_visible()
        await fetched.get_by_role("link").click()
        source = page.get_by_role("complementary", name="About this document").get_by_role("link")
        await expect(source).to_have_attribute("href", f"http://127.0.0.7:{web.port}/hours")


async def test_an_address_that_gives_nothing_says_why_and_what_to_do(
    visits: Visits, person: ApiClient, web: Origin
) -> None:
    web.answers["/gone"] = answer(PAGE, "404 Not Found", content_type="text/html")
    for path in (f"127.0.0.7:{web.port}/gone", f"127.0.0.1:{web.port}/hours"):
        accepted = await person.http.post("/documents/import", json={"url": f"http://{path}"})
        await person.settled(accepted.json()["document_id"])
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await expect(page.get_by_role("row").get_by_text("may not be fetched")).to_be_visible()
        gone = page.get_by_role("row").filter(has_text="did not hand out")
        await gone.get_by_role("link").first.click()
        failure = page.get_by_role("alert").filter(has_text="The other server did not hand out this content.")
        await expect(failure).to_contain_text("What to do: Open the address in a browser")
        await expect(failure).to_contain_text("404")
        assert await visit.accessibility_faults() == []


async def test_what_the_server_refuses_is_said_in_the_dialog_and_nothing_typed_is_lost(
    visits: Visits, person: ApiClient
) -> None:
    long = "https://example.org/" + "a" * 2500
    async with visits(person=person) as visit:
        visit.expected_statuses = {400}
        page = visit.page
        await page.goto("/documents")
        await page.get_by_role("button", name="Import from an address").click()
        dialog = page.get_by_role("dialog", name="Import from an address")
        await dialog.get_by_label("Address").fill(long)
        await dialog.get_by_role("button", name="Import", exact=True).click()
        await expect(dialog.get_by_role("alert")).to_contain_text("This address cannot be fetched.")
        await expect(dialog.get_by_label("Address")).to_have_value(long)
