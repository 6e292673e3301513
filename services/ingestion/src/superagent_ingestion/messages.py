"""Documents as contract messages: for answers and for events."""

from __future__ import annotations

from superagent.ingestion.v1 import ingestion_pb2 as pb
from superagent_common.clock import timestamp
from superagent_ingestion.domain.documents import Document, Stage


def document_message(document: Document) -> pb.Document:
    """The document as the contract has it."""
    metadata, failure = document.metadata, document.failure
    return pb.Document(
        document_id=document.document_id,
        file_name=document.file_name,
        title=document.title,
        state=pb.DocumentState.Value(f"DOCUMENT_STATE_{document.state.upper()}"),
        progress=document.progress,
        waiting_reason=document.waiting_reason,
        failure=pb.Failure(stage=failure.stage, reason=failure.reason, message=failure.message) if failure else None,
        children=document.children,
        parents=document.parents,
        strategy=document.strategy,
        stages=map(_stage_message, document.stages),
        size=document.size,
        sha256=document.sha256,
        domain_code=metadata.domain_code,
        business_category=metadata.business_category,
        tags=metadata.tags,
        language=document.language,
        org_tag=metadata.org_tag,
        is_public=metadata.is_public,
        owner_id=document.owner_id,
        created_at=timestamp(document.created_at),
        updated_at=timestamp(document.updated_at),
        pages=document.pages,
        strategy_reasons=document.strategy_reasons,
        answering=document.answering,
        recommended_strategy=document.recommended_strategy,
        source_url=document.source_url,
        instant=bool(document.copied_from),
        retry_at=None if document.retry_at is None else timestamp(document.retry_at),
        queued_before=document.queued_before,
    )


def _stage_message(stage: Stage) -> pb.DocumentStage:
    return pb.DocumentStage(
        name=stage.name,
        state=stage.state,
        started_at=None if stage.started_at is None else timestamp(stage.started_at),
        ended_at=None if stage.ended_at is None else timestamp(stage.ended_at),
        attempts=stage.attempts,
        counts=stage.counts,
    )
