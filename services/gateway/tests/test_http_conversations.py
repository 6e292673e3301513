"""Conversations over HTTP: the shapes that scripts rely on."""

from __future__ import annotations

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN
from services.gateway.tests.gateway_rig import AT, AT_TEXT, Rig
from services.gateway.tests.test_http_problems import assert_problem
from superagent.common.v1.common_pb2 import PageRequest
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, plan_pb2


async def test_conversations(rig: Rig) -> None:
    conversation = memory_pb2.Conversation(
        conversation_id=CONVERSATION,
        title="MinIO",
        memory_strategy=plan_pb2.MEMORY_STRATEGY_SUMMARY,
        created_at=AT,
        updated_at=AT,
        turns_total=1,
    )
    shown = {
        "conversation_id": CONVERSATION,
        "title": "MinIO",
        "memory_strategy": "SUMMARY",
        "created_at": AT_TEXT,
        "updated_at": AT_TEXT,
        "turns_total": 1,
    }
    stored = memory_pb2.StoredTurn(
        turn_id=TURN,
        question="q",
        answer="a [1]",
        sources=events_pb2.Sources(
            sources=[events_pb2.Source(citation_id=1, document_id="d", title="T")],
            retrieval_mode=events_pb2.RETRIEVAL_MODE_HYBRID,
        ),
        state=events_pb2.TURN_STATE_COMPLETED,
        mode=plan_pb2.MODE_RAG_CHAT,
        finish_reason="stop",
        asked_at=AT,
        stored_at=AT,
    )
    rig.memory.answers = {
        "ListConversations": memory_pb2.ListConversationsResponse(conversations=[conversation]),
        "CreateConversation": memory_pb2.CreateConversationResponse(conversation=conversation),
        "GetConversation": memory_pb2.GetConversationResponse(
            conversation=conversation, turns=[stored], next_cursor="n"
        ),
        "UpdateConversation": memory_pb2.UpdateConversationResponse(conversation=conversation),
        "DeleteConversation": memory_pb2.DeleteConversationResponse(),
    }
    base, headers = "/api/v1/conversations", rig.as_()
    listed = await rig.http.get(base, headers=headers)
    assert listed.json() == {"conversations": [shown], "next_cursor": None}
    await rig.http.get(base, params={"unlisted": "true"}, headers=headers)
    assert [request.unlisted for request in rig.memory.requests] == [False, True]
    made = await rig.http.post(base, json={"memory_strategy": "NONE"}, headers=headers)
    assert (made.status_code, made.json()) == (201, shown)
    assert (await rig.http.get(f"{base}/{CONVERSATION}", headers=headers)).json() == shown
    renamed = await rig.http.patch(f"{base}/{CONVERSATION}", json={"title": ""}, headers=headers)
    assert renamed.json() == shown
    assert rig.memory.requests[-1].HasField("title")
    await rig.http.patch(f"{base}/{CONVERSATION}", json={"memory_strategy": "SUMMARY"}, headers=headers)
    assert not rig.memory.requests[-1].HasField("title")
    assert (await rig.http.delete(f"{base}/{CONVERSATION}", headers=headers)).status_code == 204
    turns = await rig.http.get(f"{base}/{CONVERSATION}/turns", headers=headers)
    assert turns.json() == {
        "turns": [
            {
                "turn_id": TURN,
                "question": "q",
                "answer": "a [1]",
                "sources": [
                    {
                        "citation_id": 1,
                        "document_id": "d",
                        "title": "T",
                        "heading_path": [],
                        "snippet": "",
                        "domain": "",
                        "child_ids": [],
                    }
                ],
                "retrieval_mode": "HYBRID",
                "state": "COMPLETED",
                "mode": "RAG_CHAT",
                "finish_reason": "stop",
                "asked_at": AT_TEXT,
                "stored_at": AT_TEXT,
            }
        ],
        "next_cursor": "n",
    }


async def test_conversations_are_searched_page_by_page(rig: Rig) -> None:
    rig.memory.answers = {
        "ListConversations": memory_pb2.ListConversationsResponse(),
        "SearchConversations": memory_pb2.SearchConversationsResponse(
            conversations=[memory_pb2.Conversation(conversation_id=CONVERSATION, title="MinIO")], next_cursor="n"
        ),
    }
    url = "/api/v1/conversations"
    found = await rig.http.get(url, params={"query": "端口 50%", "limit": 1, "cursor": "c"}, headers=rig.as_())
    assert [each["title"] for each in found.json()["conversations"]] == ["MinIO"]
    assert found.json()["next_cursor"] == "n"
    assert rig.memory.requests == [
        memory_pb2.SearchConversationsRequest(query="端口 50%", page=PageRequest(limit=1, cursor="c"))
    ]
    for blank in ("", " "):
        assert (await rig.http.get(url, params={"query": blank}, headers=rig.as_())).json()["conversations"] == []
    assert [type(request).__name__ for request in rig.memory.requests[1:]] == ["ListConversationsRequest"] * 2
    long = await rig.http.get(url, params={"query": "x" * 201}, headers=rig.as_())
    assert_problem(long, 400, "invalid_request")
