"""What one does on the chat page."""

from __future__ import annotations

from playwright.async_api import Locator, Page, expect

from tests.support.scripted_model import Gate, Reply, Rule

WORDS = " ".join(f"word{number}" for number in range(120))


def half_said() -> tuple[Rule, Gate]:
    """An answer of `WORDS` that stops after a third of them until the gate is opened."""
    gate = Gate(after_deltas=20)
    return Rule(Reply(text=WORDS, deltas=60, held_by=gate), purpose="answer"), gate


async def ask(page: Page, question: str) -> None:
    """Types a question and sends it."""
    box = page.get_by_label("Question", exact=True)
    await box.fill(question)
    await box.press("Enter")


def last_turn(page: Page) -> Locator:
    return page.get_by_role("article").last


async def answered(page: Page, question: str) -> Locator:
    """Waits until the last turn is this question's and its answer is whole; gives the turn."""
    turn = last_turn(page)
    await expect(turn).to_contain_text(question)
    await expect(turn.locator(".answer")).to_have_attribute("aria-busy", "false")
    return turn


async def open_account_menu(page: Page, username: str) -> None:
    await page.get_by_role("button", name=username).click()
