"""Answers and lists that would harm or freeze a careless page."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from playwright.async_api import expect

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.clock import now
from superagent_common.ids import new_id
from tests.e2e.chat import answered, ask, last_turn
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel

ATTACKS = """<script>window.attacked = 'script'</script>

<img src=x onerror="window.attacked = 'onerror'">

[a link](javascript:window.attacked='link') and [another](JaVaScRiPt&#58;window.attacked='entity')

[data](data:text/html,<script>alert(1)</script>) [vb](vbscript:msgbox(1))

![tracking](https://attacker.example/pixel.png) <iframe src="https://attacker.example/"></iframe>

<a href="https://attacker.example/" onclick="window.attacked = 'click'">press</a>

<style>body { display: none }</style> <svg onload="window.attacked = 'svg'"></svg>

$\\href{javascript:window.attacked='formula'}{x}$ $\\includegraphics{https://attacker.example/p.png}$

The end [1].
"""
LARGE_BYTES = 5_000_000
ANSWER_CHARACTERS = 20_000
CONVERSATIONS = 10_000


async def test_nothing_in_an_answer_runs_or_reaches_another_host(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(Rule(Reply(text=ATTACKS), purpose="answer"))
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text("The end")
        # Markup is shown as it was written, links lead only where links may.
        await expect(turn).to_contain_text("<script>")
        addresses = await turn.locator("a").evaluate_all("links => links.map((link) => link.href)")
        assert all(address.startswith(("https://attacker.example/", visit.base_url)) for address in addresses)
        assert await turn.locator("img, iframe, style, svg[onload], script").count() == 0
        for text in ("a link", "another", "press"):
            found = turn.get_by_text(text, exact=True)
            if await found.count() and not await found.locator("xpath=ancestor-or-self::a[@href]").count():
                await found.first.click()
        await page.reload()
        await expect(last_turn(page)).to_contain_text("The end")
        assert await page.evaluate("window.attacked === undefined")
        assert await visit.accessibility_faults() == []


async def test_a_model_that_does_not_end_is_left_at_the_limit_and_the_page_stays_usable(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    paragraph = "The **quick** brown fox jumps over `the` lazy dog, and so on for a while [1].\n\n"
    text = paragraph * (LARGE_BYTES // len(paragraph))
    model.answer_with(Rule(Reply(text=text, deltas=100, delay_seconds=0.02), purpose="answer"))
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        await expect(last_turn(page)).to_contain_text("quick")
        menu = page.get_by_role("button", name=reader.user["username"])
        leaving = page.get_by_role("menuitem", name="Log out")
        for _ in range(3):
            await menu.click()
            await expect(leaving).to_be_visible()
            await leaving.press("Escape")
            await expect(leaving).to_be_hidden()
        await answered(page, MARKDOWN.question)
        conversation_id = page.url.rsplit("/", 1)[1]
        await page.get_by_role("link", name="Activity").click()
        await expect(page.get_by_role("heading", level=1, name="Activity")).to_be_visible()
    stored = (await reader.http.get(f"/conversations/{conversation_id}/turns")).json()["turns"]
    # Ten characters for each of the 2,000 tokens that the model was granted, of five megabytes that it said.
    assert stored[-1]["finish_reason"] == "length"
    assert 0.99 * ANSWER_CHARACTERS < len(stored[-1]["answer"]) <= ANSWER_CHARACTERS


async def test_ten_thousand_conversations_scroll_as_ten_do(
    visits: Visits, fleet_with_model: Fleet, person: ApiClient
) -> None:
    begin = now()
    rows = [
        (new_id(), person.user["id"], f"Conversation {number}", "summary", begin, begin - number, 0)
        for number in range(CONVERSATIONS)
    ]
    with closing(sqlite3.connect(fleet_with_model.data_dir / "databases" / "memory.db", timeout=30)) as memory, memory:
        memory.executemany(
            "INSERT INTO conversations"
            " (conversation_id, user_id, title, strategy, created_at, updated_at, turns_total)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/chat")
        await expect(page.get_by_role("link", name="Conversation 0", exact=True)).to_be_visible()
        box = page.get_by_role("region", name="Conversations").locator(".windowed")
        for pages in (1, 2, 3):
            await box.evaluate("box => box.scrollTo(0, box.scrollHeight)")
            await expect(box.get_by_role("link", name=f"Conversation {pages * 100 - 1}", exact=True)).to_be_visible()
            await expect(box.get_by_role("listitem").first).to_have_attribute("aria-setsize", str((pages + 1) * 100))
        assert await box.get_by_role("listitem").count() < 100
        await box.get_by_role("link").last.click()
        await page.wait_for_url("**/chat/*")
