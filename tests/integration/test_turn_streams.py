"""A turn's stream: numbered without gaps, resumable, independent of who watches, stoppable."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing

from dev.api_client import ApiClient, SseEvent
from superagent_orchestrator.application.lease import LEASE_SECONDS
from tests.conftest import People
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Gate, Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole

WORDS = "".join(f"word{number} " for number in range(40))
# Long enough to be watched while it runs, in pieces that are not joined into one event.
SLOW = Rule(Reply(text=WORDS, deltas=40, delay_seconds=0.04), purpose="answer")
HANGING = Rule(Reply(text=WORDS, deltas=40, failure=Failure("hang", after_deltas=10)), purpose="answer")


async def until(events: object, name: str, seen: list[SseEvent]) -> SseEvent:
    """Reads on until an event of this name; what was read goes to `seen`."""
    async for event in events:  # type: ignore[attr-defined]
        seen.append(event)
        if event.event == name:
            return event  # type: ignore[no-any-return]
    raise AssertionError(f"the stream ended without {name!r}")


def held_in_the_middle(model: ScriptedModel) -> Gate:
    """Has the model say a part of its answer, and the rest once the gate is open."""
    gate = Gate(after_deltas=10)
    model.answer_with(Rule(Reply(text=WORDS, deltas=40, held_by=gate), purpose="answer"))
    return gate


async def stored_turn(person: ApiClient, conversation_id: str, number: int = 0) -> dict[str, object]:
    answer = await person.http.get(f"/conversations/{conversation_id}/turns")
    answer.raise_for_status()
    return answer.json()["turns"][number]  # type: ignore[no-any-return]


async def test_a_stream_is_resumed_after_any_number_with_the_same_ids_and_data(
    reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(SLOW)
    seen: list[SseEvent] = []
    async with aclosing(reader.chat(MARKDOWN.question)) as events:
        await until(events, "delta", seen)
        turn_id = seen[0].json["turn_id"]
        # Three more viewers while the turn runs: from the start, from the last event, from an event that is still to come.
        offsets = (0, seen[-1].id, seen[-1].id + 5)
        viewers = [asyncio.create_task(collected(reader, turn_id, after)) for after in offsets]
        seen += [event async for event in events]
    assert_whole(seen)
    for after, viewer in zip(offsets, viewers, strict=True):
        assert await viewer == seen[after:]
    for after in (0, 1, len(seen) // 2, len(seen) - 1):
        assert await collected(reader, turn_id, after) == seen[after:]


async def collected(person: ApiClient, turn_id: str, after: int) -> list[SseEvent]:
    return [event async for event in person.turn_events(turn_id, after)]


async def test_nothing_is_left_behind_the_last_event(reader: ApiClient, model: ScriptedModel) -> None:
    story = TurnStory(await reader.ask(MARKDOWN.question))
    answer = await reader.http.get(f"/turns/{story.turn_id}/events", headers={"last-event-id": str(len(story.events))})
    assert answer.status_code == 204


async def test_a_turn_tells_its_stages_in_the_order_of_the_work(reader: ApiClient, model: ScriptedModel) -> None:
    story = TurnStory(await reader.ask(MARKDOWN.question))
    assert story.names[0] == "accepted"
    assert story.stages == ["load_memory", "rewrite", "plan", "retrieve", "execute", "archive", "follow_ups"]
    order = [name for name in dict.fromkeys(story.names) if name not in ("stage", "degraded")]
    assert order == ["accepted", "plan", "delta", "sources", "usage", "follow_ups", "done"]


async def test_a_viewer_who_leaves_does_not_stop_the_turn(reader: ApiClient, model: ScriptedModel) -> None:
    gate = held_in_the_middle(model)
    seen: list[SseEvent] = []
    async with aclosing(reader.chat(MARKDOWN.question)) as events:
        await until(events, "delta", seen)
    story = TurnStory(seen)
    request = await model.received(1)
    assert request.outcome == "running"
    gate.open()
    rest = await collected(reader, story.turn_id, seen[-1].id)
    assert_whole([*seen, *rest])
    assert request.outcome == "finished"
    whole = TurnStory([*seen, *rest])
    turn = await stored_turn(reader, whole.conversation_id)
    assert turn["answer"] == whole.text
    assert whole.text.strip() == WORDS.strip()


async def test_a_page_that_was_loaded_again_finds_the_running_turn(
    people: People, reader: ApiClient, model: ScriptedModel
) -> None:
    gate = held_in_the_middle(model)
    seen: list[SseEvent] = []
    async with aclosing(reader.chat(MARKDOWN.question)) as events:
        accepted = await until(events, "accepted", seen)
        own = {name: accepted.json[name] for name in ("turn_id", "conversation_id")}
        for path in ("/turns/running", f"/turns/running?conversation_id={own['conversation_id']}"):
            (found,) = (await reader.http.get(path)).json()["turns"]
            assert found.pop("started_at").endswith("Z")
            assert found == {**own, "question": MARKDOWN.question, "replaces_turn_id": None}
        stranger = await people()
        assert (await stranger.http.get(path)).json() == {"turns": []}
        gate.open()
        await until(events, "done", seen)
    assert (await reader.http.get("/turns/running")).json() == {"turns": []}


async def test_cancelling_closes_the_model_request_at_once_and_keeps_what_was_said(
    reader: ApiClient, model: ScriptedModel
) -> None:
    waits = []
    for _ in range(3):
        model.answer_with(HANGING)
        seen: list[SseEvent] = []
        async with aclosing(reader.chat(MARKDOWN.question)) as events:
            await until(events, "delta", seen)
            request = await model.received(1)
            began = time.monotonic()
            for _ in range(2):
                answer = await reader.http.post(f"/turns/{seen[0].json['turn_id']}/cancel")
                assert answer.status_code == 204
            async with asyncio.timeout(120):
                seen += [event async for event in events]
                await request.ended.wait()
        assert request.outcome == "client_closed"
        assert request.ended_at is not None
        waits.append(request.ended_at - began)
        assert_whole(seen)
        story = TurnStory(seen)
        assert story.finish_reason == "cancelled"
        turn = await stored_turn(reader, story.conversation_id)
        assert (turn["answer"], turn["state"]) == (story.text, "CANCELLED")
        assert story.text
        assert WORDS.startswith(story.text)
        # The model was left before it could say what it counted.
        (usage,) = story.all("usage")
        assert usage["estimated"] and usage["input"] > 0 and usage["output"] > 0 and usage["model_calls"] == 2
        assert usage["cost"] > 0
    # The best of three, on a machine that may be busy: what a lost signal would take.
    assert min(waits) < LEASE_SECONDS


async def test_a_busy_conversation_names_the_running_turn(reader: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(HANGING)
    seen: list[SseEvent] = []
    async with aclosing(reader.chat(MARKDOWN.question)) as events:
        await until(events, "delta", seen)
        story = TurnStory(seen)
        second = await reader.http.post(
            "/chat", json={"message": MARKDOWN.question, "conversation_id": story.conversation_id}
        )
        assert second.status_code == 409
        assert second.json()["reason"] == "conversation_busy"
        assert second.json()["turn_id"] == story.turn_id
        await reader.http.post(f"/turns/{story.turn_id}/cancel")
        seen += [event async for event in events]
    model.answer_with(Rule(Reply(text="Now it is your turn.")))
    third = TurnStory(await reader.ask(MARKDOWN.question, story.conversation_id))
    assert third.finish_reason == "stop"


async def test_a_second_question_is_completed_from_the_first(reader: ApiClient, model: ScriptedModel) -> None:
    first = TurnStory(await reader.ask("MinIO 对象存储的默认服务端口是多少?"))
    model.requests.clear()
    second = TurnStory(await reader.ask("它怎么备份?", first.conversation_id))
    plan = second.plan
    assert plan["original_question"] == "它怎么备份?"
    assert "MinIO" in plan["rewritten_question"]
    assert plan["rewrite"]["applied"] is True
    assert plan["rewrite"]["history_turns_used"] == 1
    assert [turn["turn_id"] for turn in plan["memory"]["recent_turns"]] == [first.turn_id]
    assert plan["memory"]["recent_turns"][0]["answer"] == first.text
    assert "MinIO" in model.requests[0].body["messages"][-1]["content"].rpartition("<question>")[2]


async def test_repeating_a_request_with_its_idempotency_key_gives_the_same_turn(
    reader: ApiClient, model: ScriptedModel
) -> None:
    answers = [
        await reader.http.post("/chat", json={"message": MARKDOWN.question}, headers={"idempotency-key": "once"})
        for _ in range(2)
    ]
    assert answers[0].text == answers[1].text
    assert len([request for request in model.requests if request.headers["x-superagent-purpose"] == "answer"]) == 1


async def test_the_same_idempotency_key_of_another_person_is_another_turn(people: People) -> None:
    turns = set()
    for _ in range(2):
        client = await people()
        answer = await client.http.post("/chat", json={"message": "你好"}, headers={"idempotency-key": "shared"})
        turns.add(answer.text.partition('"turn_id":"')[2][:36])
    assert len(turns) == 2
