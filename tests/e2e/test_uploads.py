"""Uploads that need no parts, and how far one is, in the page."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.conftest import People
from tests.e2e.conftest import Visits
from tests.e2e.documents import PARTS, choose, payload, requests_of, row, upload

# Larger than what a challenge asks for whole, so that only ranges of it are read; nothing of the padding is indexed.
MANUAL = payload(
    "depot.html",
    b"<html><body><h1>Depot</h1><p>The depot at Zelvograd closes at 21:45 sharp.</p><!--"
    + bytes(48 + n % 75 for n in range(2_000_000))
    + b"--></body></html>",
)
HASHED_PIECE_BYTES = 4 << 20
"""So often the page's worker says how far it is (web/src/documents/upload/hash.worker.ts)."""
WORKER_HEARD_ON_DEMAND = """
const PlainWorker = window.Worker;
window.unheard = [];
window.Worker = class extends PlainWorker {
  addEventListener(type, listener) {
    super.addEventListener(type, type === "message" ? (event) => unheard.push(() => listener(event)) : listener);
  }
};
"""
PROOF = re.compile(r"/api/v1/uploads/[^/]+/proof$")


async def test_a_content_that_somebody_else_stored_is_taken_over_by_proof(visits: Visits, people: People) -> None:
    first, second = await people(), await people()
    original = await first.upload(MANUAL["name"], MANUAL["buffer"])
    assert (await first.settled(original))["state"] == "READY"
    async with visits(person=second) as visit:
        page = visit.page
        parts, proofs = requests_of(page, PARTS), requests_of(page, PROOF)
        await page.goto("/documents")
        await upload(page, {**MANUAL, "name": "mine.html"})
        tray = page.get_by_role("region", name="Uploads").get_by_role("listitem").filter(has_text="mine.html")
        await expect(tray.get_by_text("Taken over instantly")).to_be_visible(timeout=120_000)
        assert await visit.accessibility_faults() == []
        taken = row(page, "mine.html").or_(row(page, "Depot"))
        await expect(taken.get_by_text("Ready")).to_be_visible(timeout=120_000)
        await expect(taken.get_by_text("Instant", exact=True)).to_be_visible()
        assert (len(proofs), parts) == (1, [])
        await tray.get_by_role("button", name="Take mine.html off this list").click()
        await expect(page.get_by_role("region", name="Uploads")).to_have_count(0)
        await taken.get_by_role("link").click()
        await expect(page.get_by_text("taken over", exact=False).first).to_be_visible()
    [document] = (await second.http.get("/documents")).json()["documents"]
    assert document["id"] != original and document["instant"]


async def test_a_refused_proof_sends_the_parts_without_a_word(visits: Visits, people: People) -> None:
    first, second = await people(), await people()
    content = payload("other.html", MANUAL["buffer"] + b"<p>And one rule more.</p>")
    await first.settled(await first.upload("other.html", content["buffer"]))
    async with visits(person=second) as visit:
        visit.expected_statuses = {403}
        page = visit.page

        async def garble(route) -> None:  # type: ignore[no-untyped-def]
            await route.continue_(post_data={"digest": hashlib.sha256(b"something else").hexdigest()})

        await page.route(PROOF, garble)
        parts = requests_of(page, PARTS)
        await page.goto("/documents")
        await upload(page, content)
        await expect(row(page, "other.html").or_(row(page, "Depot")).get_by_text("Ready")).to_be_visible(
            timeout=120_000
        )
        await expect(page.get_by_role("alert")).to_have_count(0)
        assert len(parts) == 1
    [document] = (await second.http.get("/documents")).json()["documents"]
    assert document["sha256"] == hashlib.sha256(content["buffer"]).hexdigest()


async def test_hashing_shows_how_far_it_is(visits: Visits, person: ApiClient, tmp_path: Path) -> None:
    # From the disk: what is made up travels to the browser as text.
    big = tmp_path / "big.bin"
    big.write_bytes(bytes(4 * HASHED_PIECE_BYTES))
    async with visits(person=person) as visit:
        page = visit.page
        await page.add_init_script(WORKER_HEARD_ON_DEMAND)
        await page.goto("/documents")
        await choose(page, big)
        await page.get_by_role("dialog").get_by_role("button", name="Upload", exact=True).click()
        bar = page.get_by_role("region", name="Uploads").get_by_role("progressbar")
        # Hashing is the first fifth of an upload.
        for percent in ("0", "5", "10", "15"):
            await expect(bar).to_have_attribute("aria-valuenow", percent)
            await page.wait_for_function("() => unheard.length > 0")
            await page.evaluate("unheard.shift()()")
        await expect(bar).to_have_attribute("aria-valuenow", "20")
        await page.get_by_role("button", name="Cancel the upload of big.bin").click()
        await expect(page.get_by_role("region", name="Uploads")).to_have_count(0)
