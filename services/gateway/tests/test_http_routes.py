"""Documents, uploads, conversations, retrieval and traces over HTTP: the shapes that scripts rely on."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from services.gateway.tests.gateway_rig import CONVERSATION, TURN, Rig
from services.gateway.tests.test_http_problems import assert_problem
from services.gateway.tests.test_presenters import PLAN
from superagent.common.v1.common_pb2 import PageRequest
from superagent.ingestion.v1 import ingestion_pb2
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent.retrieval.v1 import retrieval_pb2
from superagent.trace.v1 import trace_pb2
from superagent_common.errors import NotFound, ServiceError, Unavailable, Unimplemented

AT = Timestamp(seconds=1_769_846_400)
AT_TEXT = "2026-01-31T08:00:00.000000Z"


async def test_an_upload_begins(rig: Rig) -> None:
    rig.ingestion.answers["CreateUpload"] = ingestion_pb2.CreateUploadResponse(
        upload=ingestion_pb2.Upload(upload_id="u", part_size=5, parts_total=2)
    )
    body = {
        "file_name": "手册.md",
        "size": 10,
        "sha256": "a" * 64,
        "domain_code": "ops",
        "tags": ["x"],
        "org_tag": "acme",
        "is_public": True,
    }
    headers = {**rig.as_(), "idempotency-key": "once"}
    answer = await rig.http.post("/api/v1/uploads", json=body, headers=headers)
    assert (answer.status_code, answer.json()) == (
        201,
        {"upload_id": "u", "part_size": 5, "parts_total": 2, "parts_received": [], "instant": False},
    )
    assert rig.ingestion.requests == [ingestion_pb2.CreateUploadRequest(**body, idempotency_key="once")]


async def test_an_instant_upload_and_one_that_must_be_proved(rig: Rig) -> None:
    rig.ingestion.answers["GetUpload"] = ingestion_pb2.GetUploadResponse(
        upload=ingestion_pb2.Upload(
            upload_id="u",
            part_size=5,
            parts_total=2,
            parts_received=[0, 1],
            instant=True,
            document_id="d",
            challenge=ingestion_pb2.Challenge(nonce=b"\x01\xff", ranges=[ingestion_pb2.ByteRange(start=0, end=9)]),
        )
    )
    assert (await rig.http.get("/api/v1/uploads/u", headers=rig.as_())).json() == {
        "upload_id": "u",
        "part_size": 5,
        "parts_total": 2,
        "parts_received": [0, 1],
        "instant": True,
        "document_id": "d",
        "challenge": {"nonce": "01ff", "ranges": [{"start": 0, "end": 9}]},
    }


async def test_an_upload_is_completed(rig: Rig) -> None:
    rig.ingestion.answers["CompleteUpload"] = ingestion_pb2.CompleteUploadResponse(document_id="d")
    answer = await rig.http.post("/api/v1/uploads/u/complete", headers=rig.as_())
    assert (answer.status_code, answer.json()) == (202, {"document_id": "d"})


def a_document(**fields: Any) -> ingestion_pb2.Document:
    return ingestion_pb2.Document(
        document_id="d",
        file_name="手册.md",
        title="手册",
        state=ingestion_pb2.DOCUMENT_STATE_INDEXING,
        progress=70,
        children=4,
        parents=2,
        strategy="structure+recursive",
        stages=[
            ingestion_pb2.DocumentStage(
                name="parse",
                state="completed",
                started_at=AT,
                ended_at=AT,
                attempts=1,
                counts={"pages": 3, "blocks": 9},
            ),
            ingestion_pb2.DocumentStage(name="index", state="pending"),
        ],
        size=10,
        sha256="a" * 64,
        domain_code="ops",
        created_at=AT,
        updated_at=AT,
        **fields,
    )


DOCUMENT: dict[str, Any] = {
    "id": "d",
    "file_name": "手册.md",
    "title": "手册",
    "state": "INDEXING",
    "progress": 70,
    "chunks": {"children": 4, "parents": 2},
    "strategy": "structure+recursive",
    "strategy_reasons": [],
    "stages": [
        {
            "name": "parse",
            "state": "completed",
            "started_at": AT_TEXT,
            "ended_at": AT_TEXT,
            "attempts": 1,
            "counts": {"blocks": 9, "pages": 3},
        },
        {"name": "index", "state": "pending", "started_at": None, "ended_at": None, "attempts": 0, "counts": {}},
    ],
    "size": 10,
    "sha256": "a" * 64,
    "pages": 0,
    "domain_code": "ops",
    "business_category": "",
    "tags": [],
    "language": "",
    "org_tag": "",
    "is_public": False,
    "owner_id": "",
    "created_at": AT_TEXT,
    "updated_at": AT_TEXT,
}


async def test_a_document(rig: Rig) -> None:
    rig.ingestion.answers["GetDocument"] = ingestion_pb2.GetDocumentResponse(document=a_document())
    assert (await rig.http.get("/api/v1/documents/d", headers=rig.as_())).json() == DOCUMENT
    failure = ingestion_pb2.Failure(stage="parse", reason="encrypted", message="The file is encrypted.")
    rig.ingestion.answers["GetDocument"] = ingestion_pb2.GetDocumentResponse(
        document=a_document(waiting_reason="queued", failure=failure)
    )
    assert (await rig.http.get("/api/v1/documents/d", headers=rig.as_())).json() == {
        **DOCUMENT,
        "waiting_reason": "queued",
        "failure": {"stage": "parse", "reason": "encrypted", "message": "The file is encrypted."},
    }


async def test_documents_page_by_page(rig: Rig) -> None:
    rig.ingestion.answers["ListDocuments"] = ingestion_pb2.ListDocumentsResponse(
        documents=[a_document()], next_cursor="n"
    )
    url = "/api/v1/documents?state=READY&state=FAILED&domain_code=ops&limit=2&cursor=c"
    answer = await rig.http.get(url, headers=rig.as_())
    assert answer.json() == {"documents": [DOCUMENT], "next_cursor": "n"}
    assert rig.ingestion.requests == [
        ingestion_pb2.ListDocumentsRequest(
            page=PageRequest(limit=2, cursor="c"),
            states=[ingestion_pb2.DOCUMENT_STATE_READY, ingestion_pb2.DOCUMENT_STATE_FAILED],
            domain_code="ops",
        )
    ]
    rig.ingestion.answers["ListDocuments"] = ingestion_pb2.ListDocumentsResponse()
    last = await rig.http.get("/api/v1/documents", headers=rig.as_())
    assert last.json() == {"documents": [], "next_cursor": None}


async def test_a_documents_log_and_its_end(rig: Rig) -> None:
    rig.ingestion.answers["GetDocumentLog"] = ingestion_pb2.GetDocumentLogResponse(
        entries=[ingestion_pb2.LogEntry(at=AT, stage="parse", level="info", message="3 pages")]
    )
    answer = await rig.http.get("/api/v1/documents/d/log", headers=rig.as_())
    assert answer.json() == {"entries": [{"at": AT_TEXT, "stage": "parse", "level": "info", "message": "3 pages"}]}
    rig.ingestion.answers["DeleteDocument"] = ingestion_pb2.DeleteDocumentResponse()
    assert (await rig.http.delete("/api/v1/documents/d", headers=rig.as_())).status_code == 204


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


FOUND = retrieval_pb2.SearchResponse(
    evidence=[
        retrieval_pb2.Evidence(
            citation_id=1,
            document_id="d",
            title="T",
            domain="ops",
            heading_path=["A"],
            page_from=3,
            page_to=3,
            text="parent",
            children=[retrieval_pb2.EvidenceChild(chunk_id="k", text="par", start=0, end=3, score=0.5)],
            scores=retrieval_pb2.Scores(vector=0.5, fused=1.0),
            channels=["vector"],
            parent_id="p",
        )
    ],
    retrieval_mode=events_pb2.RETRIEVAL_MODE_HYBRID,
    dropped=[retrieval_pb2.Dropped(reason="below_floor", count=2)],
    timings=retrieval_pb2.Timings(total_ms=1.5),
)
SHOWN: dict[str, Any] = {
    "evidence": [
        {
            "citation_id": 1,
            "document_id": "d",
            "title": "T",
            "domain": "ops",
            "heading_path": ["A"],
            "page_from": 3,
            "page_to": 3,
            "text": "parent",
            "cut": False,
            "children": [{"chunk_id": "k", "text": "par", "offsets": [0, 3], "score": 0.5}],
            "scores": {"vector": 0.5, "fused": 1.0},
            "channels": ["vector"],
            "parent_id": "p",
        }
    ],
    "retrieval_mode": "HYBRID",
    "dropped": [{"reason": "below_floor", "count": 2}],
    "timings": {"embed_ms": 0.0, "vector_ms": 0.0, "keyword_ms": 0.0, "own_ms": 0.0, "total_ms": 1.5},
    "unknown_domains": [],
}


async def test_searching_and_its_working(rig: Rig) -> None:
    rig.retrieval.answers = {
        "Search": FOUND,
        "PreviewSearch": retrieval_pb2.PreviewSearchResponse(
            result=FOUND,
            variants=["v"],
            hits=[retrieval_pb2.ChannelHit(channel="vector", rank=1, parent_id="p", score=0.5, title="T")],
        ),
    }
    body = {"question": "q", "domains": ["ops"], "filters": {"tags": ["x"]}, "top_k": 3}
    assert (await rig.http.post("/api/v1/retrieval/search", json=body, headers=rig.as_())).json() == SHOWN
    asked = retrieval_pb2.SearchRequest(
        question="q", domains=["ops"], filters=plan_pb2.QuestionFilters(tags=["x"]), top_k=3
    )
    assert rig.retrieval.requests == [asked]
    hit = {
        "channel": "vector",
        "variant": 0,
        "rank": 1,
        "parent_id": "p",
        "score": 0.5,
        "title": "T",
        "dropped": "",
    }
    preview = await rig.http.post("/api/v1/retrieval/preview", json=body, headers=rig.as_())
    assert preview.json() == {**SHOWN, "variants": ["v"], "hits": [hit]}
    bare = await rig.http.post("/api/v1/retrieval/search", json={"question": "q"}, headers=rig.as_())
    assert bare.status_code == 200
    assert rig.retrieval.requests[-1] == retrieval_pb2.SearchRequest(question="q")


async def test_domains_and_the_state_of_retrieval(rig: Rig) -> None:
    rig.retrieval.answers = {
        "ListDomains": retrieval_pb2.ListDomainsResponse(
            domains=[retrieval_pb2.Domain(code="ops", name="Ops", document_count=2, sample_titles=["T"])]
        ),
        "GetStatus": retrieval_pb2.GetStatusResponse(
            embedding_model="e5", embedding_dimension=384, embedder_healthy=True, documents=1, vector_floor=0.5
        ),
    }
    domain = {"code": "ops", "name": "Ops", "description": "", "document_count": 2, "sample_titles": ["T"]}
    assert (await rig.http.get("/api/v1/domains", headers=rig.as_())).json() == {"domains": [domain]}
    assert (await rig.http.get("/api/v1/retrieval/status", headers=rig.as_())).json() == {
        "embedding_model": "e5",
        "embedding_dimension": 384,
        "embedder_healthy": True,
        "documents": 1,
        "parents": 0,
        "children": 0,
        "vector_floor": 0.5,
    }


RECORD = events_pb2.TurnRecord(
    turn_id=TURN,
    conversation_id=CONVERSATION,
    user_id="u",
    state=events_pb2.TURN_STATE_COMPLETED,
    plan=PLAN,
    stages=[events_pb2.Stage(name="plan", state=events_pb2.STAGE_STATE_COMPLETED, started_at=AT, duration_ms=1.5)],
    usage=events_pb2.Usage(model="m", input_tokens=10, output_tokens=5, cost=0.5, model_calls=1),
    trace_id="f" * 32,
    started_at=AT,
    completed_at=AT,
    finish_reason="stop",
    degraded=[events_pb2.Degraded(tier="text_only", reason="embedder_down")],
)


async def test_a_turns_trace(rig: Rig) -> None:
    span = trace_pb2.Span(span_id="s", service="memory", name="LoadContext", kind="server", started_at=AT)
    rig.trace.answers["GetTurn"] = trace_pb2.GetTurnResponse(turn=RECORD, spans=[span])
    answer = (await rig.http.get(f"/api/v1/traces/turns/{TURN}", headers=rig.as_())).json()
    plan = answer.pop("plan")
    assert (plan["mode"], plan["planner"]["kind"]) == ("RAG_CHAT", "RULES")
    assert answer == {
        "turn_id": TURN,
        "conversation_id": CONVERSATION,
        "user_id": "u",
        "state": "COMPLETED",
        "mode": "RAG_CHAT",
        "started_at": AT_TEXT,
        "completed_at": AT_TEXT,
        "finish_reason": "stop",
        "first_delta_ms": 0.0,
        "usage": {
            "model": "m",
            "model_calls": 1,
            "tool_calls": 0,
            "input_tokens": 10,
            "output_tokens": 5,
            "cost": 0.5,
        },
        "trace_id": "f" * 32,
        "stages": [{"name": "plan", "state": "COMPLETED", "started_at": AT_TEXT, "duration_ms": 1.5, "detail": {}}],
        "sources": [],
        "retrieval_mode": "UNSPECIFIED",
        "degraded": [{"tier": "text_only", "reason": "embedder_down"}],
        "spans": [
            {
                "span_id": "s",
                "parent_span_id": "",
                "service": "memory",
                "name": "LoadContext",
                "kind": "server",
                "started_at": AT_TEXT,
                "duration_ms": 0.0,
                "failed": False,
                "attributes": {},
            }
        ],
    }
    assert rig.orchestrator.requests == []


@pytest.mark.parametrize("missing", [NotFound("unknown_turn"), Unavailable("down"), Unimplemented("not_implemented")])
async def test_a_turn_that_trace_does_not_have_yet_comes_from_the_orchestrator(rig: Rig, missing: ServiceError) -> None:
    rig.trace.answers["GetTurn"] = missing
    rig.orchestrator.answers["GetPlan"] = orchestrator_pb2.GetPlanResponse(plan=PLAN, turn=RECORD)
    answer = (await rig.http.get(f"/api/v1/traces/turns/{TURN}", headers=rig.as_())).json()
    assert (answer["turn_id"], answer["usage"]["input_tokens"], answer["spans"]) == (TURN, 10, [])
    rig.orchestrator.answers["GetPlan"] = NotFound("unknown_turn", "There is no such turn.")
    assert_problem(await rig.http.get(f"/api/v1/traces/turns/{TURN}", headers=rig.as_()), 404, "unknown_turn")


async def test_turns_and_usage_in_lists(rig: Rig) -> None:
    failed = events_pb2.TurnRecord(
        turn_id=TURN,
        state=events_pb2.TURN_STATE_FAILED,
        error=events_pb2.TurnError(reason="interrupted", message="m", retryable=True),
    )
    row = trace_pb2.UsageRow(day="2026-01-31", user_id="u", model="m", turns=1, input_tokens=2, cost=0.5)
    rig.trace.answers = {
        "ListTurns": trace_pb2.ListTurnsResponse(turns=[failed], next_cursor="n"),
        "GetUsage": trace_pb2.GetUsageResponse(rows=[row]),
    }
    url = f"/api/v1/traces/turns?conversation_id={CONVERSATION}"
    answer = (await rig.http.get(url, headers=rig.as_())).json()
    assert (answer["next_cursor"], answer["turns"][0]["state"]) == ("n", "FAILED")
    assert answer["turns"][0]["error"] == {"reason": "interrupted", "message": "m", "retryable": True}
    assert rig.trace.requests[0].conversation_id == CONVERSATION
    usage = await rig.http.get("/api/v1/usage?from_day=2026-01-01", headers=rig.as_())
    assert usage.json() == {
        "rows": [
            {
                "day": "2026-01-31",
                "user_id": "u",
                "model": "m",
                "turns": 1,
                "input_tokens": 2,
                "output_tokens": 0,
                "cost": 0.5,
            }
        ]
    }
    assert_problem(await rig.http.get("/api/v1/usage?from_day=now", headers=rig.as_()), 400, "invalid_request")


@pytest.mark.parametrize(
    "path",
    [f"turns/{TURN}/regenerate", f"turns/{TURN}/approvals", "documents/import", "uploads/u/proof", "retrieval/rebuild"],
)
async def test_what_comes_later_is_not_there(rig: Rig, path: str) -> None:
    answer = await rig.http.post(f"/api/v1/{path}", json={}, headers=rig.as_())
    assert answer.status_code in (404, 405)
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_call_that_a_service_does_not_serve_yet_is_not_implemented(rig: Rig) -> None:
    rig.memory.answers["GetConversation"] = Unimplemented("not_implemented", "Not served by this version.")
    answer = await rig.http.get(f"/api/v1/conversations/{CONVERSATION}", headers=rig.as_())
    assert_problem(answer, 501, "not_implemented")


async def test_readiness_needs_every_service(rig: Rig) -> None:
    for path in ("/readyz", "/api/v1/readyz"):
        rig.serving = {"orchestrator": True, "memory": True}
        answer = await rig.http.get(path)
        assert (answer.status_code, answer.json()) == (
            200,
            {"status": "ready", "services": {"orchestrator": "SERVING", "memory": "SERVING"}},
        )
        rig.serving = {"orchestrator": True, "memory": False}
        answer = await rig.http.get(path)
        assert (answer.status_code, answer.json()) == (
            503,
            {"status": "not_ready", "services": {"orchestrator": "SERVING", "memory": "NOT_SERVING"}},
        )
    assert (await rig.http.get("/healthz")).json() == {"status": "alive"}
