"""What retrieval found as JSON."""

from __future__ import annotations

from typing import Any

from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent_gateway.api.presenters.events import pages_json
from superagent_gateway.api.presenters.values import RETRIEVAL_MODES, time_text

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
            "outline_ms": round(timings.outline_ms, 3),
            "rerank_ms": round(timings.rerank_ms, 3),
        },
        "unknown_domains": list(found.unknown_domains),
        "rerank": found.rerank,
    }


def preview_json(preview: pb.PreviewSearchResponse) -> dict[str, Any]:
    """`PreviewSearchResponse`: the result and, beside it, how it came about."""
    return search_json(preview.result) | {
        "variants": list(preview.variants),
        "variant_kinds": list(preview.variant_kinds),
        "hits": [_hit(hit) for hit in preview.hits],
        "candidates": [_candidate(candidate) for candidate in preview.candidates],
        "fusion": _fusion(preview.fusion),
        "failures": [{"channel": each.channel, "reason": each.reason} for each in preview.failures],
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
        "degraded": status.degraded or None,
        "configured_model": status.configured_model,
        "rebuild_due": status.rebuild_due,
        "embedding_models": list(status.embedding_models),
        "rebuild": _rebuild(status.rebuild) if status.HasField("rebuild") else None,
    }


def _rebuild(progress: pb.RebuildProgress) -> dict[str, Any]:
    return {
        "run_id": progress.run_id,
        "embedding_model": progress.embedding_model,
        "embedding_dimension": progress.embedding_dimension,
        "started_at": time_text(progress.started_at),
        "documents_done": progress.documents_done,
        "documents_total": progress.documents_total,
        "waiting_reason": progress.waiting_reason or None,
        "retry_at": time_text(progress.retry_at) if progress.HasField("retry_at") else None,
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


def _hit(hit: pb.ChannelHit) -> dict[str, Any]:
    return {
        "channel": hit.channel,
        "variant": hit.variant,
        "rank": hit.rank,
        "parent_id": hit.parent_id,
        "document_id": hit.document_id,
        "title": hit.title,
        "heading_path": list(hit.heading_path),
        "text": hit.text,
        "score": hit.score,
        "dropped": hit.dropped,
    }


def _candidate(candidate: pb.Candidate) -> dict[str, Any]:
    return {
        "parent_id": candidate.parent_id,
        "document_id": candidate.document_id,
        "title": candidate.title,
        "heading_path": list(candidate.heading_path),
        "text": candidate.text,
        **({"citation_id": candidate.citation_id} if candidate.HasField("citation_id") else {}),
        "dropped": candidate.dropped,
        "parts": [
            {
                "list": part.list,
                "channel": part.channel,
                "rank": part.rank,
                "score": part.score,
                **({"share": part.share} if part.HasField("share") else {}),
                "weight": part.weight,
                "value": part.value,
            }
            for part in candidate.parts
        ],
        "bonuses": [{"name": bonus.name, "value": bonus.value} for bonus in candidate.bonuses],
        "fused": candidate.fused,
        "exact": list(candidate.exact),
        **({"rerank": candidate.rerank} if candidate.HasField("rerank") else {}),
    }


def _fusion(fusion: pb.FusionSettings) -> dict[str, Any]:
    related = fusion.related
    floors = {
        "han": related.han,
        "other": related.other,
        "across": related.across,
        "word_support": related.word_support,
    }
    return {
        "method": fusion.method,
        "vector_weight": fusion.vector_weight,
        "rank_constant": fusion.rank_constant,
        "vector_floor": fusion.vector_floor,
        "cross_script_floor": fusion.cross_script_floor,
        "keyword_floor": fusion.keyword_floor,
        **({"related": floors} if fusion.HasField("related") else {}),
        "per_source": fusion.per_source,
    }
