"""What is remembered, over HTTP: summaries, exports, and a person's own memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN
from services.gateway.tests.gateway_rig import ANNA, AT, AT_TEXT, Rig
from services.gateway.tests.test_http_problems import assert_problem
from superagent.memory.v1 import memory_pb2 as pb
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.errors import Conflict, NotFound, Unavailable
from superagent_common.identity.context import identity_or_none
from superagent_gateway.api.server_sent import with_heartbeats

URL = f"/api/v1/conversations/{CONVERSATION}"
SUMMARY = pb.ConversationSummary(text="They chose Hamburg.", facts=["Li Wei"], turns_covered=5, updated_at=AT)
SHOWN = {"summary": "They chose Hamburg.", "facts": ["Li Wei"], "turns_covered": 5, "updated_at": AT_TEXT}


def page(*turns: pb.StoredTurn, cursor: str = "") -> pb.GetConversationResponse:
    conversation = pb.Conversation(conversation_id=CONVERSATION, title="Ware-\nhouses", created_at=AT, updated_at=AT)
    return pb.GetConversationResponse(conversation=conversation, turns=turns, next_cursor=cursor, summary=SUMMARY)


def stored(question: str, answer: str = "", **fields: Any) -> pb.StoredTurn:
    state = fields.pop("state", events_pb2.TURN_STATE_COMPLETED)
    return pb.StoredTurn(
        turn_id=TURN, question=question, answer=answer, state=state, mode=plan_pb2.MODE_RAG_CHAT, asked_at=AT, **fields
    )


async def test_the_summary_of_a_conversation_is_shown(rig: Rig) -> None:
    rig.memory.answers["GetConversation"] = page()
    assert (await rig.http.get(f"{URL}/memory", headers=rig.as_())).json() == SHOWN
    rig.memory.answers["GetConversation"] = pb.GetConversationResponse()
    empty = (await rig.http.get(f"{URL}/memory", headers=rig.as_())).json()
    assert empty == {"summary": "", "facts": [], "turns_covered": 0, "updated_at": None}


def compressing(rig: Rig, *told: pb.CompressConversationResponse | Exception) -> list[pb.CompressConversationRequest]:
    asked: list[pb.CompressConversationRequest] = []

    async def call(
        request: pb.CompressConversationRequest, timeout: float | None = None
    ) -> AsyncIterator[pb.CompressConversationResponse]:
        asked.append(request)
        identity = identity_or_none()
        assert identity is not None and identity.principal.user_id == ANNA.user_id
        for each in told:
            if isinstance(each, Exception):
                raise each
            yield each

    rig.memory.answers["GetConversation"] = page()
    rig.memory.CompressConversation = call
    return asked


async def test_compressing_streams_the_summary_as_events(rig: Rig) -> None:
    response = pb.CompressConversationResponse
    asked = compressing(rig, response(delta="They "), response(delta="chose\nHamburg."), response(summary=SUMMARY))
    answer = await rig.http.post(f"{URL}/compress", json={"rebuild": True}, headers=rig.as_())
    assert answer.headers["content-type"].startswith("text/event-stream")
    frames = answer.text.split("\n\n")
    assert frames[:2] == ['event: delta\ndata: {"text": "They "}', 'event: delta\ndata: {"text": "chose\\nHamburg."}']
    assert json.loads(frames[2].removeprefix("event: summary\ndata: ")) == SHOWN
    assert asked == [pb.CompressConversationRequest(conversation_id=CONVERSATION, rebuild=True)]
    await rig.http.post(f"{URL}/compress", headers=rig.as_())
    assert not asked[-1].rebuild


async def test_compressing_what_is_unknown_is_a_404_and_a_failure_on_the_way_an_event(rig: Rig) -> None:
    compressing(rig, pb.CompressConversationResponse(delta="They "), Unavailable("service_unavailable", "Try again."))
    answer = await rig.http.post(f"{URL}/compress", headers=rig.as_())
    assert answer.text.endswith('event: error\ndata: {"reason": "service_unavailable", "message": "Try again."}\n\n')
    rig.memory.answers["GetConversation"] = NotFound("unknown_conversation")
    assert_problem(await rig.http.post(f"{URL}/compress", headers=rig.as_()), 404, "unknown_conversation")


async def test_a_quiet_stream_says_that_it_is_alive() -> None:
    goes_on = asyncio.Event()

    async def events() -> AsyncGenerator[tuple[str, str], None]:
        await goes_on.wait()
        yield "summary", "{}"

    frames = []
    async for frame in with_heartbeats(events(), seconds=0.01):
        frames.append(frame)
        goes_on.set()
    assert (frames[0], frames[-1]) == (": heartbeat\n\n", "event: summary\ndata: {}\n\n")


async def test_a_conversation_is_exported_page_by_page(rig: Rig) -> None:
    source = events_pb2.Source(citation_id=1, title="Manual", heading_path=["Ports", "Web"], page_from=7)
    use = plan_pb2.ToolUse(call_id="1", name="search", arguments=Struct(), ok=True, result="found")
    use.arguments["town"] = "Lyon"
    pages = {
        "": page(
            stored("Which\nwarehouse?", "Hamburg [1].", sources=events_pb2.Sources(sources=[source])), cursor="next"
        ),
        "next": page(
            stored("那个?", clarify=events_pb2.Clarify(question="哪个?", choices=["甲", "乙"])),
            stored("And Lyon?", "Ly", state=events_pb2.TURN_STATE_CANCELLED, tools=[use]),
        ),
    }
    rig.memory.answers["GetConversation"] = lambda request: pages[request.turns_page.cursor]
    markdown = await rig.http.get(f"{URL}/export", headers=rig.as_())
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    assert markdown.headers["content-disposition"] == f'attachment; filename="conversation-{CONVERSATION}.md"'
    assert markdown.text == (
        f"# Ware- houses\n\n---\n\n*{AT_TEXT}*\n\n> Which\n> warehouse?\n\nHamburg [1].\n\n1. Manual › Ports › Web, p. 7\n"
        f"\n---\n\n*{AT_TEXT}*\n\n> 那个?\n\n哪个?\n\n- 甲\n- 乙\n"
        f"\n---\n\n*{AT_TEXT}*\n\n> And Lyon?\n\n- `search`: ok\n\nLy\n\n*(cancelled)*\n"
    )
    exported = (await rig.http.get(f"{URL}/export", params={"format": "json"}, headers=rig.as_())).json()
    assert exported["conversation"]["title"] == "Ware-\nhouses"
    assert [turn["question"] for turn in exported["turns"]] == ["Which\nwarehouse?", "那个?", "And Lyon?"]
    told = {"call_id": "1", "name": "search", "arguments": {"town": "Lyon"}, "ok": True, "result": "found"}
    assert [turn.get("tools") for turn in exported["turns"]] == [None, None, [told]]
    shown = (await rig.http.get(f"{URL}/turns", params={"cursor": "next"}, headers=rig.as_())).json()
    assert shown["turns"][1]["tools"] == [told]
    assert "tools" not in shown["turns"][0]


async def test_an_empty_conversation_is_exported_too(rig: Rig) -> None:
    rig.memory.answers["GetConversation"] = page()
    assert (await rig.http.get(f"{URL}/export", headers=rig.as_())).text == "# Ware- houses\n"
    exported = await rig.http.get(f"{URL}/export", params={"format": "json"}, headers=rig.as_())
    assert exported.json()["turns"] == []


async def test_exporting_what_is_unknown_is_a_404(rig: Rig) -> None:
    rig.memory.answers["GetConversation"] = NotFound("unknown_conversation")
    assert_problem(await rig.http.get(f"{URL}/export", headers=rig.as_()), 404, "unknown_conversation")
    rig.memory.answers["GetConversation"] = page()
    wrong = await rig.http.get(f"{URL}/export", params={"format": "pdf"}, headers=rig.as_())
    assert_problem(wrong, 400, "invalid_request")


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_a_persons_memory_is_listed_and_changed(rig: Rig, method: str) -> None:
    item = pb.UserMemoryItem(item_id=TURN, text="likes tea", created_at=AT)
    rig.memory.answers["GetUserMemory"] = pb.GetUserMemoryResponse(enabled=True, items=[item])
    rig.memory.answers["UpdateUserMemory"] = pb.UpdateUserMemoryResponse(enabled=True, items=[item])
    body = {"add": "likes tea"} if method == "PATCH" else None
    answer = await rig.http.request(method, "/api/v1/me/memory", json=body, headers=rig.as_())
    assert answer.json() == {
        "enabled": True,
        "items": [{"item_id": TURN, "text": "likes tea", "conversation_id": None, "created_at": AT_TEXT}],
    }
    if method == "PATCH":
        assert not rig.memory.requests[-1].HasField("enabled")
        await rig.http.patch("/api/v1/me/memory", json={"enabled": False}, headers=rig.as_())
        assert rig.memory.requests[-1] == pb.UpdateUserMemoryRequest(enabled=False)


async def test_a_persons_memory_is_forgotten_in_part_and_whole(rig: Rig) -> None:
    rig.memory.answers["DeleteUserMemory"] = pb.DeleteUserMemoryResponse()
    for path in (f"/api/v1/me/memory/{TURN}", "/api/v1/me/memory"):
        assert (await rig.http.delete(path, headers=rig.as_())).status_code == 204
    assert [request.item_id for request in rig.memory.requests] == [TURN, ""]
    rig.memory.answers["DeleteUserMemory"] = NotFound("unknown_memory_item")
    assert_problem(await rig.http.delete(f"/api/v1/me/memory/{TURN}", headers=rig.as_()), 404, "unknown_memory_item")
    rig.memory.answers["UpdateUserMemory"] = Conflict("memory_off")
    refused = await rig.http.patch("/api/v1/me/memory", json={"add": "x"}, headers=rig.as_())
    assert_problem(refused, 409, "memory_off")
    assert_problem(await rig.http.get("/api/v1/me/memory"), 401, "token_missing")
