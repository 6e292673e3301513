"""The shapes of the contract that clients rely on."""

from __future__ import annotations

from tests.support.json_shapes import Shape, number, one_of, str_or_null, utc, utc_or_null, uuid7

EVENT: dict[str, Shape] = {"turn_id": uuid7, "sequence": int, "at": utc}
STAGE_NAMES = one_of(
    "load_memory", "rewrite", "plan", "outline", "retrieve", "rerank", "execute", "tool", "follow_ups", "archive"
)
STAGE_STATES = one_of("STARTED", "COMPLETED", "FAILED", "SKIPPED")
RETRIEVAL_MODES = one_of("HYBRID", "TEXT_ONLY", "VECTOR_ONLY", "CACHED", "NONE")
MODES = one_of("CLARIFY", "RAG_CHAT", "REACT_AGENT", "WORKFLOW", "DIRECT")
BUDGET: dict[str, Shape] = dict.fromkeys(
    (
        "model_calls",
        "tool_rounds",
        "web_searches",
        "tool_calls",
        "evidence_chars",
        "evidence_chars_per_question",
        "deadline_ms",
        "max_output_tokens",
    ),
    int,
)
PLAN: dict[str, Shape] = {
    "schema_version": int,
    "plan_id": uuid7,
    "conversation_id": uuid7,
    "turn_id": uuid7,
    "created_at": utc,
    "time_zone": str,
    "mode": MODES,
    "original_question": str,
    "rewritten_question": str,
    "rewrite": {"applied": bool, "reason": str, "history_turns_used": int},
    "sub_questions": [
        {
            "index": int,
            "text": str,
            "domains": [str],
            "filters": dict,
            "use_outline": bool,
            "depends_on": [int],
        }
    ],
    "knowledge_domains": [str],
    "clarification?": {"question": str, "choices": [str], "missing": str},
    "skills": [{"code": str, "reason": str, "score": number}],
    "use_knowledge": bool,
    "workflow?": {"agent_id": str, "inputs": dict},
    "tools_allowed": [str],
    "admin_mode": bool,
    "budget": BUDGET,
    "memory": {"strategy": str, "summary": str, "recent_turns": [dict], "facts": [str]},
    "answer_language": str,
    "planner": {
        "kind": one_of("MODEL", "RULES", "FAST_PATH"),
        "model": str,
        "confidence": number,
        "reason": str,
        "fallback_cause?": str,
    },
}
SOURCE: dict[str, Shape] = {
    "citation_id": int,
    "document_id": uuid7,
    "title": str,
    "heading_path": [str],
    "page_from?": int,
    "page_to?": int,
    "snippet": str,
    "domain": str,
}
EVENTS: dict[str, dict[str, Shape]] = {
    "accepted": {"conversation_id": uuid7},
    "stage": {"name": STAGE_NAMES, "state": STAGE_STATES, "detail": dict},
    "plan": PLAN,
    "clarify": {"question": str, "choices": [str]},
    "thinking": {"text": str},
    "delta": {"text": str},
    "sources": {"sources": [SOURCE], "retrieval_mode": RETRIEVAL_MODES},
    "follow_ups": {"questions": [str]},
    "usage": {
        "model": str,
        "input": int,
        "output": int,
        "cost": number,
        "model_calls": int,
        "tool_calls": int,
        "limits": BUDGET,
    },
    "degraded": {"tier": str, "reason": str},
    "done": {"finish_reason": str},
    "error": {"reason": str, "message": str, "retryable": bool, "retry_after?": int},
}
UPLOAD: dict[str, Shape] = {
    "upload_id": uuid7,
    "part_size": int,
    "parts_total": int,
    "parts_received": [int],
    "instant": bool,
    "document_id?": uuid7,
    "challenge?": {"nonce": str, "ranges": [dict]},
}
DOCUMENT: dict[str, Shape] = {
    "id": uuid7,
    "file_name": str,
    "title": str,
    "state": one_of(
        "UPLOADED", "PARSING", "PARSED", "CONFIRMED", "CHUNKING", "INDEXING", "READY", "FAILED", "DELETING"
    ),
    "progress": int,
    "waiting_reason?": str,
    "failure?": {"stage": str, "reason": str, "message": str},
    "chunks": {"children": int, "parents": int},
    "size": int,
    "domain_code": str,
    "domain_name": str,
    "tags": [str],
    "org_tag": str,
    "is_public": bool,
    "owner_id": uuid7,
    "mine": bool,
    "created_at": utc,
    "strategy": str,
    "stages": [
        {
            "name": str,
            "state": str,
            "started_at": utc_or_null,
            "ended_at": utc_or_null,
            "attempts": int,
            "counts": dict,
        }
    ],
}
EVIDENCE: dict[str, Shape] = {
    "citation_id": int,
    "document_id": uuid7,
    "title": str,
    "domain": str,
    "heading_path": [str],
    "page_from": int,
    "page_to": int,
    "text": str,
    "children": [{"chunk_id": str, "text": str, "offsets": [int]}],
    # A channel that did not find it gives no score.
    "scores": {"vector?": number, "keyword?": number, "fused": number},
    "channels": [str],
}
TRACED_TURN: dict[str, Shape] = {
    "turn_id": uuid7,
    "mode": MODES,
    "plan": PLAN,
    "stages": [{"name": STAGE_NAMES, "started_at": utc, "duration_ms": number, "state": STAGE_STATES, "detail": dict}],
    "usage": {"model_calls": int, "tool_calls": int, "input_tokens": int, "output_tokens": int, "cost": number},
    "trace_id": str,
}
USER: dict[str, Shape] = {"id": uuid7, "username": str, "roles": [str], "org_tags": [str]}
LISTED_USER: dict[str, Shape] = {**USER, "banned": bool, "created_at": utc}
ORG_TAG: dict[str, Shape] = {"code": str, "name": str, "parent_code": str_or_null}
OWN_ACCOUNT: dict[str, Shape] = {**USER, "created_at": utc, "reachable_org_tags": [ORG_TAG]}
MANAGED_DOMAIN: dict[str, Shape] = {"code": str, "name": str, "description": str, "owner_org_tag": str_or_null}
DOMAIN: dict[str, Shape] = {
    "code": str,
    "name": str,
    "description": str,
    "document_count": int,
    "sample_titles": [str],
}
ABOUT: dict[str, Shape] = {
    "version": str,
    "model": {"configured": bool, "name": str_or_null},
    "registration": one_of("open"),
}
SKILL: dict[str, Shape] = {"code": str, "name": str, "description": str}
TOOL: dict[str, Shape] = {"name": str, "description": str, "risk": one_of("read", "write", "dangerous")}
PASSAGES: dict[str, Shape] = {
    "document_id": uuid7,
    "title": str,
    "domain": str,
    "passages": [
        {
            "parent_id": str,
            "heading_path": [str],
            "page_from?": int,
            "page_to?": int,
            "text": str,
            "children": [{"chunk_id": str, "start": int, "end": int}],
        }
    ],
}
PROBLEM: dict[str, Shape] = {"type": str, "title": str, "status": int, "detail": str, "reason": str, "trace_id": str}
