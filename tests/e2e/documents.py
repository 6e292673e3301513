"""What one does on the pages of documents."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import FilePayload, Locator, Page, Request, Route

from tests.support.knowledge import Sample

PARTS = re.compile(r"/api/v1/uploads/[^/]+/parts/(\d+)$")
# Three parts; what makes it large is nothing that would be indexed.
LARGE: FilePayload = {
    "name": "large.html",
    "mimeType": "text/html",
    "buffer": b"<html><body><h1>Rates</h1><p>The day rate is 450 yuan.</p><!--"
    + b"x" * 12_000_000
    + b"--></body></html>",
}


def payload(file_name: str, content: bytes) -> FilePayload:
    return {"name": file_name, "mimeType": "application/octet-stream", "buffer": content}


def unknown(sample: Sample) -> FilePayload:
    """A file that nobody has uploaded yet, so that its parts must travel."""
    return payload(sample.file_name, sample.content + secrets.token_hex(8).encode())


async def choose(page: Page, *files: FilePayload | Path, button: str = "Upload files") -> None:
    """Chooses files in the browser's dialog, which the button opens; all of them made up, or all of them on the disk."""
    async with page.expect_file_chooser() as opened:
        await page.get_by_role("button", name=button).click()
    await (await opened.value).set_files(list(files))


async def upload(page: Page, *files: FilePayload) -> None:
    """Chooses files and uploads them without saying anything about them."""
    await choose(page, *files)
    await page.get_by_role("dialog").get_by_role("button", name=re.compile("^Upload")).click()


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


def requests_of(page: Page, pattern: re.Pattern[str]) -> list[Request]:
    """Fills with the requests whose address fits."""
    found: list[Request] = []
    page.on("request", lambda request: found.append(request) if pattern.search(request.url) else None)
    return found


@asynccontextmanager
async def held(page: Page, number: int) -> AsyncIterator[asyncio.Event]:
    """Holds one part back while the block runs; the event is set when it has come."""
    came, over = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        found = PARTS.search(route.request.url)
        if found and int(found[1]) == number:
            came.set()
            await over.wait()
            await route.abort()
        else:
            await route.continue_()

    await page.route(PARTS, hold)
    try:
        yield came
    finally:
        over.set()
        await page.unroute_all(behavior="ignoreErrors")
