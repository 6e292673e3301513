"""The search index is built anew with another embedding model, from the page alone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.conftest import SECOND_DIMENSION, SECOND_MODEL
from tests.e2e.conftest import Visits
from tests.support.knowledge import manual
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel

FIRST_MODEL = "scripted-embedder"
# As long as some hundred documents of other tests take.
LONG_MS = 240_000


@pytest.fixture
async def keeper(fleet_without_model: Fleet, second_embedder: ScriptedModel) -> AsyncIterator[ApiClient]:
    """An administrator; the second embedder works again afterwards."""
    first = fleet_without_model.administrator
    assert first is not None
    async with ApiClient(fleet_without_model.base_url) as client:
        yield await client.log_in(first.username, first.password)
    second_embedder.answer_with()


async def rebuild(page: Page, model: str) -> None:
    await page.get_by_label("Embedding model", exact=True).click()
    await page.locator(".ant-select-item-option", has_text=model).click()
    await page.get_by_role("main").get_by_role("button", name="Rebuild").click()
    await page.get_by_role("dialog").get_by_role("button", name="Rebuild").click()


async def in_use(page: Page, model: str, dimension: int) -> None:
    """Waits until the page says by itself that this model is in use."""
    facts = page.get_by_role("main").locator("dl")
    await expect(facts).to_contain_text(f"{model} {dimension} dimensions", timeout=LONG_MS)
    await expect(page.get_by_role("heading", name="Rebuild the index")).to_be_visible(timeout=LONG_MS)


async def test_an_index_is_built_anew_to_its_end_and_a_run_that_waits_can_be_stopped(
    visits_without_model: Visits, keeper: ApiClient, second_embedder: ScriptedModel, word: str
) -> None:
    document_id = await keeper.upload("manual.md", manual(word))
    assert (await keeper.settled(document_id))["state"] == "READY"
    second_embedder.answer_with(Rule(Reply(failure=Failure("status", status=400)), body=word, endpoint="embeddings"))
    async with visits_without_model(person=keeper) as visit:
        page = visit.page
        await page.goto("/admin/index")
        await in_use(page, FIRST_MODEL, 384)

        await rebuild(page, SECOND_MODEL)
        await expect(page.get_by_role("heading", name=f"Rebuilding with {SECOND_MODEL}")).to_be_visible()
        await expect(page.get_by_text(re.compile("^Waiting: "))).to_be_visible(timeout=LONG_MS)
        assert await visit.accessibility_faults() == []
        await page.reload()
        await expect(page.get_by_role("progressbar")).to_be_visible()
        await page.get_by_role("button", name="Stop, keep the model in use").click()
        await page.get_by_role("dialog").get_by_role("button", name="Stop, keep the model in use").click()
        await in_use(page, FIRST_MODEL, 384)

        second_embedder.answer_with()
        await rebuild(page, SECOND_MODEL)
        await in_use(page, SECOND_MODEL, SECOND_DIMENSION)
        chosen = page.locator(".index-rebuild")
        await expect(chosen).not_to_contain_text(SECOND_MODEL)
        await expect(chosen).to_contain_text(FIRST_MODEL)
        await page.goto("/retrieval")
        question = page.get_by_label("Question", exact=True)
        await question.fill(f"Which valve does step 5 of {word} turn?")
        await question.press("Enter")
        await expect(page.get_by_role("article").filter(has_text=word).first).to_be_visible()

        await page.goto("/admin/index")
        await rebuild(page, FIRST_MODEL)
        await in_use(page, FIRST_MODEL, 384)
