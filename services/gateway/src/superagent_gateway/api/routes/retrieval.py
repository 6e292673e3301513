"""Searching and reading on: /retrieval, /documents/*/passages, /domains."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from superagent.orchestrator.v1.plan_pb2 import QuestionFilters
from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent_gateway.api.models.retrieval import (
    DomainsAnswer,
    PassagesAnswer,
    PreviewAnswer,
    RebuildAnswer,
    RebuildBody,
    RetrievalStatusAnswer,
    SearchAnswer,
    SearchBody,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.presenters.retrieval import (
    domain_json,
    passages_json,
    preview_json,
    search_json,
    status_json,
)
from superagent_gateway.api.routes.common import PREFIX

ChunkIds = Annotated[
    list[Annotated[str, Query(max_length=200)]], Query(min_length=1, max_length=50, description="repeatable")
]


def retrieval_routes(retrieval: Any, door: Door) -> APIRouter:
    """/retrieval/*, /documents/*/passages and /domains; `retrieval` is a stub of RetrievalService."""
    router = APIRouter(prefix=PREFIX, tags=["retrieval"], dependencies=[Depends(door.person)])

    @router.post("/retrieval/search", response_model=SearchAnswer, response_model_exclude_unset=True)
    async def search(body: SearchBody) -> dict[str, Any]:
        """Finds evidence among what the person may read."""
        return search_json(await retrieval.Search(_request(body)))

    @router.post("/retrieval/preview", response_model=PreviewAnswer, response_model_exclude_unset=True)
    async def preview(body: SearchBody) -> dict[str, Any]:
        """As search, with its working shown."""
        return preview_json(await retrieval.PreviewSearch(pb.PreviewSearchRequest(search=_request(body))))

    @router.get("/retrieval/status", response_model=RetrievalStatusAnswer)
    async def status() -> dict[str, Any]:
        """State of embedder and index, and how far an index is that is being built."""
        return status_json(await retrieval.GetStatus(pb.GetStatusRequest()))

    @router.post(
        "/retrieval/rebuild", status_code=202, response_model=RebuildAnswer, dependencies=[Depends(door.administrator)]
    )
    async def rebuild(body: RebuildBody) -> dict[str, Any]:
        """Switches the embedding model: builds an index beside the one that answers, which takes over when it holds all.

        For administrators. `GET /retrieval/status` shows how far it is.
        """
        run = await retrieval.RebuildIndex(pb.RebuildIndexRequest(embedding_model=body.embedding_model))
        return {"run_id": run.run_id, "done": run.done}

    @router.get("/documents/{document_id}/passages", response_model=PassagesAnswer, response_model_exclude_unset=True)
    async def passages(document_id: str, chunk_id: ChunkIds) -> dict[str, Any]:
        """Whole passages of a document, to show what was cited in its place.

        Takes what `child_ids` of a source and `chunk_id` and `parent_id` of evidence hold. Chunks that the document
        does not have any more are left out.
        """
        answer = await retrieval.GetPassages(pb.GetPassagesRequest(document_id=document_id, chunk_ids=chunk_id))
        return passages_json(document_id, answer)

    @router.get("/domains", response_model=DomainsAnswer)
    async def domains() -> dict[str, Any]:
        """Knowledge domains that are there for the person: with readable documents, or described and theirs to know of."""
        answer = await retrieval.ListDomains(pb.ListDomainsRequest())
        return {"domains": [domain_json(domain) for domain in answer.domains]}

    return router


def _request(body: SearchBody) -> pb.SearchRequest:
    filters = body.filters
    return pb.SearchRequest(
        question=body.question,
        domains=body.domains or (),
        filters=QuestionFilters(
            business_categories=filters.business_categories or (),
            tags=filters.tags or (),
            languages=filters.languages or (),
            document_ids=filters.document_ids or (),
        )
        if filters
        else None,
        top_k=body.top_k or 0,
        use_outline=body.use_outline,
        history_hint=body.history_hint,
        hint_words=body.hint_words,
    )
