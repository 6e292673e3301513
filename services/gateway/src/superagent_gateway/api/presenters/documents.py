"""Uploads and documents as JSON."""

from __future__ import annotations

from typing import Any

from superagent.ingestion.v1 import ingestion_pb2 as pb
from superagent_gateway.api.presenters.values import names, time_or_none, time_text, without_empty

DOCUMENT_STATES = names(pb.DocumentState, "DOCUMENT_STATE_")


def upload_json(upload: pb.Upload) -> dict[str, Any]:
    """`Upload`; `document_id` once there is one, `challenge` when possession must be proved."""
    data: dict[str, Any] = {
        "upload_id": upload.upload_id,
        "part_size": upload.part_size,
        "parts_total": upload.parts_total,
        "parts_received": list(upload.parts_received),
        "instant": upload.instant,
        **without_empty({"document_id": upload.document_id}),
    }
    if upload.HasField("challenge"):
        data["challenge"] = {
            "nonce": upload.challenge.nonce.hex(),
            "ranges": [{"start": piece.start, "end": piece.end} for piece in upload.challenge.ranges],
        }
    return data


def document_json(document: pb.Document, domain_name: str, reader_id: str) -> dict[str, Any]:
    """`Document` for one reader; `waiting_reason` while it waits, `failure` when it failed."""
    mine = document.owner_id == reader_id
    data: dict[str, Any] = {
        "id": document.document_id,
        "file_name": document.file_name,
        "title": document.title,
        "state": DOCUMENT_STATES.get(document.state, "UNSPECIFIED"),
        "progress": document.progress,
        **without_empty({"waiting_reason": document.waiting_reason, "retry_at": time_or_none(document, "retry_at")}),
    }
    if document.queued_before:
        data["queued_before"] = document.queued_before
    if document.HasField("failure"):
        failure = document.failure
        data["failure"] = {"stage": failure.stage, "reason": failure.reason, "message": failure.message}
    return data | {
        "chunks": {"children": document.children, "parents": document.parents},
        "strategy": document.strategy,
        "recommended_strategy": document.recommended_strategy,
        "strategy_reasons": list(document.strategy_reasons),
        "answering": document.answering,
        "instant": document.instant,
        # What follows the question mark may be a key that only its owner was given.
        "source_url": document.source_url if mine else document.source_url.partition("?")[0],
        "stages": [_stage(stage) for stage in document.stages],
        "size": document.size,
        "sha256": document.sha256,
        "pages": document.pages,
        "domain_code": document.domain_code,
        "domain_name": domain_name,
        "business_category": document.business_category,
        "tags": list(document.tags),
        "language": document.language,
        "org_tag": document.org_tag,
        "is_public": document.is_public,
        "owner_id": document.owner_id,
        "mine": mine,
        "created_at": time_or_none(document, "created_at"),
        "updated_at": time_or_none(document, "updated_at"),
    }


def preview_json(preview: pb.PreviewChunksResponse) -> dict[str, Any]:
    """`PreviewChunksResponse`."""
    return {
        "chunks": [_chunk(chunk) for chunk in preview.chunks],
        "next_cursor": preview.next_cursor or None,
        "strategy": preview.strategy,
        "available_strategies": list(preview.available_strategies),
        "parents_total": preview.parents_total,
        "children_total": preview.children_total,
    }


def _chunk(chunk: pb.PreviewChunk) -> dict[str, Any]:
    data: dict[str, Any] = {
        "position": chunk.position,
        "parent_position": chunk.parent_position,
        "heading_path": list(chunk.heading_path),
        "text": chunk.text,
        "repeated_characters": chunk.repeated_characters,
    }
    return data | ({"page": chunk.page} if chunk.HasField("page") else {})


def log_entry_json(entry: pb.LogEntry) -> dict[str, Any]:
    """`LogEntry`."""
    return {"at": time_text(entry.at), "stage": entry.stage, "level": entry.level, "message": entry.message}


def _stage(stage: pb.DocumentStage) -> dict[str, Any]:
    counts = stage.counts
    return {
        "name": stage.name,
        "state": stage.state,
        "started_at": time_or_none(stage, "started_at"),
        "ended_at": time_or_none(stage, "ended_at"),
        "attempts": stage.attempts,
        "counts": {key: counts[key] for key in sorted(counts)},
    }
