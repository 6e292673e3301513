"""The main job in the browser: register, upload, ask, look at the source, ask on, look how it came about, leave."""

from __future__ import annotations

import re
import secrets

from playwright.async_api import expect

from tests.e2e.chat import answered, ask, open_account_menu
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel

ANSWER = "The **console port** is 9001, and changes need the operations group [1]."
FOLLOW_UPS = '{"questions": ["How long are backups kept?", "Who approves?", "Since when?"]}'


async def test_from_registration_to_a_cited_answer_and_out_again(visits: Visits, model: ScriptedModel) -> None:
    model.answer_with(
        Rule(Reply(text=FOLLOW_UPS), purpose="follow_ups"),
        Rule(Reply(text=ANSWER, deltas=12, delay_seconds=0.05), purpose="answer"),
    )
    username, password = f"anna-{secrets.token_hex(4)}", "a-fine-password"
    async with visits() as visit:
        page = visit.page
        await page.goto("/")
        await page.wait_for_url("**/login")
        await page.get_by_role("link", name="Create account").click()
        await expect(page.get_by_role("heading", name="Create your account")).to_be_visible()
        await page.get_by_label("Username").fill(username)
        await page.get_by_label("Password", exact=True).fill(password)
        await page.get_by_label("Password again").fill(password)
        await page.get_by_role("button", name="Create account").click()
        await page.wait_for_url("**/chat")

        # Nothing is there yet, and the page says what to do first.
        await expect(page.get_by_role("heading", name="Upload a document first")).to_be_visible()
        await page.get_by_role("link", name="Upload a document").click()
        await page.locator("input[type=file]").first.set_input_files(
            {"name": MARKDOWN.file_name, "mimeType": "text/markdown", "buffer": MARKDOWN.content}
        )
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name=re.compile("Upload")).click()
        uploaded = page.get_by_role("row").filter(has_text="minio")
        await expect(uploaded.get_by_text("Ready")).to_be_visible(timeout=120_000)

        await page.get_by_role("link", name="New chat").click()
        await ask(page, MARKDOWN.question)
        turn = await answered(page, MARKDOWN.question)
        await expect(turn).to_contain_text("The console port is 9001")
        await expect(turn.locator("strong")).to_have_text("console port")
        await page.wait_for_url(re.compile("/chat/.+"))

        await turn.get_by_role("button", name=re.compile("Show source 1")).click()
        source = page.get_by_role("complementary", name="Source 1")
        await expect(source).to_contain_text(MARKDOWN.fact)
        await expect(source.get_by_role("link", name="Open document")).to_have_attribute(
            "href", re.compile("^/documents/.+")
        )
        await source.get_by_role("button", name="Close").click()

        follow_up = "How long are backups kept?"
        await turn.get_by_role("button", name=follow_up).click()
        turn = await answered(page, follow_up)
        await turn.get_by_role("button", name="How it was answered").click()
        details = page.get_by_role("complementary", name="How it was answered")
        for heading in ("Plan", "Stages", "Evidence", "Usage and limits"):
            await expect(details.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        await expect(details.get_by_text("Knowledge answer")).to_be_visible()
        await expect(details.get_by_text("Tokens (in / out)")).to_be_visible()
        await expect(details.get_by_text("Search", exact=True).first).to_be_visible()

        # What was asked just before leaving may be refused.
        visit.expected_statuses = {401}
        await open_account_menu(page, username)
        await page.get_by_role("menuitem", name="Log out").click()
        await page.wait_for_url("**/login*")
        await expect(page.get_by_role("heading", level=1, name="Log in")).to_be_visible()
