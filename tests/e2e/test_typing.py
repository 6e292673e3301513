"""What people do where questions are typed: twice too fast, away and back, in two tabs, with files instead of words."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Locator, Page, Route, expect

from dev.api_client import ApiClient
from tests.e2e.browser import PHONE
from tests.e2e.chat import answered, ask, last_turn
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory

WORDS = " ".join(f"word{number}" for number in range(60))
SLOW = Rule(Reply(text=WORDS, deltas=30, delay_seconds=0.05), purpose="answer")
FOLLOWED = Rule(Reply(text='{"questions": ["And the backups?", "Since when?", "Why?"]}'), purpose="follow_ups")
DRAGGED_ONTO = """
(target) => {
  const data = new DataTransfer();
  data.items.add(new File(["# Dropped"], "dropped.md"));
  target.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}
"""
PASTED_INTO = """
(target) => {
  const data = new DataTransfer();
  data.items.add(new File(["# Pasted"], "pasted.md"));
  target.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}
"""


def question_box(page: Page) -> Locator:
    return page.get_by_label("Question", exact=True)


async def test_a_double_click_sends_and_stops_nothing(visits: Visits, reader: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(FOLLOWED, SLOW)
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await question_box(page).fill(MARKDOWN.question)
        await page.get_by_role("button", name="Send").dblclick()
        await expect(await answered(page, MARKDOWN.question)).to_contain_text(WORDS)
        # Who asks with the keyboard goes on with the keyboard.
        await page.get_by_role("region", name="Ask next").get_by_role("button", name="And the backups?").press("Enter")
        await expect(question_box(page)).to_be_focused()
        await answered(page, "And the backups?")


async def test_what_is_typed_outlives_other_pages_and_reloads_and_stays_in_its_conversation(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    story = TurnStory(await reader.ask(MARKDOWN.question))
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto(f"/chat/{story.conversation_id}")
        await question_box(page).fill("A long thought")
        await page.get_by_role("link", name="Documents").click()
        await page.wait_for_url("**/documents")
        await page.go_back()
        await expect(question_box(page)).to_have_value("A long thought")
        await page.reload()
        await expect(question_box(page)).to_have_value("A long thought")
        await page.get_by_role("link", name="New chat").click()
        await expect(question_box(page)).to_have_value("")

        # The page is left before the question has arrived.
        left = asyncio.Event()

        async def hold(route: Route) -> None:
            await left.wait()
            await route.abort()

        await page.route("**/api/v1/chat", hold)
        async with page.expect_request("**/api/v1/chat"):
            await ask(page, "Another thought")
        await expect(question_box(page)).to_have_value("")
        await page.reload()
        left.set()
        await page.unroute_all(behavior="ignoreErrors")
        await expect(question_box(page)).to_have_value("Another thought")
        await question_box(page).press("Enter")
        await answered(page, "Another thought")
        await page.reload()
        await answered(page, "Another thought")
        await expect(question_box(page)).to_have_value("")


async def test_a_conversation_that_another_tab_renames_and_deletes_says_so_and_keeps_what_was_typed(
    visits: Visits, person: ApiClient, model: ScriptedModel
) -> None:
    story = TurnStory(await person.ask("Hello, who are you?"))
    async with visits(person=person) as visit:
        visit.expected_statuses = {404}
        page = visit.page
        await page.goto(f"/chat/{story.conversation_id}")
        await answered(page, "Hello, who are you?")
        await question_box(page).fill("Not sent yet")
        other = await visit.another_tab()
        await other.goto(page.url)
        menu = other.locator(".chat-header").get_by_role("button", name=re.compile("^Actions for"))
        await menu.click()
        await other.get_by_role("menuitem", name="Rename").click()
        await other.get_by_role("dialog").get_by_label("Title").fill("Named elsewhere")
        await other.get_by_role("dialog").get_by_label("Title").press("Enter")
        await expect(page.get_by_role("heading", level=1, name="Named elsewhere")).to_be_visible()
        await menu.click()
        await other.get_by_role("menuitem", name="Delete").click()
        await other.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.get_by_role("heading", name="There is no such conversation")).to_be_visible()
        await expect(page.get_by_role("region", name="Conversations").get_by_role("link")).to_have_count(0)
        await page.get_by_role("main").get_by_role("link", name="New chat").click()
        await expect(question_box(page)).to_have_value("Not sent yet")


async def test_a_question_in_a_conversation_deleted_elsewhere_is_given_back(
    visits: Visits, person: ApiClient, model: ScriptedModel
) -> None:
    story = TurnStory(await person.ask("Hello, who are you?"))
    async with visits(person=person) as visit:
        visit.expected_statuses = {404}
        page = visit.page
        await page.goto(f"/chat/{story.conversation_id}")
        await answered(page, "Hello, who are you?")
        # On another device, of which no tab hears.
        (await person.http.delete(f"/conversations/{story.conversation_id}")).raise_for_status()
        await ask(page, "Where am I?")
        await page.get_by_role("main").get_by_role("link", name="New chat").click()
        await expect(question_box(page)).to_have_value("Where am I?")


async def test_files_dropped_or_pasted_into_the_chat_go_to_the_documents(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/chat")
        await question_box(page).fill("Half a question")
        await question_box(page).evaluate(PASTED_INTO)
        await expect(page.get_by_role("dialog").get_by_text("pasted.md")).to_be_visible()
        await page.go_back()
        await expect(question_box(page)).to_have_value("Half a question")
        await question_box(page).evaluate(DRAGGED_ONTO)
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_text("dropped.md")).to_be_visible()
        await expect(dialog.get_by_text("pasted.md")).to_have_count(0)


async def test_what_one_opens_in_an_answer_stays_in_view(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(Rule(Reply(text="A paragraph.\n\n" * 40), purpose="answer"))
    async with visits(person=reader, size=PHONE) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        turn = await answered(page, MARKDOWN.question)
        await turn.get_by_role("button", name="Edit question").click()
        editor = page.get_by_label("Edited question")
        await expect(editor).to_be_in_viewport(ratio=1)
        await editor.press("Escape")
        model.answer_with(SLOW)
        # A growing answer is followed nevertheless.
        await ask(page, "备份保留多少天?")
        await expect(await answered(page, "备份保留多少天?")).to_contain_text(WORDS)
        await expect(last_turn(page).get_by_role("button", name="How it was answered")).to_be_in_viewport()
        line = last_turn(page).locator(".plan-line summary")
        await line.click()
        await expect(last_turn(page).get_by_text("Planner", exact=True)).to_be_visible()
        await expect(line).to_be_in_viewport(ratio=1)


async def test_how_a_new_conversation_remembers_is_chosen_before_it_begins(
    visits: Visits, person: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=person, size=PHONE) as visit:
        page = visit.page
        await page.goto("/chat")
        await page.get_by_label("How it remembers").click()
        await expect(page.get_by_text("Each question is answered on its own")).to_be_visible()
        assert await visit.accessibility_faults() == []
        await page.get_by_text("Memory: nothing").click()
        await ask(page, "Hello, who are you?")
        await answered(page, "Hello, who are you?")
        await expect(page.get_by_label("How it remembers")).to_have_count(0)
        await page.get_by_role("main").get_by_role("button", name="Memory", exact=True).click()
        memory = page.get_by_role("dialog", name="Memory of this conversation")
        await expect(memory.get_by_role("radio", name=re.compile("Nothing"))).to_be_checked()
