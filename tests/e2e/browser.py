"""A real Chromium that a test opens the page in, and what must never happen in it."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.async_api import Browser, ConsoleMessage, Page, Request, StorageState, async_playwright, expect

from dev.api_client import ApiClient

SESSION_KEY = "superagent.session"
"""Where the page keeps the session in localStorage (web/src/api/session.ts)."""
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pages live for seconds: to optimize their code takes longer than it saves, a fifth of the processor time.
    "--js-flags=--no-opt --no-maglev",
)
# The shell first: it draws the same without a window around it, with half of the processor time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Selectors and style sheets are work for nothing: the markup says where it is, and no rule that runs needs the sheets.
_AXE_OPTIONS: dict[str, Any] = {"resultTypes": ["violations"], "selectors": False, "preload": False}
_COLOURS: dict[str, Any] = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
_OWN_SCHEMES = ("data", "blob", "about")
# Chromium writes this for each answer of 400 and above; whether it was one the page should get, the test says.
_FAILED_LOAD = "Failed to load resource: the server responded with a status of "
_ANIMATIONS_OVER = """
Promise.all(
  document.getAnimations()
    .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
    .map((animation) => animation.finished.catch(() => undefined)),
)
"""

# Tables and code have boxes of their own, which may be wide.
_SIDEWAYS = """
Math.max(
  document.documentElement.scrollWidth - innerWidth,
  ...[...document.querySelectorAll(".content, .transcript, .side-panel-content, .ant-drawer-body, .ant-modal-wrap")]
    .map((box) => box.scrollWidth - box.clientWidth),
)
"""

_IN_PASSING = """
(words) => {
  const seen = { yet: false };
  const look = () => {
    const notices = [...document.querySelectorAll(".ant-message-notice")];
    seen.yet ||= notices.some((notice) => notice.textContent.includes(words));
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  look();
  return seen;
}
"""

PATIENCE_MS = 90_000
"""How long a test waits for what must come, in milliseconds."""
Theme = Literal["light", "dark"]
DESKTOP = (1280, 800)
PHONE = (390, 844)


def chromium_path() -> str | None:
    """The browser: CHROMIUM names it, else the first of the usual names on the path."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


@asynccontextmanager
async def chromium(executable: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=list(_FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def said_in_passing(page: Page, words: str) -> AsyncIterator[None]:
    """Waits, behind the block, until the page said this, also when it is gone again: such words stand for seconds."""
    seen = await page.evaluate_handle(_IN_PASSING, words)
    yield
    await page.wait_for_function("seen => seen.yet", arg=seen)


@dataclass
class Visit:
    """One person's browser profile with one tab (`page`); more with `another_tab`.

    `expected_statuses`: answers of 400 and above that the test provokes; any other is a fault.
    `expected_errors`: parts of what Chromium itself writes of that which the test provokes.
    """

    page: Page
    base_url: str
    theme: Theme
    expected_statuses: set[int] = field(default_factory=set)
    expected_errors: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Records console errors, exceptions, and requests that leave the product."""
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        page.on("request", self._on_request)

    async def sideways_pixels(self) -> int:
        """How far the page, or a box of it that scrolls, can be scrolled to the side; 0 is right."""
        return int(await self.page.evaluate(_SIDEWAYS))

    async def another_tab(self) -> Page:
        """A second tab of the same person."""
        page = await self.page.context.new_page()
        self.watch(page)
        return page

    async def accessibility_faults(self, page: Page | None = None, *, of_colours_alone: bool = False) -> list[str]:
        """What axe calls serious or critical on what is shown now, a line each; all of it, or of colours alone."""
        page = page or self.page
        if await page.evaluate("!window.axe"):
            await page.evaluate(_AXE.read_text())
        # Colours in the middle of a fade are nobody's.
        await page.evaluate(_ANIMATIONS_OVER)
        found: dict[str, Any] = await page.evaluate(
            "options => axe.run(document, options)", {**_AXE_OPTIONS, **(_COLOURS if of_colours_alone else {})}
        )
        return [
            f"{violation['id']} ({violation['impact']}): {node['html'][:160]}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    async def accessibility_faults_in_both_themes(self) -> list[str]:
        """As `accessibility_faults`, and what the colours of the other theme add, in which the page is afterwards.

        Nothing else that axe asks changes with the theme, which follows the system while the page is shown.
        """
        faults = await self.accessibility_faults()
        await self.show_in("light" if self.theme == "dark" else "dark")
        faults += [f"{self.theme}: {fault}" for fault in await self.accessibility_faults(of_colours_alone=True)]
        return faults

    async def show_in(self, theme: Theme) -> None:
        """Lets the system change to a theme, and waits until the page has followed and nothing fades any more."""
        await self.page.emulate_media(color_scheme=theme)
        await expect(self.page.locator("html")).to_have_attribute("data-theme", theme)
        self.theme = theme
        await self.page.evaluate(_ANIMATIONS_OVER)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        if message.text.startswith(_FAILED_LOAD):
            status = int(message.text.removeprefix(_FAILED_LOAD)[:3])
            if status in self.expected_statuses:
                return
        if any(part in message.text for part in self.expected_errors):
            return
        self.faults.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _on_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in _OWN_SCHEMES and f"{address.scheme}://{address.netloc}" != self.base_url:
            self.faults.append(f"request to another address: {request.url}")


@asynccontextmanager
async def visit(
    browser: Browser,
    base_url: str,
    *,
    theme: Theme = "light",
    size: tuple[int, int] = DESKTOP,
    locale: str = "en-US",
    person: ApiClient | None = None,
    session: Mapping[str, Any] | None = None,
) -> AsyncIterator[Visit]:
    """A fresh profile at `base_url`, with `person` logged in, or with a session as the page would have kept it.

    Raises AssertionError at the end when anything happened that never may.
    """
    if person:
        session = session_of(person)
    width, height = size
    context = await browser.new_context(
        base_url=base_url,
        color_scheme=theme,
        locale=locale,
        viewport={"width": width, "height": height},
        storage_state=_logged_in(base_url, session) if session else None,
        reduced_motion="reduce",
        # Whatever else the page would reach is refused by the closed network too; here it is counted.
        service_workers="block",
    )
    context.set_default_timeout(PATIENCE_MS)
    try:
        page = await context.new_page()
        visited = Visit(page, base_url.rstrip("/"), theme)
        visited.watch(page)
        yield visited
        assert not visited.faults, "\n".join(visited.faults)
    finally:
        await context.close()


def session_of(person: ApiClient) -> dict[str, Any]:
    """What the page keeps of somebody who logged in (web/src/api/session.ts)."""
    answer = person.session
    return {
        "accessToken": answer["access_token"],
        "refreshToken": answer["refresh_token"],
        "expiresAt": (time.time() + answer["expires_in"]) * 1000,
        "user": answer["user"],
    }


def _logged_in(base_url: str, session: Mapping[str, Any]) -> StorageState:
    kept = [{"name": SESSION_KEY, "value": json.dumps(session)}]
    return {"cookies": [], "origins": [{"origin": base_url.rstrip("/"), "localStorage": kept}]}  # type: ignore[typeddict-item]
