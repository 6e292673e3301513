"""Memory through the public door: summaries after turns, titles, export, a person's memory, events given up."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from dev.grouping import variable
from tests.conftest import HELPFUL
from tests.support.scripted_model import Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory

POLL_SECONDS = 0.1
SUMMARY = "Li Wei asked about the weather in several towns and named a budget."


async def until(person: ApiClient, path: str, ready: Callable[[Any], bool]) -> Any:
    async with asyncio.timeout(120):
        while True:
            answer = await person.http.get(path)
            answer.raise_for_status()
            if ready(answer.json()):
                return answer.json()
            await asyncio.sleep(POLL_SECONDS)


async def ask(person: ApiClient, question: str, conversation_id: str | None = None) -> TurnStory:
    story = TurnStory(await person.ask(question, conversation_id))
    assert story.events[-1].event == "done"
    return story


async def test_older_turns_become_a_summary_with_facts_and_a_title(
    person: ApiClient, model: ScriptedModel, fleet_with_model: Fleet
) -> None:
    model.answer_with(
        *HELPFUL,
        Rule(Reply(text="Weather in towns"), purpose="title"),
        Rule(Reply(text=f"{SUMMARY}\nFACTS:\n- Li Wei asks about towns"), purpose="summary"),
    )
    first = await ask(person, "My name is Li Wei and my budget is 120,000 euros. What is the weather in Berlin today?")
    url = f"/conversations/{first.conversation_id}"
    await until(person, url, lambda shown: shown["title"] == "Weather in towns")
    for number in range(8):
        await ask(person, f"What is the weather in town {number} today?", first.conversation_id)
    kept = await until(person, f"{url}/memory", lambda shown: shown["turns_covered"] == 5)
    assert kept["summary"] == SUMMARY
    assert "My name is Li Wei and my budget is 120,000 euros." in kept["facts"]
    assert "Li Wei asks about towns" in kept["facts"]
    # The next turn sees it, and the four turns that it does not cover.
    story = await ask(person, "What is the weather in Lyon today?", first.conversation_id)
    memory = (await person.trace(story.turn_id))["plan"]["memory"]
    assert (memory["strategy"], memory["summary"], memory["facts"]) == ("SUMMARY", SUMMARY, kept["facts"])
    assert [turn["question"][-13:] for turn in memory["recent_turns"]] == [
        f"town {number} today?" for number in (4, 5, 6, 7)
    ]
    # What memory asks the model is no part of a turn's bill, and counted all the same.
    assert story.all("usage")[-1]["model_calls"] == 1
    async with httpx.AsyncClient(trust_env=False, timeout=120) as http:
        address = fleet_with_model.environment[variable("memory", "METRICS_LISTEN")]
        figures = (await http.get(f"http://{address}/metrics")).text
    for purpose in ("title", "summary"):
        # The backup answers while the first model rests from failures that other tests scripted.
        assert re.search(rf'model_tokens_total{{direction="output",model="[^"]+",purpose="{purpose}"}} [1-9]', figures)

    frames = (await person.http.post(f"{url}/compress", json={"rebuild": True})).text.split("\n\n")
    assert (
        "".join(
            json.loads(frame.split("data: ")[1])["text"] for frame in frames if frame.startswith("event: delta")
        ).strip()
        == SUMMARY
    )
    assert json.loads(frames[-2].removeprefix("event: summary\ndata: "))["turns_covered"] == 6

    exported = (await person.http.get(f"{url}/export", params={"format": "json"})).json()
    assert len(exported["turns"]) == 10
    assert (await person.http.get(f"{url}/export")).text.startswith("# Weather in towns\n")

    await person.http.patch(url, json={"title": "Mine"})
    assert (await person.http.delete(url)).status_code == 204
    for path in (f"{url}/memory", f"{url}/export", url):
        assert (await person.http.get(path)).json()["reason"] == "unknown_conversation"


@pytest.fixture
async def somebody(fleet_without_model: Fleet) -> AsyncIterator[ApiClient]:
    async with ApiClient(fleet_without_model.base_url) as client:
        yield await client.sign_up()


async def test_a_person_is_remembered_across_conversations_while_they_allow_it(somebody: ApiClient) -> None:
    assert (await somebody.http.get("/me/memory")).json() == {"enabled": False, "items": []}
    await ask(somebody, "Remember that I like coffee.")
    refused = await somebody.http.patch("/me/memory", json={"add": "I work in Lyon."})
    assert (refused.status_code, refused.json()["reason"]) == (409, "memory_off")
    await somebody.http.patch("/me/memory", json={"enabled": True, "add": "I work in Lyon."})
    told = await ask(somebody, "Remember that I like tea.")
    remembered = await until(somebody, "/me/memory", lambda shown: len(shown["items"]) == 2)
    assert [(item["text"], item["conversation_id"]) for item in remembered["items"]] == [
        ("I like tea.", told.conversation_id),
        ("I work in Lyon.", None),
    ]

    async def long_term(conversation_id: str | None = None) -> list[str]:
        story = await ask(somebody, "hello", conversation_id)
        return list((await somebody.trace(story.turn_id))["plan"]["memory"]["long_term"])

    assert await long_term() == ["I work in Lyon.", "I like tea."]
    assert await long_term(told.conversation_id) == ["I work in Lyon.", "I like tea."]
    assert (await somebody.http.delete(f"/me/memory/{remembered['items'][0]['item_id']}")).status_code == 204
    assert await long_term() == ["I work in Lyon."]
    await somebody.http.patch("/me/memory", json={"enabled": False})
    assert await long_term() == []
    assert (await somebody.http.delete("/me/memory")).status_code == 204
    assert (await somebody.http.get("/me/memory")).json() == {"enabled": False, "items": []}


async def test_without_a_model_the_rules_summarise_and_the_first_question_is_the_title(somebody: ApiClient) -> None:
    first = await ask(somebody, "我叫王小明。你好")
    for number in range(8):
        await ask(somebody, f"Hello number {number}", first.conversation_id)
    url = f"/conversations/{first.conversation_id}"
    kept = await until(somebody, f"{url}/memory", lambda shown: shown["turns_covered"] == 5)
    assert kept["facts"] == ["我叫王小明。"]
    assert "Hello number 3" in kept["summary"]
    assert (await somebody.http.get(url)).json()["title"] == "我叫王小明。你好"
