"""What retrieval found as JSON."""

from __future__ import annotations

from typing import Any

from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent_gateway.api.presenters.events import pages_json
from superagent_gateway.api.presenters.values import RETRIEVAL_MODES

_SCORES = ("vector", "keyword", "outline", "fused", "rerank")


def search_json(found: pb.SearchResponse) -> dict[str, Any]:
    """`SearchResponse`."""
    timings = found.timings
    return {
        "evidence": [_evidence(evidence) for evidence in found.evidence],
        "retrieval_mode": RETRIEVAL_MODES.get(found.retrieval_mode, "UNSPECIFIED"),
        "dropped": [{"reason": dropped.reason, "count": dropped.count} for dropped in found.dropped],
        "timings": {
            "embed_ms": round(timings.embed_ms, 3),
            "vector_ms": round(timings.vector_ms, 3),
            "keyword_ms": round(timings.keyword_ms, 3),
            "own_ms": round(timings.own_ms, 3),
            "total_ms": round(timings.total_ms, 3),
        },
        "unknown_domains": list(found.unknown_domains),
    }


def preview_json(preview: pb.PreviewSearchResponse) -> dict[str, Any]:
    """`PreviewSearchResponse`: the result and, beside it, how it came about."""
    return search_json(preview.result) | {
        "variants": list(preview.variants),
        "hits": [
            {
                "channel": hit.channel,
                "variant": hit.variant,
                "rank": hit.rank,
                "parent_id": hit.parent_id,
                "score": hit.score,
                "title": hit.title,
                "dropped": hit.dropped,
            }
            for hit in preview.hits
        ],
    }


def passages_json(document_id: str, found: pb.GetPassagesResponse) -> dict[str, Any]:
    """`GetPassagesResponse`."""
    return {
        "document_id": document_id,
        "title": found.title,
        "domain": found.domain,
        "passages": [
            {
                "parent_id": passage.parent_id,
                "heading_path": list(passage.heading_path),
                **pages_json(passage),
                "text": passage.text,
                "children": [
                    {"chunk_id": child.chunk_id, "start": child.start, "end": child.end} for child in passage.children
                ],
            }
            for passage in found.passages
        ],
    }


def domain_json(domain: pb.Domain) -> dict[str, Any]:
    """`Domain`."""
    return {
        "code": domain.code,
        "name": domain.name,
        "description": domain.description,
        "document_count": domain.document_count,
        "sample_titles": list(domain.sample_titles),
    }


def status_json(status: pb.GetStatusResponse) -> dict[str, Any]:
    """`GetStatusResponse`."""
    return {
        "embedding_model": status.embedding_model,
        "embedding_dimension": status.embedding_dimension,
        "embedder_healthy": status.embedder_healthy,
        "documents": status.documents,
        "parents": status.parents,
        "children": status.children,
        "vector_floor": status.vector_floor,
    }


def _evidence(evidence: pb.Evidence) -> dict[str, Any]:
    scores = evidence.scores
    return {
        "citation_id": evidence.citation_id,
        "document_id": evidence.document_id,
        "title": evidence.title,
        "domain": evidence.domain,
        "heading_path": list(evidence.heading_path),
        **pages_json(evidence),
        "text": evidence.text,
        "cut": evidence.cut,
        "children": [
            {
                "chunk_id": child.chunk_id,
                "text": child.text,
                "offsets": [child.start, child.end],
                "score": child.score,
            }
            for child in evidence.children
        ],
        "scores": {name: getattr(scores, name) for name in _SCORES if scores.HasField(name)},
        "channels": list(evidence.channels),
        "parent_id": evidence.parent_id,
    }
