"""An upload during which the server goes away, in the page."""

from __future__ import annotations

import asyncio
import hashlib

from playwright.async_api import expect

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.e2e.browser import Visit
from tests.e2e.conftest import Visits
from tests.e2e.documents import LARGE, PARTS, held, requests_of, row, upload


async def test_an_upload_outlives_the_server_that_takes_it(
    visits_without_model: Visits, fleet_without_model: Fleet, person_without_model: ApiClient
) -> None:
    person = person_without_model
    async with visits_without_model(person=person) as visit:
        # What fails while nobody is there is tried again.
        visit.expected_statuses = {500, 502, 503, 504}
        visit.expected_errors = {"ERR_FAILED"}
        page = visit.page
        await page.goto("/documents")
        async with held(page, 1) as came:
            await upload(page, LARGE)
            async with asyncio.timeout(120):
                await came.wait()
            await arrived(visit, person, [0, 2])
            pid = fleet_without_model.kill("ingestion")
            await fleet_without_model.replaced("ingestion", pid)
            sent = requests_of(page, PARTS)
        await expect(row(page, "large").or_(row(page, "Rates")).get_by_text("Ready")).to_be_visible(timeout=120_000)
        assert {PARTS.search(request.url)[1] for request in sent} == {"1"}  # type: ignore[index]
        await expect(page.get_by_role("region", name="Uploads")).to_have_count(0)
    [document] = (await person.http.get("/documents")).json()["documents"]
    assert document["sha256"] == hashlib.sha256(LARGE["buffer"]).hexdigest()


async def arrived(visit: Visit, person: ApiClient, numbers: list[int]) -> None:
    """Waits until the server has these parts of the only upload of this tab."""
    kept = await visit.page.evaluate("JSON.parse(localStorage.getItem('superagent.uploads'))")
    [begun] = kept[person.user["id"]]
    async with asyncio.timeout(120):
        while (await person.http.get(f"/uploads/{begun['uploadId']}")).json()["parts_received"] != numbers:
            await asyncio.sleep(0.05)
