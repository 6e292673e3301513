"""Turn events are the same bytes everywhere, and look as the contract says."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Struct
from hypothesis import given
from hypothesis import strategies as st

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN
from services.gateway.tests.gateway_rig import frames
from superagent.ingestion.v1 import ingestion_pb2
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_gateway.api.models import base
from superagent_gateway.api.models.documents import DocumentState
from superagent_gateway.api.models.events import EVENTS
from superagent_gateway.api.presenters.events import frame
from superagent_gateway.api.presenters.values import names, struct_json

PLAN = plan_pb2.ExecutionPlan(
    schema_version=1,
    plan_id="p",
    conversation_id=CONVERSATION,
    turn_id=TURN,
    mode=plan_pb2.MODE_RAG_CHAT,
    original_question="那它怎么配置?",
    rewritten_question="MinIO 怎么配置?",
    rewrite=plan_pb2.Rewrite(applied=True, reason="pronoun", history_turns_used=2),
    sub_questions=[plan_pb2.SubQuestion(index=1, text="MinIO 怎么配置?", domains=["ops"])],
    knowledge_domains=["ops"],
    use_knowledge=True,
    budget=plan_pb2.Budget(model_calls=8, evidence_chars=5200),
    memory=plan_pb2.PlanMemory(
        strategy=plan_pb2.MEMORY_STRATEGY_SUMMARY,
        recent_turns=[plan_pb2.PastTurn(turn_id="t", question="q", answer="a")],
    ),
    answer_language="zh",
    planner=plan_pb2.Planner(kind=plan_pb2.PLANNER_KIND_RULES, confidence=0.8, reason="documents asked for"),
)
BUDGET = {
    "model_calls": 8,
    "tool_rounds": 0,
    "web_searches": 0,
    "tool_calls": 0,
    "evidence_chars": 5200,
    "evidence_chars_per_question": 0,
    "deadline_ms": 0,
    "max_output_tokens": 0,
}


def struct(values: dict[str, Any]) -> Struct:
    return ParseDict(values, Struct())


GOLDEN: list[tuple[str, Any, dict[str, Any]]] = [
    (
        "accepted",
        events_pb2.Accepted(turn_id=TURN, conversation_id=CONVERSATION),
        {"conversation_id": CONVERSATION},
    ),
    (
        "stage",
        events_pb2.Stage(
            name="retrieve",
            state=events_pb2.STAGE_STATE_COMPLETED,
            detail=struct({"z": 5, "a": 0.5, "list": [1, {"b": None}], "mode": "HYBRID", "ok": True}),
            duration_ms=12.34567,
        ),
        {
            "name": "retrieve",
            "state": "COMPLETED",
            "started_at": None,
            "duration_ms": 12.346,
            "detail": {"a": 0.5, "list": [1, {"b": None}], "mode": "HYBRID", "ok": True, "z": 5},
        },
    ),
    (
        "plan",
        PLAN,
        {
            "schema_version": 1,
            "plan_id": "p",
            "conversation_id": CONVERSATION,
            "turn_id": TURN,
            "created_at": None,
            "time_zone": "",
            "mode": "RAG_CHAT",
            "original_question": "那它怎么配置?",
            "rewritten_question": "MinIO 怎么配置?",
            "rewrite": {"applied": True, "reason": "pronoun", "history_turns_used": 2},
            "sub_questions": [
                {
                    "index": 1,
                    "text": "MinIO 怎么配置?",
                    "domains": ["ops"],
                    "filters": {"business_categories": [], "tags": [], "languages": [], "document_ids": []},
                    "use_outline": False,
                    "depends_on": [],
                }
            ],
            "knowledge_domains": ["ops"],
            "skills": [],
            "use_knowledge": True,
            "tools_allowed": [],
            "admin_mode": False,
            "budget": BUDGET,
            "memory": {
                "strategy": "SUMMARY",
                "summary": "",
                "recent_turns": [{"turn_id": "t", "question": "q", "answer": "a"}],
                "facts": [],
                "long_term": [],
            },
            "answer_language": "zh",
            "planner": {"kind": "RULES", "model": "", "confidence": 0.8, "reason": "documents asked for"},
        },
    ),
    (
        "clarify",
        events_pb2.Clarify(question="哪一个?", choices=["A", "B"]),
        {"question": "哪一个?", "choices": ["A", "B"]},
    ),
    ("thinking", events_pb2.Thinking(text="hm"), {"text": "hm"}),
    (
        "tool_call",
        events_pb2.ToolCall(id="c", name="calculator", arguments=struct({"x": 2})),
        {"id": "c", "name": "calculator", "arguments": {"x": 2}},
    ),
    (
        "tool_result",
        events_pb2.ToolResult(id="c", ok=True, summary="4", duration_ms=3),
        {"id": "c", "ok": True, "summary": "4", "duration_ms": 3.0},
    ),
    (
        "approval_required",
        events_pb2.ApprovalRequired(id="c", tool="delete", arguments=struct({}), risk="irreversible"),
        {"id": "c", "tool": "delete", "arguments": {}, "risk": "irreversible"},
    ),
    ("delta", events_pb2.Delta(text='"MinIO"\n\u2028是 [1]'), {"text": '"MinIO"\n\u2028是 [1]'}),
    (
        "sources",
        events_pb2.Sources(
            sources=[
                events_pb2.Source(
                    citation_id=1,
                    document_id="d",
                    title="T",
                    heading_path=["A", "B"],
                    page_from=3,
                    page_to=4,
                    snippet="s",
                    domain="ops",
                    child_ids=["k"],
                ),
                events_pb2.Source(citation_id=2, document_id="e", title="U", snippet="t", domain="ops"),
            ],
            retrieval_mode=events_pb2.RETRIEVAL_MODE_HYBRID,
        ),
        {
            "sources": [
                {
                    "citation_id": 1,
                    "document_id": "d",
                    "title": "T",
                    "heading_path": ["A", "B"],
                    "page_from": 3,
                    "page_to": 4,
                    "snippet": "s",
                    "domain": "ops",
                    "child_ids": ["k"],
                },
                {
                    "citation_id": 2,
                    "document_id": "e",
                    "title": "U",
                    "heading_path": [],
                    "snippet": "t",
                    "domain": "ops",
                    "child_ids": [],
                },
            ],
            "retrieval_mode": "HYBRID",
        },
    ),
    ("follow_ups", events_pb2.FollowUps(questions=["Why?"]), {"questions": ["Why?"]}),
    (
        "usage",
        events_pb2.Usage(
            model="m",
            input_tokens=10,
            output_tokens=5,
            cost=0.25,
            model_calls=1,
            limits=plan_pb2.Budget(model_calls=8, evidence_chars=5200),
        ),
        {"model": "m", "input": 10, "output": 5, "cost": 0.25, "model_calls": 1, "tool_calls": 0, "limits": BUDGET},
    ),
    (
        "degraded",
        events_pb2.Degraded(tier="text_only", reason="embedder_down"),
        {"tier": "text_only", "reason": "embedder_down"},
    ),
    ("queued", events_pb2.Queued(position=3, model="gpt"), {"position": 3, "model": "gpt"}),
    ("done", events_pb2.Done(finish_reason="stop"), {"finish_reason": "stop"}),
    (
        "error",
        events_pb2.TurnError(reason="interrupted", message="The server stopped.", retryable=True),
        {"reason": "interrupted", "message": "The server stopped.", "retryable": True},
    ),
    (
        "error",
        events_pb2.TurnError(reason="model_queue_full", message="Busy.", retryable=True, retry_after_seconds=4.2),
        {"reason": "model_queue_full", "message": "Busy.", "retryable": True, "retry_after": 5},
    ),
]


def event(name: str, payload: Any) -> events_pb2.TurnEvent:
    made = events_pb2.TurnEvent(turn_id=TURN, sequence=7, **{name: payload})
    made.at.FromJsonString("2026-01-31T08:00:00.5Z")
    return made


@pytest.mark.parametrize(("name", "payload", "fields"), GOLDEN, ids=[golden[0] for golden in GOLDEN])
def test_each_event_is_exactly_these_bytes(name: str, payload: Any, fields: dict[str, Any]) -> None:
    data = {"turn_id": TURN, "sequence": 7, "at": "2026-01-31T08:00:00.500000Z", **fields}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert frame(event(name, payload)).decode() == f"event: {name}\nid: 7\ndata: {text}\n\n"
    EVENTS[name].model_validate_json(text, strict=True)


def test_every_event_of_the_contract_is_rendered_and_described() -> None:
    payloads = {field.name for field in events_pb2.TurnEvent.DESCRIPTOR.oneofs_by_name["payload"].fields}
    assert payloads == {golden[0] for golden in GOLDEN} == set(EVENTS)


def test_an_event_that_this_version_does_not_know_keeps_its_number() -> None:
    ((name, number, data),) = frames(frame(events_pb2.TurnEvent(turn_id=TURN, sequence=9)).decode())
    assert (name, number, json.loads(data)["sequence"]) == ("unknown", 9, 9)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_in_one_data_line(text: str) -> None:
    rendered = frame(event("delta", events_pb2.Delta(text=text))).decode()
    ((_, _, data),) = frames(rendered)
    assert json.loads(data)["text"] == text
    assert rendered.count("\n") == 4


@pytest.mark.parametrize(
    ("number", "shown"),
    [(3.0, 3), (-2.0, -2), (2.5, 2.5), (float("nan"), None), (float("inf"), None), (1e300, 1e300)],
)
def test_numbers_of_a_struct_are_numbers_of_json(number: float, shown: Any) -> None:
    made = Struct()
    made.fields["n"].number_value = number
    assert (struct_json(made)["n"], type(struct_json(made)["n"])) == (shown, type(shown))


@pytest.mark.parametrize(
    ("described", "enum", "prefix"),
    [
        (base.Mode, plan_pb2.Mode, "MODE_"),
        (base.MemoryStrategy, plan_pb2.MemoryStrategy, "MEMORY_STRATEGY_"),
        (base.RetrievalMode, events_pb2.RetrievalMode, "RETRIEVAL_MODE_"),
        (base.StageState, events_pb2.StageState, "STAGE_STATE_"),
        (base.TurnState, events_pb2.TurnState, "TURN_STATE_"),
        (DocumentState, ingestion_pb2.DocumentState, "DOCUMENT_STATE_"),
    ],
)
def test_the_description_knows_every_value_of_the_contracts_enums(described: Any, enum: Any, prefix: str) -> None:
    assert set(get_args(described)) == set(names(enum, prefix).values())
    chosen = {"MODE_": base.ChosenMode, "MEMORY_STRATEGY_": base.ChosenMemoryStrategy}.get(prefix)
    if chosen:
        assert set(get_args(chosen)) == set(names(enum, prefix).values()) - {"UNSPECIFIED"}
