"""What a search found as contract messages."""

from __future__ import annotations

from dataclasses import replace

from superagent.orchestrator.v1 import events_pb2
from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent_retrieval.application.searching import Found
from superagent_retrieval.domain.budget import Evidence
from superagent_retrieval.domain.explaining import ChannelHit, Placed, channel_hits, placed
from superagent_retrieval.domain.floors import WORD_SUPPORT
from superagent_retrieval.domain.fusion import RRF_K
from superagent_retrieval.domain.ranking import RankingSettings
from superagent_retrieval.domain.scripts import Script, script_of

_TEXT_SHOWN = 200


def search_message(found: Found) -> pb.SearchResponse:
    """`SearchResponse`."""
    timings = found.timings
    return pb.SearchResponse(
        evidence=[_evidence(number, each) for number, each in enumerate(found.evidence, start=1)],
        retrieval_mode=events_pb2.RetrievalMode.Value(f"RETRIEVAL_MODE_{found.mode.upper()}"),
        dropped=[pb.Dropped(reason=reason, count=count) for reason, count in sorted(found.dropped.items())],
        timings=pb.Timings(
            embed_ms=timings.embed,
            vector_ms=timings.vector,
            keyword_ms=timings.keyword,
            outline_ms=timings.outline,
            rerank_ms=timings.rerank,
            own_ms=timings.own,
            total_ms=timings.total,
        ),
        unknown_domains=found.unknown_domains,
        rerank=found.rerank,
    )


def preview_message(result: pb.SearchResponse, found: Found) -> pb.PreviewSearchResponse:
    """`PreviewSearchResponse`: the result and how it came about."""
    return pb.PreviewSearchResponse(
        result=result,
        variants=[each.text for each in found.variants],
        variant_kinds=[each.kind for each in found.variants],
        hits=map(_hit, channel_hits(found.pool, found.parents)),
        candidates=map(_candidate, placed(found.pool, found.ranking, found.evidence)),
        fusion=_fusion(found.settings, script_of(found.variants[0].text)),
        failures=[pb.ChannelFailure(channel=name, reason=why) for name, why in sorted(found.channels_down.items())],
    )


def _fusion(ranking: RankingSettings, asked: Script) -> pb.FusionSettings:
    """The settings as they were for a question of that script."""
    calibration = ranking.calibration
    turn = calibration.across.of(asked) if calibration.across else None
    floors = calibration.related
    if floors and turn:
        floors = replace(floors, across=turn.related)
    across = turn.floor if turn else calibration.cross_script_floor
    return pb.FusionSettings(
        method=ranking.fusion,
        vector_weight=ranking.vector_weight,
        rank_constant=RRF_K,
        vector_floor=calibration.vector_floor,
        cross_script_floor=calibration.vector_floor if across is None else across,
        keyword_floor=ranking.keyword_floor,
        related=floors
        and pb.RelatedFloors(han=floors.han, other=floors.other, across=floors.across, word_support=WORD_SUPPORT),
        per_source=ranking.per_source,
    )


def _hit(hit: ChannelHit) -> pb.ChannelHit:
    parent = hit.parent
    return pb.ChannelHit(
        channel=hit.channel,
        variant=hit.variant,
        rank=hit.rank,
        parent_id=parent.parent_id,
        score=hit.score,
        title=parent.title,
        dropped=hit.dropped or "",
        document_id=parent.document_id,
        heading_path=parent.heading_path,
        text=parent.text[:_TEXT_SHOWN],
    )


def _candidate(placed: Placed) -> pb.Candidate:
    candidate, parent = placed.candidate, placed.candidate.parent
    return pb.Candidate(
        parent_id=parent.parent_id,
        document_id=parent.document_id,
        title=parent.title,
        heading_path=parent.heading_path,
        text=parent.text[:_TEXT_SHOWN],
        citation_id=placed.citation,
        dropped=placed.dropped or "",
        parts=[
            pb.ScorePart(
                list=part.list,
                channel=part.channel,
                rank=part.rank,
                score=part.score,
                share=part.share,
                weight=part.weight,
                value=part.value,
            )
            for part in placed.parts
        ],
        bonuses=[pb.ScoreBonus(name=bonus.name, value=bonus.value) for bonus in candidate.bonuses],
        fused=candidate.fused,
        exact=candidate.exact,
        rerank=candidate.rerank,
    )


def _evidence(number: int, evidence: Evidence) -> pb.Evidence:
    passage = evidence.passage
    return pb.Evidence(
        citation_id=number,
        document_id=passage.document_id,
        title=passage.title,
        domain=passage.domain,
        heading_path=passage.heading_path,
        page_from=passage.page_from,
        page_to=passage.page_to,
        text=evidence.window.text,
        cut=evidence.window.cut,
        children=[
            pb.EvidenceChild(
                chunk_id=child.chunk_id,
                text=passage.text[child.start : child.end],
                start=child.start,
                end=child.end,
                score=child.score,
            )
            for child in passage.children
        ],
        scores=pb.Scores(
            vector=passage.vector,
            keyword=passage.keyword,
            outline=passage.outline,
            fused=passage.fused,
            rerank=passage.rerank,
        ),
        channels=passage.channels,
        parent_id=passage.parent_id,
    )
