"""Every screen in both themes, on a desk and on a phone: accessible, quiet, and no wider than the window.

SCREENSHOTS=folder keeps a picture of each.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from dev.api_client import ApiClient
from tests.conftest import HELPFUL
from tests.e2e.browser import DESKTOP, PHONE, Theme, Visit
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN, PDF
from tests.support.scripted_model import Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory

ANSWER = """The console of the object store listens on **port 9001**, the service itself on port 9000 [1].

### What to know

| Port | For | Changed by |
|---|---|---|
| 9000 | the service | operations |
| 9001 | the console | operations |

1. Changing a port needs the approval of operations [1].
2. A full backup runs every night at two and is kept for 30 days.

```python
client = Minio("127.0.0.1:9000", secure=False)
```

The yearly volume is $V = 365 \\times 1.5\\,\\mathrm{TB}$.
"""


@dataclass(frozen=True)
class Furnished:
    """Somebody who administers, with documents, a conversation and what belongs to it."""

    person: ApiClient
    document_id: str
    failed_document_id: str
    held_document_id: str
    story: TurnStory


@pytest.fixture(scope="module")
async def furnished(administrator: ApiClient, fleet_model: ScriptedModel) -> Furnished:
    document_id = await administrator.upload(MARKDOWN.file_name, MARKDOWN.content)
    failed = await administrator.upload("empty.pdf", b"%PDF-1.7 and then nothing that a reader knows")
    held = await administrator.upload("held.md", MARKDOWN.content + b"\n\nHeld.", review_strategy=True)
    await administrator.upload(PDF.file_name, PDF.content, domain_code="human-resources")
    for code, name, parent in (("company", "Company", None), ("engineering", "Engineering", "company")):
        tag = {"code": code, "name": name, "parent_code": parent}
        assert (await administrator.http.post("/admin/org-tags", json=tag)).status_code in (201, 409)
    domain = {"code": "operations", "name": "Operations", "description": "How our servers are run and backed up."}
    assert (await administrator.http.post("/admin/domains", json=domain)).status_code in (201, 409)
    assert (await administrator.settled(document_id))["state"] == "READY"
    assert (await administrator.settled(failed))["state"] == "FAILED"
    async with asyncio.timeout(120):
        while (await administrator.document(held)).get("waiting_reason") != "awaiting_strategy":
            await asyncio.sleep(0.1)
    fleet_model.answer_with(HELPFUL[0], Rule(Reply(text=ANSWER), purpose="answer"))
    story = TurnStory(await administrator.ask(MARKDOWN.question))
    return Furnished(administrator, document_id, failed, held, story)


THEMES: tuple[Theme, ...] = ("light", "dark")
WITHIN = ".content, .top-bar"
"""What is not the sidebar, whose conversations have buttons of their own."""
Opening = Callable[[Page], Awaitable[None]]


def at(address: str) -> Opening:
    async def opening(page: Page) -> None:
        await page.goto(address)

    return opening


def pressing(address: str, button: str) -> Opening:
    """Opens an address and then what a button there opens."""

    async def opening(page: Page) -> None:
        await page.goto(address)
        await page.locator(WITHIN).get_by_role("button", name=button).first.click()

    return opening


def screens(furnished: Furnished) -> dict[str, Opening]:
    """How to open each screen that somebody sees who is logged in."""
    chat = f"/chat/{furnished.story.conversation_id}"
    return {
        "chat-welcome": at("/chat"),
        "chat": at(chat),
        "chat-source": pressing(chat, "Show source 1"),
        "chat-details": pressing(chat, "How it was answered"),
        "chat-edit": pressing(chat, "Edit question"),
        "chat-memory": at(f"{chat}?beside=memory"),
        "documents": at("/documents"),
        "import-dialog": pressing("/documents", "Import from an address"),
        "document": at(f"/documents/{furnished.document_id}"),
        "document-edit": pressing(f"/documents/{furnished.document_id}", "Edit"),
        "document-again": pressing(f"/documents/{furnished.document_id}", "Process again"),
        "document-held": at(f"/documents/{furnished.held_document_id}"),
        "pieces": at(f"/documents/{furnished.document_id}/pieces?strategy=recursive"),
        "pieces-held": at(f"/documents/{furnished.held_document_id}/pieces"),
        "document-failed": at(f"/documents/{furnished.failed_document_id}"),
        "retrieval": at(f"/retrieval?q={MARKDOWN.question}"),
        "turns": at("/turns"),
        "turn": at(f"/turns/{furnished.story.turn_id}"),
        "settings": at("/settings"),
        "index": at("/admin/index"),
        "users": at("/admin/users"),
        "user-menu": pressing("/admin/users", "Actions for"),
        "org-tags": at("/admin/org-tags"),
        "org-tag-dialog": pressing("/admin/org-tags", "New tag"),
        "domains": at("/admin/domains"),
        "dead-letters": at("/admin/dead-letters"),
        "domain-dialog": pressing("/admin/domains", "New domain"),
        "no-such-page": at("/no-such-page"),
    }


async def looked_at(visit: Visit, name: str, opening: Opening) -> list[str]:
    """What is wrong with a screen, in either theme, a line each."""
    page = visit.page
    await opening(page)
    await expect(page.locator("main")).to_be_visible()
    await expect(page.locator("h1").first).to_be_attached()
    await expect(page.locator(".ant-skeleton, .ant-spin-spinning, .loading")).to_have_count(0)
    faults = await visit.accessibility_faults_in_both_themes()
    if sideways := await visit.sideways_pixels():
        faults.append(f"scrolls {sideways} px to the side")
    faults += visit.faults
    visit.faults.clear()
    if folder := os.environ.get("SCREENSHOTS"):
        await keep_pictures(visit, name, Path(folder))
    return [f"{name}: {fault}" for fault in faults]


async def keep_pictures(visit: Visit, name: str, folder: Path) -> None:
    page = visit.page
    width = page.viewport_size["width"] if page.viewport_size else 0
    await page.wait_for_load_state("networkidle")
    for theme in THEMES:
        await visit.show_in(theme)
        await page.screenshot(path=folder / f"{name}-{theme}-{width}.png")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_every_screen_is_accessible_quiet_and_no_wider_than_the_window(
    visits: Visits, furnished: Furnished, size: tuple[int, int]
) -> None:
    faults: list[str] = []
    async with visits(size=size) as visit:
        for name in ("login", "register"):
            faults += await looked_at(visit, name, at(f"/{name}"))
    async with visits(size=size, person=furnished.person) as visit:
        for name, opening in screens(furnished).items():
            faults += await looked_at(visit, name, opening)
        if size == PHONE:
            faults += await looked_at(visit, "menu", pressing("/chat", "Open menu"))
    assert not faults, "\n".join(faults)
