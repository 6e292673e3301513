"""Redis is gone while a turn runs: it goes on from its owner's memory, nothing new begins, and all catches up."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from dev.api_client import ApiClient, SseEvent
from dev.fleet import Fleet
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole

WORDS = "".join(f"word{number} " for number in range(60))
SLOW = Rule(Reply(text=WORDS, deltas=60, delay_seconds=0.05), purpose="answer")


async def test_a_running_turn_is_answered_new_ones_are_refused_and_all_catches_up(
    fleet_with_model: Fleet, person: ApiClient, model: ScriptedModel
) -> None:
    await person.settled(await person.upload(MARKDOWN.file_name, MARKDOWN.content))
    model.answer_with(SLOW)
    seen: list[SseEvent] = []
    statuses: list[tuple[int, str]] = []
    try:
        async with aclosing(person.chat(MARKDOWN.question)) as events:
            async for event in events:
                seen.append(event)
                if event.event == "delta" and not statuses:
                    await fleet_with_model.stop("valkey")
                    async with asyncio.timeout(10):
                        while not statuses or statuses[-1][0] != 503:
                            answer = await person.http.post("/chat", json={"message": "你好"})
                            reason = answer.json()["reason"] if answer.is_error else ""
                            statuses.append((answer.status_code, reason))
                    # Another tab of the same person sees the turn from its first event all the same.
                    turn_id = seen[0].json["turn_id"]
                    watching = asyncio.create_task(collected(person, turn_id))
        assert await watching == seen
    finally:
        await fleet_with_model.start("valkey")
    assert statuses[-1] == (503, "turns_unavailable")
    assert_whole(seen)
    story = TurnStory(seen)
    assert (story.text.strip(), story.finish_reason) == (WORDS.strip(), "stop")
    turns = (await person.http.get(f"/conversations/{story.conversation_id}/turns")).json()["turns"]
    assert [turn["answer"] for turn in turns] == [story.text]
    async with asyncio.timeout(20):
        while (answer := await person.http.post("/chat", json={"message": "你好"})).status_code == 503:
            await asyncio.sleep(0.1)
    assert answer.status_code == 200
    assert await collected(person, turn_id) == seen


async def collected(person: ApiClient, turn_id: str) -> list[SseEvent]:
    return [event async for event in person.turn_events(turn_id)]
