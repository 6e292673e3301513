"""The state of retrieval as contract messages."""

from __future__ import annotations

from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent_common.clock import timestamp
from superagent_retrieval.application.rebuilding import Progress
from superagent_retrieval.application.status import StatusShown


def status_message(shown: StatusShown) -> pb.GetStatusResponse:
    """`GetStatusResponse`."""
    return pb.GetStatusResponse(
        embedding_model=shown.answering.model,
        embedding_dimension=shown.answering.dimension,
        embedder_healthy=shown.embedder_ready,
        documents=shown.documents,
        parents=shown.parents,
        children=shown.children,
        vector_floor=shown.vector_floor,
        degraded=shown.degraded,
        configured_model=shown.wanted.model,
        rebuild_due=shown.rebuild_due,
        embedding_models=shown.models,
        rebuild=_progress(shown.rebuild) if shown.rebuild else None,
    )


def _progress(progress: Progress) -> pb.RebuildProgress:
    run, trouble = progress.run, progress.trouble
    return pb.RebuildProgress(
        run_id=run.run_id,
        embedding_model=run.index.model,
        embedding_dimension=run.index.dimension,
        started_at=timestamp(run.started_at),
        documents_done=progress.documents_done,
        documents_total=progress.documents_total,
        waiting_reason=trouble.reason if trouble else "",
        retry_at=timestamp(trouble.retry_at) if trouble else None,
    )
