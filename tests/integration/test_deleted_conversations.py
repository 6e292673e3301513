"""A deleted conversation is gone from every service, through the public door and in the databases."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

from redis.asyncio import Redis

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.conftest import HELPFUL
from tests.support.scripted_model import Gate, Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory

_SERVICES = ("memory", "orchestrator", "trace")


def places(fleet: Fleet, *texts: str) -> set[str]:
    """The tables of the services that say one of these texts."""
    found = set()
    for service in _SERVICES:
        path = fleet.data_dir / "databases" / f"{service}.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                rows = database.execute(f'SELECT * FROM "{table}"').fetchall()
                values = b"\n".join(
                    value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row
                )
                if any(text.encode() in values for text in texts):
                    found.add(f"{service}.{table}")
    return found


async def statuses(person: ApiClient, turn_id: str, conversation_id: str) -> set[int]:
    answers = [
        await person.http.get(path)
        for path in (
            f"/turns/{turn_id}/events",
            f"/turns/{turn_id}/plan",
            f"/traces/turns/{turn_id}",
            f"/conversations/{conversation_id}",
            f"/conversations/{conversation_id}/turns",
        )
    ]
    answers += [await person.http.post(f"/turns/{turn_id}/{action}") for action in ("replay", "regenerate", "cancel")]
    return {answer.status_code for answer in answers}


async def test_nothing_of_a_deleted_conversation_is_left(person: ApiClient, fleet_with_model: Fleet, word: str) -> None:
    kept = TurnStory(await person.ask("What does the handbook say?"))
    story = TurnStory(await person.ask(f"What does the handbook say of {word}?"))
    async with asyncio.timeout(120):
        while not {"memory.turns", "orchestrator.turns", "trace.turns"} <= places(fleet_with_model, word):
            await asyncio.sleep(0.1)
        # Turns of two conversations are recorded in either order.
        while len((await person.http.get("/traces/turns")).json()["turns"]) < 2:
            await asyncio.sleep(0.1)
    usage = (await person.http.get("/usage")).json()
    assert (await person.http.delete(f"/conversations/{story.conversation_id}")).status_code == 204
    async with asyncio.timeout(120):
        while await statuses(person, story.turn_id, story.conversation_id) != {404} or places(fleet_with_model, word):
            await asyncio.sleep(0.1)
    listed = (await person.http.get("/traces/turns")).json()["turns"]
    assert [turn["turn_id"] for turn in listed] == [kept.turn_id]
    # What it has cost stays on the bill.
    assert (await person.http.get("/usage")).json() == usage
    async with Redis.from_url(fleet_with_model.environment["REDIS_URL"]) as redis:
        assert not await redis.exists(f"orchestrator:turn:{story.turn_id}")
        assert await redis.exists(f"orchestrator:turn:{kept.turn_id}")
    again = await person.http.post("/conversations", json={"conversation_id": story.conversation_id})
    assert again.status_code == 404


async def test_a_turn_that_runs_in_a_deleted_conversation_is_stopped_and_leaves_nothing(
    person: ApiClient, model: ScriptedModel, fleet_with_model: Fleet, word: str
) -> None:
    gate = Gate()
    model.answer_with(Rule(Reply(text=f"The {word} is", held_by=gate), purpose="answer"), *HELPFUL)
    events = []
    async with asyncio.timeout(120):
        async for event in person.chat(f"Tell me a story of {word}.", mode="DIRECT"):
            events.append(event)
            if event.event == "plan":
                deleted = await person.http.delete(f"/conversations/{TurnStory(events).conversation_id}")
                assert deleted.status_code == 204
        story = TurnStory(events)
        assert story.events[-1].event in ("done", "error")
        gate.open()
        while await statuses(person, story.turn_id, story.conversation_id) != {404} or places(fleet_with_model, word):
            await asyncio.sleep(0.1)
