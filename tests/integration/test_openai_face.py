"""The official OpenAI client asks the fleet: the same turns as everywhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import openai
import pytest

from dev.api_client import ApiClient, answer_text
from dev.fleet import Fleet
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole


@pytest.fixture
async def client(
    fleet_with_model: Fleet, reader: ApiClient, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[openai.AsyncOpenAI]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    token = reader.session["access_token"]
    async with openai.AsyncOpenAI(base_url=f"{fleet_with_model.base_url}/v1", api_key=token) as made:
        yield made


async def test_a_completion_is_a_turn_with_sources_and_is_kept_as_every_turn(
    client: openai.AsyncOpenAI, reader: ApiClient
) -> None:
    completion = await client.chat.completions.create(
        model="super-agent:rag", messages=[{"role": "user", "content": MARKDOWN.question}]
    )
    own = completion.model_extra["superagent"]  # type: ignore[index]
    events = [event async for event in reader.turn_events(own["turn_id"])]
    assert_whole(events)
    story = TurnStory(events)
    assert completion.choices[0].message.content == answer_text(events)
    assert own["sources"] == list(story.sources.values())
    assert completion.usage and completion.usage.total_tokens > 0

    async def listed(**wanted: str) -> bool:
        shown = (await reader.http.get("/conversations", params=wanted)).json()["conversations"]
        return own["conversation_id"] in {conversation["conversation_id"] for conversation in shown}

    # Its client keeps it, until somebody goes on with it.
    assert not await listed()
    assert await listed(unlisted="true")

    stream = await client.chat.completions.create(
        model="super-agent",
        messages=[{"role": "user", "content": MARKDOWN.question}],
        metadata={"conversation_id": own["conversation_id"]},
        stream=True,
    )
    chunks = [chunk async for chunk in stream]
    later = chunks[-1].model_extra["superagent"]  # type: ignore[index]
    assert later["conversation_id"] == own["conversation_id"] and later["sources"]
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    turns = (await reader.http.get(f"/conversations/{own['conversation_id']}/turns")).json()["turns"]
    assert {turn["turn_id"]: turn["answer"] for turn in turns}[later["turn_id"]] == said
    assert await listed()


async def test_the_history_that_a_client_sends_completes_its_question(
    client: openai.AsyncOpenAI, reader: ApiClient
) -> None:
    completion = await client.chat.completions.create(
        model="super-agent",
        messages=[
            {"role": "user", "content": "MinIO 对象存储的默认服务端口是多少?"},
            {"role": "assistant", "content": "MinIO 的默认服务端口是 9000。"},
            {"role": "user", "content": "它怎么备份?"},
        ],
    )
    turn = await reader.trace(completion.model_extra["superagent"]["turn_id"])  # type: ignore[index]
    assert turn["plan"]["original_question"] == "它怎么备份?"
    assert "MinIO" in turn["plan"]["rewritten_question"]
