"""The process that runs a turn and serves its viewers dies: nothing that was seen changes, and every turn ends."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import httpx

from dev.api_client import ApiClient, SseEvent
from dev.fleet import Fleet
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole

SAID = "The console listens on port 9001 [1]. "


async def test_a_turn_whose_owner_dies_ends_with_an_error_to_retry_and_keeps_what_was_said(
    fleet_with_model: Fleet, person: ApiClient, model: ScriptedModel
) -> None:
    await person.settled(await person.upload(MARKDOWN.file_name, MARKDOWN.content))
    finished = await person.ask(MARKDOWN.question)
    hanging = Reply(text=SAID * 2, deltas=20, failure=Failure("hang", after_deltas=12))
    model.answer_with(Rule(hanging, purpose="answer", times=1))
    seen: list[SseEvent] = []
    killed = 0
    try:
        async with aclosing(person.chat(MARKDOWN.question)) as events:
            async for event in events:
                seen.append(event)
                if event.event == "delta" and not killed:
                    own = {"message": "你好", "conversation_id": TurnStory(seen).conversation_id}
                    busy = await person.http.post("/chat", json=own)
                    assert (busy.status_code, busy.json()["turn_id"]) == (409, TurnStory(seen).turn_id)
                    killed = fleet_with_model.kill("edge")
    except httpx.TransportError:
        pass  # the gateway died with the turn's owner
    assert killed
    await fleet_with_model.replaced("edge", killed)
    story = TurnStory(seen)

    # Another turn's viewers see the same events from the new process.
    assert [event async for event in person.turn_events(TurnStory(finished).turn_id)] == finished

    # The lease runs out; whoever takes the turn over ends it, and the viewer goes on where the stream broke.
    async with asyncio.timeout(120):
        rest = [event async for event in person.turn_events(story.turn_id, seen[-1].id)]
    assert_whole([*seen, *rest])
    whole = TurnStory([*seen, *rest])
    error = whole.only("error")
    assert (error["reason"], error["retryable"]) == ("interrupted", True)
    turns = (await person.http.get(f"/conversations/{story.conversation_id}/turns")).json()["turns"]
    assert [(turn["turn_id"], turn["state"]) for turn in turns] == [(story.turn_id, "FAILED")]
    assert turns[0]["answer"] == whole.text
    assert SAID.startswith(whole.text[:20])

    model.answer_with(Rule(Reply(text="Port 9001 [1].")))
    again = TurnStory(await person.ask(MARKDOWN.question, story.conversation_id))
    assert again.finish_reason == "stop"
