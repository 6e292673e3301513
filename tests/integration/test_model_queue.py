"""A busy model provider through the public door: a place in the queue, room when somebody leaves, a clear refusal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
from playwright.async_api import Route, expect

from dev.api_client import ApiClient, SseEvent
from dev.fleet import Fleet, fleet
from tests.conftest import ROOMY_LIMITS
from tests.e2e.browser import PATIENCE_MS, chromium, chromium_path, visit
from tests.e2e.chat import ask, last_turn
from tests.support.scripted_model import Failure, Gate, Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole

ENDLESS = Rule(Reply(text="word " * 20, deltas=20, failure=Failure("hang", after_deltas=10)), user="long poem")
QUICK = Reply(text="Roses are red.")


@pytest.fixture(scope="module")
async def narrow(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Fleet, ScriptedModel]]:
    """A fleet whose provider takes one call at a time and lets one wait."""
    folder: Path = tmp_path_factory.mktemp("narrow")
    async with ScriptedModel() as model:
        settings = {
            **ROOMY_LIMITS,
            "LLM_MODEL": "scripted",
            "LLM_API_BASE": model.base_url,
            "LLM_MAX_CONCURRENT": "1",
            "LLM_QUEUE_LENGTH": "1",
            # Nothing is searched here: the embedder need not be made.
            "EMBEDDING_MODEL": "scripted-embedder",
            "EMBEDDING_API_BASE": model.base_url,
            "EMBEDDING_DIMENSION": "384",
        }
        async with fleet(folder, environment=settings) as running:
            yield running, model


async def test_who_waits_sees_a_place_who_leaves_makes_room_and_who_finds_none_is_told(
    narrow: tuple[Fleet, ScriptedModel],
) -> None:
    running, model = narrow
    model.answer_with(ENDLESS, default=QUICK)
    async with ApiClient(running.base_url) as anna, ApiClient(running.base_url) as ben:
        await anna.sign_up()
        await ben.sign_up()
        async with aclosing(anna.chat("Write a long poem", mode="DIRECT")) as first:
            speaking = await until(first, "delta")
            async with aclosing(ben.chat("Write a short poem", mode="DIRECT")) as second:
                waiting = await until(second, "queued")
                assert waiting.json["position"] == 1 and waiting.json["model"] == "scripted"
                refused = TurnStory(await anna.ask("Write a third poem", mode="DIRECT"))
                assert_whole(refused.events)
                error = refused.only("error")
                assert (error["reason"], error["retryable"]) == ("model_queue_full", True) and error["retry_after"] >= 1
                assert "again in" in error["message"]
                answer = await ben.http.post(f"/turns/{waiting.json['turn_id']}/cancel")
                assert answer.is_success
                await until(second, "done")
            async with aclosing(ben.chat("Write a short poem", mode="DIRECT")) as again:
                await until(again, "queued")
                await anna.http.post(f"/turns/{speaking.json['turn_id']}/cancel")
                said = await until(again, "delta")
                assert said.json["text"].startswith("Roses")
                await until(again, "done")
        asked = [request.body["messages"][-1]["content"] for request in model.requests]
        assert asked.count("Write a short poem") == 1, "a turn that left the queue is never asked"


async def test_the_page_shows_the_place_in_the_queue_until_it_is_this_ones_turn(
    narrow: tuple[Fleet, ScriptedModel],
) -> None:
    running, model = narrow
    executable = chromium_path()
    if executable is None:
        pytest.skip("needs Chromium")
    gate = Gate(after_deltas=2)
    model.answer_with(Rule(Reply(text="word " * 20, deltas=20, held_by=gate), user="long poem"), default=QUICK)
    async with ApiClient(running.base_url) as anna, ApiClient(running.base_url) as ben, chromium(executable) as browser:
        await anna.sign_up()
        await ben.sign_up()
        async with (
            visit(browser, running.base_url, person=ben) as visited,
            aclosing(anna.chat("Write a long poem", mode="DIRECT")) as first,
        ):
            page = visited.page
            await page.route("**/api/v1/chat", asked_directly)
            await page.goto("/chat")
            await until(first, "delta")
            await ask(page, "Write a short poem")
            busy = "The model scripted is busy: next in its queue"
            await expect(last_turn(page)).to_contain_text(busy, timeout=PATIENCE_MS)
            gate.open()
            await expect(last_turn(page)).to_contain_text("Roses are red.", timeout=PATIENCE_MS)
            await expect(last_turn(page)).not_to_contain_text("is busy")


async def asked_directly(route: Route) -> None:
    """Sends what the page asks without a search, which would find nothing to answer from."""
    await route.continue_(post_data=json.dumps({**route.request.post_data_json, "mode": "DIRECT"}))


async def until(events: AsyncIterator[SseEvent], name: str) -> SseEvent:
    async with asyncio.timeout(120):
        async for event in events:
            if event.event == name:
                return event
    raise AssertionError(f"the stream ended without {name!r}")
