"""Evidence from the retrieval service."""

from __future__ import annotations

from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from superagent_agent_executor.domain.evidence import Finding, Hints, Passage, RetrievalMode
from superagent_agent_executor.domain.plan import SubQuestion
from superagent_common.rpc import Channel

_MODES: dict[int, RetrievalMode] = {
    events_pb2.RETRIEVAL_MODE_HYBRID: "hybrid",
    events_pb2.RETRIEVAL_MODE_TEXT_ONLY: "text_only",
    events_pb2.RETRIEVAL_MODE_VECTOR_ONLY: "vector_only",
    events_pb2.RETRIEVAL_MODE_CACHED: "cached",
}


# Retrieval takes 8,000 characters. Who pastes a long text asks before it or behind it.
_LONGEST, _HALF = 8_000, 3_999


class GrpcEvidence:
    """`Evidence` over `RetrievalService.Search`."""

    def __init__(self, channel: Channel, timeout_seconds: float) -> None:
        self._stub = RetrievalServiceStub(channel)
        self._timeout = timeout_seconds

    async def find(self, question: SubQuestion, budget_chars: int, hints: Hints) -> Finding:
        filters = question.filters
        answer = await self._stub.Search(
            pb.SearchRequest(
                question=_searched(question.text),
                history_hint=hints.history,
                hint_words=hints.words,
                domains=question.domains,
                filters=plan_pb2.QuestionFilters(
                    business_categories=filters.business_categories,
                    tags=filters.tags,
                    languages=filters.languages,
                    document_ids=filters.document_ids,
                ),
                budget_chars=budget_chars,
                use_outline=question.use_outline,
            ),
            timeout=self._timeout,
        )
        return Finding(question, tuple(map(_passage, answer.evidence)), _MODES.get(answer.retrieval_mode, "none"))


def _searched(question: str) -> str:
    return question if len(question) <= _LONGEST else f"{question[:_HALF]}\n{question[-_HALF:]}"


def _passage(evidence: pb.Evidence) -> Passage:
    return Passage(
        parent_id=evidence.parent_id,
        document_id=evidence.document_id,
        title=evidence.title,
        domain=evidence.domain,
        text=evidence.text,
        heading_path=tuple(evidence.heading_path),
        page_from=evidence.page_from if evidence.HasField("page_from") else None,
        page_to=evidence.page_to if evidence.HasField("page_to") else None,
        # What only words matched has no matching child; its parent's id leads to it as well.
        child_ids=tuple(child.chunk_id for child in evidence.children) or (evidence.parent_id,),
        best_child=evidence.children[0].text if evidence.children else "",
    )
