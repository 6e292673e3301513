"""Contract messages ↔ use cases, nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import grpc

from superagent.ingestion.v1 import ingestion_pb2 as pb
from superagent.ingestion.v1.ingestion_pb2_grpc import IngestionServiceServicer
from superagent_common.clock import timestamp
from superagent_common.errors import InvalidInput, ServiceError
from superagent_common.identity import current_principal
from superagent_common.rpc import Access
from superagent_ingestion.application.changes import Change, Changes
from superagent_ingestion.application.documents import Documents
from superagent_ingestion.application.imports import Imports
from superagent_ingestion.application.reprocessing import Reprocessing
from superagent_ingestion.application.strategies import Strategies
from superagent_ingestion.application.uploads import NewUpload, Uploads
from superagent_ingestion.application.watching import Watching
from superagent_ingestion.domain.chunking import Child
from superagent_ingestion.domain.documents import DEFAULT_DOMAIN, Metadata, State
from superagent_ingestion.domain.uploads import PART_BYTES, Upload
from superagent_ingestion.messages import document_message

_SERVICE = "/superagent.ingestion.v1.IngestionService/"
ACCESS: dict[str, Access] = {
    _SERVICE + method: "user"
    for method in (
        "CreateUpload",
        "ProvePossession",
        "PutPart",
        "GetUpload",
        "CompleteUpload",
        "ImportUrl",
        "ListDocuments",
        "GetDocument",
        "GetDocumentLog",
        "WatchDocuments",
        "PreviewChunks",
        "ConfirmStrategy",
        "ReprocessDocument",
        "UpdateDocument",
        "DeleteDocument",
    )
}
_STATES: dict[int, State] = {
    number: name.removeprefix("DOCUMENT_STATE_").lower()  # type: ignore[misc]
    for name, number in pb.DocumentState.items()
    if number
}


class IngestionApi(IngestionServiceServicer):  # type: ignore[misc]
    """`superagent.ingestion.v1.IngestionService`."""

    def __init__(
        self,
        uploads: Uploads,
        imports: Imports,
        documents: Documents,
        strategies: Strategies,
        changes: Changes,
        reprocessing: Reprocessing,
        watching: Watching,
    ) -> None:
        self._uploads = uploads
        self._imports = imports
        self._documents = documents
        self._strategies = strategies
        self._changes = changes
        self._reprocessing = reprocessing
        self._watching = watching

    async def CreateUpload(
        self, request: pb.CreateUploadRequest, context: grpc.aio.ServicerContext
    ) -> pb.CreateUploadResponse:
        wanted = NewUpload(
            request.file_name,
            request.size,
            request.sha256,
            _metadata(request),
            request.idempotency_key,
            request.review_strategy,
        )
        upload, received = await self._uploads.create(current_principal(), wanted)
        return pb.CreateUploadResponse(upload=_upload(upload, received))

    async def ProvePossession(
        self, request: pb.ProvePossessionRequest, context: grpc.aio.ServicerContext
    ) -> pb.ProvePossessionResponse:
        upload, received = await self._uploads.prove(current_principal(), request.upload_id, request.digest)
        return pb.ProvePossessionResponse(upload=_upload(upload, received))

    async def PutPart(
        self, requests: AsyncIterator[pb.PutPartRequest], context: grpc.aio.ServicerContext
    ) -> pb.PutPartResponse:
        first = await anext(requests, None)
        if first is None or first.WhichOneof("part") != "header":
            raise InvalidInput("header_missing", "The first message is the part's header.")
        header = first.header

        async def chunks() -> AsyncIterator[bytes]:
            async for request in requests:
                yield request.data

        try:
            upload, received = await self._uploads.put_part(
                current_principal(), header.upload_id, header.number, header.sha256, chunks()
            )
        except ServiceError:
            # Now and then gRPC loses a status that comes while the other side still sends.
            left = PART_BYTES
            async for data in chunks():
                left -= len(data)
                if left < 0:
                    break
            raise
        return pb.PutPartResponse(parts_received=received, parts_total=upload.parts_total)

    async def GetUpload(self, request: pb.GetUploadRequest, context: grpc.aio.ServicerContext) -> pb.GetUploadResponse:
        upload, received = await self._uploads.get(current_principal(), request.upload_id)
        return pb.GetUploadResponse(upload=_upload(upload, received))

    async def CompleteUpload(
        self, request: pb.CompleteUploadRequest, context: grpc.aio.ServicerContext
    ) -> pb.CompleteUploadResponse:
        document_id = await self._uploads.complete(current_principal(), request.upload_id)
        return pb.CompleteUploadResponse(document_id=document_id)

    async def ImportUrl(self, request: pb.ImportUrlRequest, context: grpc.aio.ServicerContext) -> pb.ImportUrlResponse:
        said = request.metadata
        document_id = await self._imports.create(
            current_principal(), request.url, _metadata(said), said.idempotency_key, said.review_strategy
        )
        return pb.ImportUrlResponse(document_id=document_id)

    async def ListDocuments(
        self, request: pb.ListDocumentsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListDocumentsResponse:
        states = [_STATES[state] for state in request.states if state in _STATES]
        rows, cursor = await self._documents.page(
            current_principal(), states, request.domain_code, request.query, request.page.limit, request.page.cursor
        )
        return pb.ListDocumentsResponse(documents=map(document_message, rows), next_cursor=cursor)

    async def GetDocument(
        self, request: pb.GetDocumentRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetDocumentResponse:
        document = await self._documents.get(current_principal(), request.document_id)
        return pb.GetDocumentResponse(document=document_message(document))

    async def GetDocumentLog(
        self, request: pb.GetDocumentLogRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetDocumentLogResponse:
        entries = await self._documents.log(current_principal(), request.document_id)
        return pb.GetDocumentLogResponse(
            entries=[
                pb.LogEntry(at=timestamp(entry.at), stage=entry.stage, level=entry.level, message=entry.message)
                for entry in entries
            ]
        )

    async def PreviewChunks(
        self, request: pb.PreviewChunksRequest, context: grpc.aio.ServicerContext
    ) -> pb.PreviewChunksResponse:
        preview = await self._strategies.preview(
            current_principal(), request.document_id, request.strategy, request.page.limit, request.page.cursor
        )
        return pb.PreviewChunksResponse(
            chunks=map(_chunk, preview.children),
            next_cursor=preview.next_cursor,
            strategy=preview.strategy,
            available_strategies=self._strategies.available,
            parents_total=preview.parents_total,
            children_total=preview.children_total,
        )

    async def ConfirmStrategy(
        self, request: pb.ConfirmStrategyRequest, context: grpc.aio.ServicerContext
    ) -> pb.ConfirmStrategyResponse:
        document = await self._strategies.confirm(current_principal(), request.document_id, request.strategy)
        return pb.ConfirmStrategyResponse(document=document_message(document))

    async def ReprocessDocument(
        self, request: pb.ReprocessDocumentRequest, context: grpc.aio.ServicerContext
    ) -> pb.ReprocessDocumentResponse:
        document = await self._reprocessing.begin(current_principal(), request.document_id)
        return pb.ReprocessDocumentResponse(document=document_message(document))

    async def UpdateDocument(
        self, request: pb.UpdateDocumentRequest, context: grpc.aio.ServicerContext
    ) -> pb.UpdateDocumentResponse:
        change = Change(
            title=request.title if request.HasField("title") else None,
            tags=tuple(dict.fromkeys(request.tags)) if request.set_tags else None,
            org_tag=request.org_tag if request.HasField("org_tag") else None,
            is_public=request.is_public if request.HasField("is_public") else None,
        )
        document = await self._changes.change(current_principal(), request.document_id, change)
        return pb.UpdateDocumentResponse(document=document_message(document))

    async def WatchDocuments(
        self, request: pb.WatchDocumentsRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.WatchDocumentsResponse]:
        principal = current_principal()
        async with aclosing(self._watching.changes(principal)) as changes:
            async for document_id, document in changes:
                yield pb.WatchDocumentsResponse(
                    document=document_message(document)
                    if document
                    else pb.Document(
                        document_id=document_id, owner_id=principal.user_id, state=pb.DOCUMENT_STATE_DELETING
                    )
                )

    async def DeleteDocument(
        self, request: pb.DeleteDocumentRequest, context: grpc.aio.ServicerContext
    ) -> pb.DeleteDocumentResponse:
        await self._documents.delete(current_principal(), request.document_id)
        return pb.DeleteDocumentResponse()


def _metadata(request: pb.CreateUploadRequest) -> Metadata:
    return Metadata(
        domain_code=request.domain_code or DEFAULT_DOMAIN,
        business_category=request.business_category,
        title=request.title,
        language=request.language,
        tags=tuple(dict.fromkeys(request.tags)),
        org_tag=request.org_tag,
        is_public=request.is_public,
    )


def _upload(upload: Upload, received: Sequence[int]) -> pb.Upload:
    challenge = upload.challenge
    return pb.Upload(
        upload_id=upload.upload_id,
        part_size=PART_BYTES,
        parts_total=upload.parts_total,
        parts_received=received,
        instant=upload.instant,
        document_id=upload.document_id if upload.completed else "",
        challenge=challenge
        and pb.Challenge(
            nonce=challenge.nonce,
            ranges=[pb.ByteRange(start=start, end=end) for start, end in challenge.ranges],
        ),
    )


def _chunk(child: Child) -> pb.PreviewChunk:
    return pb.PreviewChunk(
        position=child.position,
        parent_position=child.parent_position,
        heading_path=child.heading_path,
        page=child.page,
        text=child.text,
        repeated_characters=len(child.prefix) + child.overlap,
    )
