"""Uploads and documents: /uploads, /documents."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response

from superagent.ingestion.v1 import ingestion_pb2 as pb
from superagent_common.identity import current_principal
from superagent_common.ids import new_id
from superagent_common.paging import DEFAULT_LIMIT
from superagent_gateway.api.models.documents import (
    CompletedUploadAnswer,
    DocumentAnswer,
    DocumentChanges,
    DocumentLogAnswer,
    DocumentSaid,
    DocumentsAnswer,
    DocumentState,
    ImportBody,
    PartAnswer,
    PreviewChunksAnswer,
    ProofBody,
    StrategyBody,
    UploadAnswer,
    UploadBody,
)
from superagent_gateway.api.part_upload import put_part
from superagent_gateway.api.persons import Door
from superagent_gateway.api.presenters.documents import (
    DOCUMENT_STATES,
    document_json,
    log_entry_json,
    preview_json,
    upload_json,
)
from superagent_gateway.api.presenters.values import numbers
from superagent_gateway.api.routes.common import PREFIX, Cursor, IdempotencyKey, Limit, page
from superagent_gateway.application.knowledge_domains import KnowledgeDomains

_STATES = numbers(DOCUMENT_STATES)
_COMPLETE_SECONDS = 300.0
"""A large upload is composed of thousands of parts, or copied, by the object store."""
_PREVIEW_SECONDS = 60.0
"""A long document is read and cut anew for it."""
_PART_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def document_routes(ingestion: Any, domains: KnowledgeDomains, door: Door) -> APIRouter:
    """/uploads* and /documents*; `ingestion` is a stub of IngestionService."""
    router = APIRouter(prefix=PREFIX, tags=["documents"], dependencies=[Depends(door.person)])

    def shown(document: pb.Document) -> dict[str, Any]:
        return document_json(document, domains.name(document.domain_code), current_principal().user_id)

    @router.post("/uploads", status_code=201, response_model=UploadAnswer, response_model_exclude_unset=True)
    async def create_upload(body: UploadBody, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
        """Begins an upload."""
        answer = await ingestion.CreateUpload(
            pb.CreateUploadRequest(
                file_name=body.file_name,
                size=body.size,
                sha256=body.sha256,
                idempotency_key=idempotency_key or new_id(),
                **_said(body),
            ),
            # An own content that is there already is copied at once.
            timeout=_COMPLETE_SECONDS,
        )
        return upload_json(answer.upload)

    @router.post("/uploads/{upload_id}/proof", response_model=UploadAnswer, response_model_exclude_unset=True)
    async def prove_possession(upload_id: str, body: ProofBody) -> dict[str, Any]:
        """Proves that the person holds a content that another one stored: no parts need to travel then."""
        answer = await ingestion.ProvePossession(
            pb.ProvePossessionRequest(upload_id=upload_id, digest=body.digest), timeout=_COMPLETE_SECONDS
        )
        return upload_json(answer.upload)

    @router.put(
        "/uploads/{upload_id}/parts/{n}",
        response_model=PartAnswer,
        openapi_extra=_PART_BODY,
    )
    async def upload_part(
        upload_id: str,
        n: Annotated[int, Path(ge=0, le=2**31 - 1, description="from 0")],
        request: Request,
        content_digest: Annotated[str | None, Header(max_length=1000, examples=["sha-256=:base64:"])] = None,
    ) -> Any:
        """Takes one part. The same part again with the same bytes changes nothing."""
        answer = await put_part(ingestion, upload_id, n, content_digest, request)
        if answer is None:
            return Response(status_code=400)  # nobody is there to read it
        return {"parts_received": list(answer.parts_received), "parts_total": answer.parts_total}

    @router.get("/uploads/{upload_id}", response_model=UploadAnswer, response_model_exclude_unset=True)
    async def upload(upload_id: str) -> dict[str, Any]:
        """Where an own upload stands."""
        return upload_json((await ingestion.GetUpload(pb.GetUploadRequest(upload_id=upload_id))).upload)

    @router.post("/uploads/{upload_id}/complete", status_code=202, response_model=CompletedUploadAnswer)
    async def complete_upload(upload_id: str) -> dict[str, Any]:
        """Makes the document of an upload whose parts are all there. Completing again gives the same document."""
        answer = await ingestion.CompleteUpload(
            pb.CompleteUploadRequest(upload_id=upload_id), timeout=_COMPLETE_SECONDS
        )
        return {"document_id": answer.document_id}

    @router.get("/documents", response_model=DocumentsAnswer, response_model_exclude_unset=True)
    async def documents(
        state: Annotated[list[DocumentState] | None, Query(max_length=10)] = None,
        domain_code: Annotated[str, Query(max_length=200)] = "",
        query: Annotated[str, Query(max_length=200, description="part of the title or of the file's name")] = "",
        limit: Limit = DEFAULT_LIMIT,
        cursor: Cursor = "",
    ) -> dict[str, Any]:
        """Own documents, newest first."""
        answer = await ingestion.ListDocuments(
            pb.ListDocumentsRequest(
                page=page(limit, cursor),
                states=[_STATES[name] for name in state or ()],
                domain_code=domain_code,
                query=query,
            )
        )
        return {
            "documents": [shown(document) for document in answer.documents],
            "next_cursor": answer.next_cursor or None,
        }

    @router.post("/documents/import", status_code=202, response_model=CompletedUploadAnswer)
    async def import_url(body: ImportBody, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
        """Fetches an address as a document. Whether that succeeds, the document tells."""
        metadata = pb.CreateUploadRequest(idempotency_key=idempotency_key or new_id(), **_said(body))
        answer = await ingestion.ImportUrl(pb.ImportUrlRequest(url=body.url, metadata=metadata))
        return {"document_id": answer.document_id}

    @router.get("/documents/{document_id}", response_model=DocumentAnswer, response_model_exclude_unset=True)
    async def document(document_id: str) -> dict[str, Any]:
        """One document with its stages."""
        return shown((await ingestion.GetDocument(pb.GetDocumentRequest(document_id=document_id))).document)

    @router.patch("/documents/{document_id}", response_model=DocumentAnswer, response_model_exclude_unset=True)
    async def change(document_id: str, body: DocumentChanges) -> dict[str, Any]:
        """Changes an own document's title, tags or visibility; every answer from now on goes by it."""
        request = pb.UpdateDocumentRequest(
            document_id=document_id,
            title=body.title,
            tags=body.tags or (),
            set_tags=body.tags is not None,
            org_tag=body.org_tag,
            is_public=body.is_public,
        )
        return shown((await ingestion.UpdateDocument(request)).document)

    @router.get(
        "/documents/{document_id}/chunks", response_model=PreviewChunksAnswer, response_model_exclude_unset=True
    )
    async def chunks(
        document_id: str,
        strategy: Annotated[str, Query(max_length=200, description="empty: the document's own")] = "",
        limit: Limit = DEFAULT_LIMIT,
        cursor: Cursor = "",
    ) -> dict[str, Any]:
        """An own document as a strategy would cut it, in reading order."""
        request = pb.PreviewChunksRequest(document_id=document_id, strategy=strategy, page=page(limit, cursor))
        return preview_json(await ingestion.PreviewChunks(request, timeout=_PREVIEW_SECONDS))

    @router.post("/documents/{document_id}/strategy", response_model=DocumentAnswer, response_model_exclude_unset=True)
    async def confirm_strategy(document_id: str, body: StrategyBody) -> dict[str, Any]:
        """Confirms or changes how an own document is cut."""
        request = pb.ConfirmStrategyRequest(document_id=document_id, strategy=body.strategy)
        return shown((await ingestion.ConfirmStrategy(request)).document)

    @router.post(
        "/documents/{document_id}/reprocess",
        status_code=202,
        response_model=DocumentAnswer,
        response_model_exclude_unset=True,
    )
    async def reprocess(document_id: str) -> dict[str, Any]:
        """Processes an own document again; its chunks of now answer until the new ones are ready."""
        request = pb.ReprocessDocumentRequest(document_id=document_id)
        return shown((await ingestion.ReprocessDocument(request)).document)

    @router.delete("/documents/{document_id}", status_code=204)
    async def delete(document_id: str) -> Response:
        """Removes a document; from now on it answers nothing."""
        await ingestion.DeleteDocument(pb.DeleteDocumentRequest(document_id=document_id))
        return Response(status_code=204)

    @router.get("/documents/{document_id}/log", response_model=DocumentLogAnswer)
    async def log(document_id: str) -> dict[str, Any]:
        """What happened to a document, oldest first."""
        answer = await ingestion.GetDocumentLog(pb.GetDocumentLogRequest(document_id=document_id))
        return {"entries": [log_entry_json(entry) for entry in answer.entries]}

    return router


def _said(body: DocumentSaid) -> dict[str, Any]:
    """Fields of `CreateUploadRequest`."""
    return {
        "domain_code": body.domain_code or "",
        "business_category": body.business_category or "",
        "title": body.title or "",
        "language": body.language or "",
        "tags": body.tags or (),
        "org_tag": body.org_tag or "",
        "is_public": body.is_public,
        "review_strategy": body.review_strategy,
    }
