"""Answering the last question anew, editing it, and what tabs, reloads and stops do to that."""

from __future__ import annotations

import re
from contextlib import aclosing

from playwright.async_api import Page, expect

from dev.api_client import ApiClient
from tests.e2e.browser import PHONE
from tests.e2e.chat import WORDS, answered, ask, half_said, last_turn
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Gate, Reply, Rule, ScriptedModel

FIRST = Rule(Reply(text="The first answer."), purpose="answer")
SECOND = Rule(Reply(text="The second answer."), purpose="answer")
SILENT = Rule(Reply(failure=Failure("hang")), purpose="answer")


async def answered_once(page: Page, model: ScriptedModel) -> None:
    """A conversation with one answered turn is open."""
    model.answer_with(FIRST)
    await page.goto("/chat")
    await ask(page, MARKDOWN.question)
    await expect(await answered(page, MARKDOWN.question)).to_contain_text("The first answer.")
    await page.wait_for_url(re.compile("/chat/.+"))


async def answer_anew(page: Page) -> None:
    await last_turn(page).get_by_role("button", name="Answer anew").click()


async def edit(page: Page, question: str) -> None:
    """Edits the last question with the keyboard alone and sends it."""
    pen = last_turn(page).get_by_role("button", name="Edit question")
    await pen.press("Enter")
    edited = page.get_by_label("Edited question")
    await expect(edited).to_be_focused()
    await edited.fill(question)
    await edited.press("Enter")


async def test_the_former_answer_stays_until_the_new_one_says_something(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await answered_once(page, model)
        gate = Gate()
        model.answer_with(Rule(Reply(text="The late answer.", held_by=gate), purpose="answer"))
        await answer_anew(page)
        turn = last_turn(page)
        await expect(turn.locator(".answer")).to_have_attribute("aria-busy", "true")
        await expect(turn).to_contain_text("The first answer.")
        gate.open()
        await expect(turn).to_contain_text("The late answer.")
        await expect(turn).not_to_contain_text("The first answer.")
        await answered(page, MARKDOWN.question)
        await page.reload()
        await expect(await answered(page, MARKDOWN.question)).to_contain_text("The late answer.")
        await expect(page.get_by_role("article")).to_have_count(1)


async def test_another_question_takes_the_place_of_the_last(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await answered_once(page, model)
        # Esc leaves everything as it was, and the focus where it came from.
        pen = last_turn(page).get_by_role("button", name="Edit question")
        await pen.click()
        edited = page.get_by_label("Edited question")
        await expect(edited).to_be_focused()
        await edited.press_sequentially("!!")
        await edited.press("Escape")
        await expect(pen).to_be_focused()
        await expect(last_turn(page)).to_contain_text(MARKDOWN.question)
        model.answer_with(SECOND)
        await edit(page, "备份保留多少天?")
        await expect(await answered(page, "备份保留多少天?")).to_contain_text("The second answer.")
        await expect(page.get_by_label("Question", exact=True)).to_be_focused()
        await page.reload()
        await expect(await answered(page, "备份保留多少天?")).to_contain_text("The second answer.")
        await expect(page.get_by_role("article")).to_have_count(1)
        await expect(last_turn(page)).not_to_contain_text(MARKDOWN.question)


async def test_only_the_last_turn_can_be_answered_anew(visits: Visits, reader: ApiClient, model: ScriptedModel) -> None:
    async with visits(person=reader, size=PHONE) as visit:
        page = visit.page
        await answered_once(page, model)
        await ask(page, "备份保留多少天?")
        await answered(page, "备份保留多少天?")
        for name in ("Answer anew", "Edit question"):
            await expect(page.get_by_role("button", name=name)).to_have_count(1)
        assert await visit.sideways_pixels() == 0
        await last_turn(page).get_by_role("button", name="Edit question").click()
        await expect(page.get_by_label("Edited question")).to_be_visible()
        assert await visit.sideways_pixels() == 0
        assert await visit.accessibility_faults() == []


async def test_an_attempt_that_is_stopped_before_a_word_leaves_the_former_answer(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await answered_once(page, model)
        model.answer_with(SILENT)
        await answer_anew(page)
        await page.get_by_role("button", name="Stop answering").click()
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text("The first answer.")
        await expect(turn).to_contain_text("the former one stays")
        # And the next attempt is taken.
        model.answer_with(SECOND)
        await answer_anew(page)
        await expect(last_turn(page)).to_contain_text("The second answer.")
        await expect(last_turn(page)).not_to_contain_text("The first answer.")


async def test_a_page_that_is_loaded_again_while_answering_anew_shows_one_turn(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await answered_once(page, model)
        rule, gate = half_said()
        model.answer_with(rule)
        await answer_anew(page)
        await expect(last_turn(page)).to_contain_text("word5 ")
        await page.reload()
        await expect(last_turn(page)).to_contain_text("word7 ")
        await expect(page.get_by_role("article")).to_have_count(1)
        gate.open()
        await expect(await answered(page, MARKDOWN.question)).to_contain_text(WORDS)
        await expect(page.get_by_text("The first answer.")).to_have_count(0)


async def test_two_tabs_that_answer_anew_at_once_end_with_one_answer(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        visit.expected_statuses = {409}
        page = visit.page
        await answered_once(page, model)
        other = await visit.another_tab()
        await other.goto(page.url)
        await answered(other, MARKDOWN.question)
        rule, gate = half_said()
        model.answer_with(rule)
        # Both are pressed before either tab has heard of the other.
        press = "button => button.click()"
        buttons = [last_turn(tab).get_by_role("button", name="Answer anew") for tab in (page, other)]
        handles = [await button.element_handle() for button in buttons]
        for handle in handles:
            assert handle is not None
            await handle.evaluate(press)
        for tab in (page, other):
            await expect(last_turn(tab)).to_contain_text("word9 ")
            await expect(tab.get_by_role("article")).to_have_count(1)
        gate.open()
        for tab in (page, other):
            await expect(await answered(tab, MARKDOWN.question)).to_contain_text(WORDS)
            await expect(tab.get_by_role("article")).to_have_count(1)


async def test_what_was_being_edited_when_another_tab_asks_is_kept_in_the_input(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await answered_once(page, model)
        await last_turn(page).get_by_role("button", name="Edit question").click()
        await page.get_by_label("Edited question").fill("An edited question")
        other = await visit.another_tab()
        await other.goto(page.url)
        await answered(other, MARKDOWN.question)
        await ask(other, "备份保留多少天?")
        await answered(page, "备份保留多少天?")
        await expect(page.get_by_label("Edited question")).to_have_count(0)
        await expect(page.get_by_label("Question", exact=True)).to_have_value("An edited question")


async def test_an_edited_question_that_is_refused_is_given_back_and_what_runs_is_shown(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        visit.expected_statuses = {409}
        page = visit.page
        await answered_once(page, model)
        await last_turn(page).get_by_role("button", name="Edit question").click()
        await page.get_by_label("Edited question").fill("An edited question")
        model.answer_with(half_said()[0])
        # Another device asks, of which no tab hears.
        async with aclosing(reader.chat("备份保留多少天?", page.url.rsplit("/", 1)[1])) as elsewhere:
            await anext(elsewhere)
            await page.get_by_label("Edited question").press("Enter")
            await expect(page.get_by_label("Question", exact=True)).to_have_value("An edited question")
            await expect(last_turn(page)).to_contain_text("备份保留多少天?")
            await expect(last_turn(page)).to_contain_text("word3 ")
            await expect(page.get_by_role("article")).to_have_count(2)
            await page.get_by_role("button", name="Stop answering").click()
            await answered(page, "备份保留多少天?")


async def test_stopping_right_after_sending_stops_the_turn(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(half_said()[0])
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        await page.get_by_label("Question", exact=True).press("Escape")
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text("Stopped")
        assert WORDS not in await turn.inner_text()
        model.answer_with(SECOND)
        await ask(page, "备份保留多少天?")
        await expect(await answered(page, "备份保留多少天?")).to_contain_text("The second answer.")
