"""Chatting when things do not go straight: reloads, two tabs, stopping, broken connections, strangers."""

from __future__ import annotations

import json
import re

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.conftest import People
from tests.e2e.browser import PHONE, SESSION_KEY
from tests.e2e.chat import WORDS, answered, ask, half_said, last_turn
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel, plan_json
from tests.support.turn_events import TurnStory

HANGING = Rule(Reply(text=WORDS, deltas=60, failure=Failure("hang", after_deltas=20)), purpose="answer")

BREAKABLE_STREAMS = """
const plainFetch = window.fetch;
window.fetch = async (...request) => {
  const response = await plainFetch(...request);
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const line = new TransformStream({
    start(controller) {
      window.breakStreams = () => controller.error(new TypeError("network error"));
    },
  });
  return new Response(response.body.pipeThrough(line), response);
};
"""


async def test_a_page_that_is_loaded_again_in_mid_answer_shows_the_whole_answer(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    rule, gate = half_said()
    model.answer_with(rule)
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        await expect(last_turn(page)).to_contain_text("word5 ")
        await page.wait_for_url(re.compile("/chat/.+"))
        await page.reload()
        await expect(last_turn(page)).to_contain_text("word7 ")
        gate.open()
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text(WORDS)
        await expect(page.get_by_role("article")).to_have_count(1)


async def test_a_second_tab_watches_the_same_answer_and_may_not_ask_meanwhile(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    rule, gate = half_said()
    model.answer_with(rule)
    async with visits(person=reader) as visit:
        visit.expected_statuses = {409}
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        await page.wait_for_url(re.compile("/chat/.+"))
        other = await visit.another_tab()
        await other.goto(page.url)
        await expect(last_turn(other)).to_contain_text("word9 ")
        await expect(other.get_by_role("button", name="Stop answering")).to_be_visible()
        gate.open()
        for tab in (page, other):
            turn = await answered(tab, MARKDOWN.question)
            await expect(turn).to_contain_text(WORDS)
        # What one tab asks next, the other one shows without being touched.
        model.answer_with(Rule(Reply(text="Thirty days."), purpose="answer"))
        await ask(other, "备份保留多少天?")
        await expect(last_turn(page)).to_contain_text("Thirty days.")


async def test_stopping_keeps_what_was_said_and_the_next_question_is_taken(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(HANGING)
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        await expect(last_turn(page)).to_contain_text("word5 ")
        await page.get_by_role("button", name="Stop answering").click()
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text("Stopped")
        await expect(turn).to_contain_text("word5 ")
        model.answer_with(Rule(Reply(text="Thirty days."), purpose="answer"))
        await ask(page, "备份保留多少天?")
        await expect(await answered(page, "备份保留多少天?")).to_contain_text("Thirty days.")


async def test_a_token_that_expires_in_mid_answer_leaves_no_gap(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    rule, gate = half_said()
    model.answer_with(rule)
    async with visits(person=reader) as visit:
        visit.expected_statuses = {401}
        page = visit.page
        await page.add_init_script(BREAKABLE_STREAMS)
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        await expect(last_turn(page)).to_contain_text("word3 ")
        session = json.loads(await page.evaluate("key => localStorage.getItem(key)", SESSION_KEY))
        old = {**session, "accessToken": session["accessToken"][:-8] + "AAAAAAAA"}
        # The stream is taken up again with a token that the server refuses.
        async with page.expect_response("**/api/v1/auth/refresh") as renewed:
            await page.evaluate(
                "([key, value]) => { localStorage.setItem(key, value); breakStreams(); }",
                [SESSION_KEY, json.dumps(old)],
            )
        assert (await renewed.value).ok
        gate.open()
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text(WORDS)


async def test_choices_of_a_question_back_are_buttons_that_answer_it(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    choices = [MARKDOWN.question, "备份保留多少天?"]
    asked_back = {"question": "您想查端口还是备份?", "choices": choices, "missing": "what is meant"}
    plan = plan_json("那个是多少?", "CLARIFY", clarification=asked_back)
    model.answer_with(
        Rule(Reply(text=plan), purpose="plan", times=1), Rule(Reply(text="Port 9001 [1]."), purpose="answer")
    )
    async with visits(person=reader, size=PHONE) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, "那个是多少?")
        turn = await answered(page, "那个是多少?")
        await expect(turn).to_contain_text("您想查端口还是备份?")
        buttons = turn.get_by_role("group", name="Choose one").get_by_role("button")
        await expect(buttons).to_have_text(choices)
        assert await visit.sideways_pixels() == 0
        await buttons.first.click()
        await expect(await answered(page, MARKDOWN.question)).to_contain_text("Port 9001")
        # An old question back is not answered twice.
        await expect(page.get_by_role("group", name="Choose one").get_by_role("button").first).to_be_disabled()


async def test_an_answer_that_breaks_off_is_told_in_words_and_asked_again(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(Rule(Reply(text=WORDS, deltas=60, failure=Failure("cut", after_deltas=20)), purpose="answer"))
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        turn = await answered(page, MARKDOWN.question)
        await expect(turn.get_by_role("alert")).to_contain_text("answer broke off")
        model.answer_with(Rule(Reply(text="Port 9001 [1]."), purpose="answer"))
        await turn.get_by_role("button", name="Ask again").click()
        await expect(last_turn(page)).to_contain_text("Port 9001")


async def test_when_every_model_refuses_the_answer_is_quoted_and_says_so(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(Rule(Reply(failure=Failure("status", status=401)), purpose="answer"))
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        await ask(page, MARKDOWN.question)
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text("what follows is quoted from the documents")
        await expect(turn).to_contain_text(MARKDOWN.fact)


async def test_a_strangers_links_are_answered_in_words_and_tell_nothing(
    visits: Visits, people: People, reader: ApiClient
) -> None:
    story = TurnStory(await reader.ask(MARKDOWN.question))
    document_id = next(iter(story.sources.values()))["document_id"]
    stranger = await people()
    async with visits(person=stranger) as visit:
        visit.expected_statuses = {404}
        page = visit.page
        for address, words in (
            (f"/chat/{story.conversation_id}", "There is no such conversation"),
            (f"/turns/{story.turn_id}", "There is no such turn."),
            (f"/documents/{document_id}", "There is no such document."),
        ):
            await page.goto(address)
            await expect(page.get_by_text(words)).to_be_visible()
            shown = await page.locator("body").inner_text()
            for secret in (MARKDOWN.question, MARKDOWN.fact, MARKDOWN.file_name, "对象存储手册"):
                assert secret not in shown


async def test_shift_enter_breaks_the_line_and_picking_a_word_of_an_input_method_sends_nothing(
    visits: Visits, reader: ApiClient, model: ScriptedModel
) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/chat")
        box = page.get_by_label("Question", exact=True)
        await box.fill("first")
        await box.press("Shift+Enter")
        await box.press_sequentially("second")
        await expect(box).to_have_value("first\nsecond")
        await box.evaluate(
            "box => box.dispatchEvent(new KeyboardEvent('keydown',"
            " {key: 'Enter', keyCode: 229, isComposing: true, bubbles: true}))"
        )
        await expect(page.get_by_role("article")).to_have_count(0)
        await expect(box).to_have_value("first\nsecond")
