"""One trace per turn and per document: who calls whom, as a table."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import ScriptedModel
from tests.support.span_table import Edge, StoredSpan, edges, spans_when
from tests.support.turn_events import TurnStory


def rpc(method: str) -> str:
    """`memory/AppendTurn` → the span's name."""
    service, _, name = method.partition("/")
    package = service.replace("-", "_")
    names = {"agent_executor": "ExecutorService"}
    return f"superagent.{package}.v1.{names.get(package, package.title() + 'Service')}/{name}"


def call(caller: str, parent: str, method: str) -> list[Edge]:
    """A gRPC call out of a span: its client's span below that, and the server's below the client's."""
    name = rpc(method)
    callee = method.partition("/")[0]
    return [((caller, parent), (caller, name)), ((caller, name), (callee, name))]


CHAT = "POST /api/v1/chat"
TURN_COMPLETED = "superagent.turn.completed.v1"
RECORDED: Edge = (("trace", f"process {TURN_COMPLETED}"), ("trace", "sql write"))
TURN_EDGES: list[Edge] = [
    *call("gateway", CHAT, "orchestrator/StartTurn"),
    *call("gateway", CHAT, "orchestrator/StreamTurn"),
    *call("orchestrator", rpc("orchestrator/StartTurn"), "memory/CreateConversation"),
    (("memory", rpc("memory/CreateConversation")), ("memory", "sql write")),
    (("orchestrator", rpc("orchestrator/StartTurn")), ("orchestrator", "sql write")),
    (("orchestrator", rpc("orchestrator/StartTurn")), ("orchestrator", "turn")),
    (("orchestrator", "turn"), ("orchestrator", "stage plan")),
    *call("orchestrator", "stage plan", "retrieval/ListDomains"),
    (("orchestrator", "stage plan"), ("orchestrator", "chat scripted")),
    *call("orchestrator", "turn", "agent-executor/Execute"),
    (("agent-executor", rpc("agent-executor/Execute")), ("agent-executor", "stage retrieve")),
    (("agent-executor", rpc("agent-executor/Execute")), ("agent-executor", "stage execute")),
    (("agent-executor", rpc("agent-executor/Execute")), ("agent-executor", "stage follow_ups")),
    *call("agent-executor", rpc("agent-executor/Execute"), "retrieval/Search"),
    (("retrieval", rpc("retrieval/Search")), ("retrieval", "embed query")),
    (("retrieval", rpc("retrieval/Search")), ("retrieval", "vector search")),
    (("retrieval", rpc("retrieval/Search")), ("retrieval", "keyword search")),
    (("retrieval", rpc("retrieval/Search")), ("retrieval", "sql read")),
    (("agent-executor", rpc("agent-executor/Execute")), ("agent-executor", "chat scripted")),
    (("orchestrator", "turn"), ("orchestrator", "stage archive")),
    *call("orchestrator", "stage archive", "memory/AppendTurn"),
    (("memory", rpc("memory/AppendTurn")), ("memory", "sql write")),
    (("orchestrator", "turn"), ("orchestrator", "sql write")),
    (("orchestrator", "turn"), ("orchestrator", f"publish {TURN_COMPLETED}")),
    (("orchestrator", f"publish {TURN_COMPLETED}"), ("trace", f"process {TURN_COMPLETED}")),
    RECORDED,
    (("orchestrator", f"publish {TURN_COMPLETED}"), ("memory", f"process {TURN_COMPLETED}")),
    (("memory", f"process {TURN_COMPLETED}"), ("memory", "sql write")),
]
COMPLETE = "POST /api/v1/uploads/{upload_id}/complete"
PUT_PART = "PUT /api/v1/uploads/{upload_id}/parts/{n}"
UPLOADED, INDEXED = "superagent.document.uploaded.v1", "superagent.document.indexed.v1"
HINT, JOB = "superagent.ingest_due", "superagent.ingest_document"
DOCUMENT_EDGES: list[Edge] = [
    *call("gateway", "POST /api/v1/uploads", "ingestion/CreateUpload"),
    (("ingestion", rpc("ingestion/CreateUpload")), ("ingestion", "sql write")),
    *call("gateway", PUT_PART, "ingestion/PutPart"),
    (("ingestion", rpc("ingestion/PutPart")), ("ingestion", "s3 put")),
    *call("gateway", COMPLETE, "ingestion/CompleteUpload"),
    (("ingestion", rpc("ingestion/CompleteUpload")), ("ingestion", "s3 compose")),
    (("ingestion", rpc("ingestion/CompleteUpload")), ("ingestion", "sql write")),
    (("ingestion", rpc("ingestion/CompleteUpload")), ("ingestion", f"publish {UPLOADED}")),
    (("ingestion", f"publish {UPLOADED}"), ("ingestion", f"process {UPLOADED}")),
    (("ingestion", f"process {UPLOADED}"), ("ingestion", f"send {HINT}")),
    # A hint carries no document: the job that a worker takes continues its own document's trace.
    (("ingestion", rpc("ingestion/CompleteUpload")), ("ingestion", f"process {JOB}")),
    *[
        (("ingestion", f"process {JOB}"), ("ingestion", f"stage {stage}"))
        for stage in ("parse", "strategy", "chunk", "index")
    ],
    (("ingestion", "stage parse"), ("ingestion", "s3 get")),
    *call("ingestion", "stage index", "retrieval/IndexChunks"),
    (("retrieval", rpc("retrieval/IndexChunks")), ("retrieval", "embed passages")),
    (("retrieval", rpc("retrieval/IndexChunks")), ("retrieval", "vector upsert")),
    (("retrieval", rpc("retrieval/IndexChunks")), ("retrieval", "keyword upsert")),
    (("retrieval", rpc("retrieval/IndexChunks")), ("retrieval", "sql write")),
    (("ingestion", "stage index"), ("ingestion", f"publish {INDEXED}")),
    (("ingestion", f"publish {INDEXED}"), ("orchestrator", f"process {INDEXED}")),
]


async def edges_of(fleet: Fleet, trace_id: str, wanted: Sequence[Edge]) -> set[Edge]:
    def complete(spans: Sequence[StoredSpan]) -> bool:
        return edges(spans) >= set(wanted)

    return edges(await spans_when(fleet.data_dir, trace_id, complete))


def caller_of(person: ApiClient) -> str:
    """Makes the person's requests part of a trace of theirs, and gives its id."""
    trace_id = secrets.token_hex(16)
    person.http.headers["traceparent"] = f"00-{trace_id}-{secrets.token_hex(8)}-01"
    return trace_id


async def test_a_document_is_one_trace_from_the_first_request_to_the_last_event(
    fleet_with_model: Fleet, person: ApiClient
) -> None:
    trace_id = caller_of(person)
    document_id = await person.upload(MARKDOWN.file_name, MARKDOWN.content)
    del person.http.headers["traceparent"]
    await person.settled(document_id)
    found = await edges_of(fleet_with_model, trace_id, DOCUMENT_EDGES)
    assert [edge for edge in DOCUMENT_EDGES if edge not in found] == []


async def test_a_turn_is_one_trace_from_the_request_to_the_record(fleet_with_model: Fleet, person: ApiClient) -> None:
    await person.settled(await person.upload(MARKDOWN.file_name, MARKDOWN.content))
    trace_id = caller_of(person)
    story = TurnStory(await person.ask(MARKDOWN.question))
    del person.http.headers["traceparent"]
    found = await edges_of(fleet_with_model, trace_id, TURN_EDGES)
    assert [edge for edge in TURN_EDGES if edge not in found] == []
    # The same spans are behind the public door.
    shown = await person.trace(story.turn_id)
    assert shown["trace_id"] == trace_id
    by_id = {span["span_id"]: (span["service"], span["name"]) for span in shown["spans"]}
    public = {
        (by_id[span["parent_span_id"]], by_id[span["span_id"]])
        for span in shown["spans"]
        if span["parent_span_id"] in by_id
    }
    assert [edge for edge in TURN_EDGES if edge not in public] == []
    # No span per event, and nothing of prompts or documents in any of them.
    assert len(shown["spans"]) < 60
    attributes = " ".join(value for span in shown["spans"] for value in span["attributes"].values())
    assert "9001" not in attributes
    assert MARKDOWN.question not in attributes


async def test_stages_tokens_and_cost_are_there_right_after_the_end(reader: ApiClient, model: ScriptedModel) -> None:
    for _ in range(20):
        story = TurnStory(await reader.ask(MARKDOWN.question))
        traced = await reader.trace(story.turn_id)
        assert [stage["name"] for stage in traced["stages"]] == story.stages
        assert all(stage["duration_ms"] >= 0 and stage["state"] != "STARTED" for stage in traced["stages"])
        told = story.all("usage")[-1]
        assert traced["usage"]["input_tokens"] == told["input"] > 0
        assert traced["usage"]["output_tokens"] == told["output"] > 0
        assert traced["usage"]["cost"] == pytest.approx(told["cost"])
        assert told["cost"] > 0
        assert (traced["state"], traced["mode"], len(traced["trace_id"])) == ("COMPLETED", "RAG_CHAT", 32)
        assert traced["plan"]["plan_id"] == story.plan["plan_id"]


async def test_usage_adds_up_over_a_persons_turns(fleet_with_model: Fleet, person: ApiClient) -> None:
    stories = [TurnStory(await person.ask("What is the weather in Berlin today?")) for _ in range(3)]
    trace_ids = [(await person.trace(story.turn_id))["trace_id"] for story in stories]
    for trace_id in trace_ids:
        found = await edges_of(fleet_with_model, trace_id, [RECORDED])
        assert RECORDED in found
    (row,) = (await person.http.get("/usage")).json()["rows"]
    assert (row["user_id"], row["model"], row["turns"]) == (person.user["id"], "scripted", 3)
    assert row["input_tokens"] == sum(story.all("usage")[-1]["input"] for story in stories)
    assert row["cost"] == pytest.approx(sum(story.all("usage")[-1]["cost"] for story in stories))
    listed = (await person.http.get("/traces/turns")).json()["turns"]
    assert [turn["turn_id"] for turn in listed] == [story.turn_id for story in reversed(stories)]
