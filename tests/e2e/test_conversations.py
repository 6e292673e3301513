"""Conversations in the page: found, renamed, exported, deleted, what they remember; and what a turn's plan says of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.async_api import Page, expect

from dev.api_client import ApiClient
from tests.e2e.browser import PHONE
from tests.e2e.chat import answered, ask, last_turn, open_account_menu
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory

QUEUED_TURN = """
const plainFetch = window.fetch;
const said = [["accepted", {conversation_id: "CONVERSATION"}], ["queued", {position: 3, model: "strong-model"}]];
const frames = said.map(([name, fields], index) => {
  const data = JSON.stringify({turn_id: "t", sequence: index + 1, at: "", ...fields});
  return `id: ${index + 1}\\nevent: ${name}\\ndata: ${data}\\n\\n`;
});
window.fetch = async (request, ...more) => {
  if (!request.url.endsWith("/api/v1/chat")) return plainFetch(request, ...more);
  const start = (controller) => controller.enqueue(new TextEncoder().encode(frames.join("")));
  return new Response(new ReadableStream({start}), {headers: {"content-type": "text/event-stream"}});
};
"""


async def choose(page: Page, title: str, entry: str) -> None:
    """Chooses an entry of a conversation's menu in the list."""
    row = page.get_by_role("region", name="Conversations").get_by_role("button", name=f"Actions for “{title}”")
    await row.press("Enter")
    await page.get_by_role("menuitem", name=entry).click()


async def titled(person: ApiClient, title: str, question: str = "Hello") -> TurnStory:
    """A conversation of this title with one turn."""
    story = TurnStory(await person.ask(question))
    await person.http.patch(f"/conversations/{story.conversation_id}", json={"title": title})
    return story


async def test_a_conversation_is_found_by_title_or_text_renamed_and_deleted(visits: Visits, person: ApiClient) -> None:
    await titled(person, "Ports of the store", "Hello there, Zanzibar")
    await titled(person, "Holidays")
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/chat")
        conversations = page.get_by_role("region", name="Conversations")
        links = conversations.get_by_role("link")
        await expect(links).to_have_text(["Holidays", "Ports of the store"])
        search = conversations.get_by_label("Search conversations")
        await search.fill("zanzibar")
        await expect(links).to_have_text(["Ports of the store"])
        await expect(conversations.get_by_role("status")).to_have_text("1 conversation found")
        await search.fill("nothing like it")
        await expect(conversations.get_by_text("No conversation matches.")).to_be_visible()
        await search.press("Escape")
        await expect(links).to_have_count(2)

        await choose(page, "Holidays", "Rename")
        title = page.get_by_role("dialog").get_by_label("Title")
        await expect(title).to_be_focused()
        await title.fill("Days off")
        await title.press("Enter")
        await expect(links).to_have_text(["Days off", "Ports of the store"])

        await links.first.click()
        await expect(page.get_by_role("heading", level=1, name="Days off")).to_be_visible()
        await choose(page, "Days off", "Delete")
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await page.wait_for_url("**/chat")
        await expect(links).to_have_text(["Ports of the store"])


async def test_a_conversation_is_exported_as_a_file(visits: Visits, person: ApiClient, tmp_path: Path) -> None:
    story = await titled(person, 'Ports: "old/new"', "Hello there")
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto(f"/chat/{story.conversation_id}")
        for entry, suffix in (("Export as Markdown", "md"), ("Export as JSON", "json")):
            async with page.expect_download() as exporting:
                await choose(page, 'Ports: "old/new"', entry)
            download = await exporting.value
            assert download.suggested_filename == f"Ports old new.{suffix}"
            kept = tmp_path / suffix
            await download.save_as(kept)
            content = kept.read_text()
            assert "Hello there" in content
            assert suffix == "md" or json.loads(content)


async def test_a_conversation_is_compressed_now_and_shows_what_it_remembers(
    visits: Visits, person: ApiClient, model: ScriptedModel
) -> None:
    first = await titled(person, "A long one", "My name is Zoe and the budget is 4711 euro.")
    for number in range(5):
        await person.ask(f"Hello once more, number {number}", first.conversation_id)
    async with visits(person=person, size=PHONE) as visit:
        page = visit.page
        await page.goto(f"/chat/{first.conversation_id}")
        await page.get_by_role("main").get_by_role("button", name="Memory", exact=True).click()
        memory = page.get_by_role("dialog", name="Memory of this conversation")
        await memory.get_by_role("button", name="Compress now").click()
        await expect(memory.get_by_text(re.compile("covers the first"))).to_be_visible()
        await expect(memory.get_by_text("4711").first).to_be_visible()
        assert await visit.sideways_pixels() == 0
        assert await visit.accessibility_faults() == []
        # It cannot be pressed until the server has answered.
        nothing = memory.get_by_role("radio", name=re.compile("Nothing"))
        await nothing.click()
        await expect(nothing).to_be_checked()
        await expect(nothing).to_be_enabled()
    kept = (await person.http.get(f"/conversations/{first.conversation_id}")).json()
    assert kept["memory_strategy"] == "NONE"


async def test_a_summary_that_was_made_after_the_turns_is_drawn_by_itself(
    visits: Visits, person: ApiClient, model: ScriptedModel
) -> None:
    first = await titled(person, "A long one", "My name is Zoe and the budget is 4711 euro.")
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto(f"/chat/{first.conversation_id}?beside=memory")
        memory = page.get_by_role("complementary", name="Memory of this conversation")
        await expect(memory.get_by_text("There is no summary yet.")).to_be_visible()
        # More than sixteen messages; the open panel is told nothing.
        for number in range(9):
            await person.ask(f"Hello once more, number {number}", first.conversation_id)
        await expect(memory.get_by_text(re.compile("covers the first"))).to_be_visible()
        await expect(memory.get_by_text("4711").first).to_be_visible()
        assert await visit.accessibility_faults() == []


async def test_what_is_remembered_of_a_person_is_theirs_to_switch_see_and_delete(
    visits: Visits, person: ApiClient
) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/chat")
        await open_account_menu(page, person.session["user"]["username"])
        await page.get_by_role("menuitem", name="Settings").click()
        await page.get_by_role("switch", name="Use it in later conversations").click()
        await expect(page.get_by_role("switch")).to_be_checked()
        for text in ("I work in Shanghai.", "Answer briefly."):
            await page.get_by_label("What to remember").fill(text)
            await page.get_by_label("What to remember").press("Enter")
            await expect(page.get_by_role("list", name="What is remembered").get_by_text(text)).to_be_visible()
        assert await visit.accessibility_faults() == []
        await page.get_by_role("button", name="Forget “Answer briefly.”").click()
        await expect(page.get_by_text("Answer briefly.")).to_have_count(0)
        await page.reload()
        await expect(page.get_by_text("I work in Shanghai.")).to_be_visible()
        await page.get_by_role("button", name="Forget everything").click()
        await page.get_by_role("dialog").get_by_role("button", name="Forget everything").click()
        await expect(page.get_by_text("Nothing is remembered yet.")).to_be_visible()
    assert (await person.http.get("/me/memory")).json() == {"enabled": True, "items": []}


async def test_the_plan_stands_with_the_answer_and_after_a_reload(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    question = "MinIO 的管理控制台端口是多少,以及备份保留多少天?"
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, question)
        turn = await answered(page, question)
        for _ in range(2):
            line = turn.locator("summary").first
            await expect(line).to_contain_text("Knowledge answer")
            await expect(line).to_contain_text("planned by")
            await expect(line).to_contain_text("2 sub-questions")
            await line.press("Enter")
            await expect(turn.get_by_text("Planner", exact=True)).to_be_visible()
            assert await visit.accessibility_faults() == []
            await page.reload()
            await answered(page, question)


async def test_the_place_in_a_models_queue_is_shown(visits: Visits, reader: ApiClient, model: ScriptedModel) -> None:
    story = await titled(reader, "A busy model")
    async with visits(person=reader) as visit:
        page = visit.page
        # What the gateway sends of a provider that has more calls than it takes at once, and then nothing for a while.
        await page.add_init_script(QUEUED_TURN.replace("CONVERSATION", story.conversation_id))
        await page.goto("/chat")
        await ask(page, "Who waits?")
        await expect(last_turn(page)).to_contain_text("The model strong-model is busy: number 3 in its queue")
        await expect(page.get_by_role("status").filter(has_text="number 3 in its queue")).to_be_attached()


async def test_a_plan_runs_again_from_its_turn(visits: Visits, reader: ApiClient, model: ScriptedModel) -> None:
    story = TurnStory(await reader.ask(MARKDOWN.question))
    model.answer_with(Rule(Reply(text="Said a second time [1]."), purpose="answer"))
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto(f"/turns/{story.turn_id}")
        await page.get_by_role("button", name="Run again").click()
        await page.wait_for_url(f"**/chat/{story.conversation_id}")
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text("Said a second time")
        await expect(page.get_by_role("article")).to_have_count(2)
