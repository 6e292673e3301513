"""Redis is gone while a turn runs: it goes on from its owner's memory, nothing new begins, and all catches up."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing

from dev.api_client import ApiClient, SseEvent
from dev.fleet import Fleet
from superagent_common.redis_client import opened_redis
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Gate, Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole

WORDS = "".join(f"word{number} " for number in range(60))
AWAY_SECONDS = float(os.environ.get("REDIS_AWAY_SECONDS", "0"))
"""How long Redis stays away at least; `make chaos` says 60."""


async def test_a_running_turn_is_answered_new_ones_are_refused_and_all_catches_up(
    fleet_with_model: Fleet, person: ApiClient, model: ScriptedModel
) -> None:
    await person.settled(await person.upload(MARKDOWN.file_name, MARKDOWN.content))
    gate = Gate(after_deltas=30)
    model.answer_with(Rule(Reply(text=WORDS, deltas=60, delay_seconds=0.02, held_by=gate), purpose="answer"))
    seen: list[SseEvent] = []
    statuses: list[tuple[int, str]] = []
    try:
        async with aclosing(person.chat(MARKDOWN.question)) as events:
            async for event in events:
                seen.append(event)
                if event.event == "delta" and not statuses:
                    await fleet_with_model.stop("valkey")
                    async with asyncio.timeout(120):
                        while not statuses or statuses[-1][0] != 503:
                            answer = await person.http.post("/chat", json={"message": "你好"})
                            reason = answer.json()["reason"] if answer.is_error else ""
                            statuses.append((answer.status_code, reason))
                    # Another tab of the same person sees the turn from its first event all the same.
                    turn_id = seen[0].json["turn_id"]
                    watching = asyncio.create_task(collected(person, turn_id))
                    gate.open()
        assert await watching == seen
    finally:
        await fleet_with_model.start("valkey")
    assert statuses[-1] == (503, "turns_unavailable")
    assert_whole(seen)
    story = TurnStory(seen)
    assert (story.text.strip(), story.finish_reason) == (WORDS.strip(), "stop")
    turns = (await person.http.get(f"/conversations/{story.conversation_id}/turns")).json()["turns"]
    assert [turn["answer"] for turn in turns] == [story.text]
    async with asyncio.timeout(120):
        while (answer := await person.http.post("/chat", json={"message": "你好"})).status_code == 503:
            await asyncio.sleep(0.1)
    assert answer.status_code == 200
    assert await collected(person, turn_id) == seen


async def test_a_turn_that_outlasts_the_outage_goes_on_through_it_and_is_taken_up_afterwards(
    fleet_with_model: Fleet, reader: ApiClient, model: ScriptedModel
) -> None:
    # It speaks for as long as the outage lasts, and stays open until it is stopped.
    said, pause = f"{WORDS}END", 0.02 + AWAY_SECONDS / 60
    endless = Reply(text=said, deltas=60, delay_seconds=pause, failure=Failure("hang", after_deltas=60))
    model.answer_with(Rule(endless, purpose="answer"))
    now = asyncio.get_running_loop().time
    seen: list[SseEvent] = []
    gone_at = 0.0
    try:
        async with aclosing(reader.chat(MARKDOWN.question)) as events:
            async for event in events:
                seen.append(event)
                if event.event == "delta" and not gone_at:
                    await fleet_with_model.stop("valkey")
                    gone_at = now()
                if TurnStory(seen).text == said:
                    break
        turn_id = seen[0].json["turn_id"]
        while (await reader.http.post("/chat", json={"message": "你好"})).status_code != 503:
            await asyncio.sleep(0.1)
        while now() < gone_at + AWAY_SECONDS:
            await asyncio.sleep(0.1)
        assert await until_said(reader, turn_id, said) == seen
    finally:
        await fleet_with_model.start("valkey")
    async with asyncio.timeout(120):
        while (await reader.http.post("/chat", json={"message": "你好"})).status_code == 503:
            await asyncio.sleep(0.1)
    after = next(event.id for event in seen if event.event == "delta")
    rest = said.removeprefix(TurnStory(seen[:after]).text)
    assert await until_said(reader, turn_id, rest, after) == seen[after:]
    await reader.http.post(f"/turns/{turn_id}/cancel")
    whole = await collected(reader, turn_id)
    assert_whole(whole)
    story = TurnStory(whole)
    assert whole[: len(seen)] == seen and (story.text, story.finish_reason) == (said, "cancelled")
    async with opened_redis(fleet_with_model.environment["REDIS_URL"]) as redis, asyncio.timeout(120):
        while await redis.xlen(f"orchestrator:turn:{turn_id}") < len(whole):
            await asyncio.sleep(0.1)


async def until_said(person: ApiClient, turn_id: str, said: str, after: int = 0) -> list[SseEvent]:
    """Events of a turn behind a number, until they have said this."""
    seen: list[SseEvent] = []
    async with aclosing(person.turn_events(turn_id, after)) as events:
        async for event in events:
            seen.append(event)
            if TurnStory(seen).text == said:
                break
    return seen


async def collected(person: ApiClient, turn_id: str) -> list[SseEvent]:
    return [event async for event in person.turn_events(turn_id)]
