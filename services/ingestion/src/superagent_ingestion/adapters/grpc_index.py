"""The index behind the retrieval service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from superagent_common.clock import timestamp
from superagent_common.rpc import Channel
from superagent_ingestion.domain.chunking import Child, Chunks, Parent
from superagent_ingestion.domain.documents import Document

_PARENTS_PER_BATCH = 8
_QUICK_SECONDS = 15.0
"""For what a person waits for: less than their own deadline, so that what becomes of it can still be said."""


class GrpcIndex:
    """`Index` over RetrievalService. gRPC's flow control makes the sender wait while retrieval embeds."""

    def __init__(self, channel: Channel, timeout_seconds: float) -> None:
        """One document may take `timeout_seconds` to be indexed."""
        self._stub = RetrievalServiceStub(channel)
        self._timeout = timeout_seconds

    async def index(self, document: Document, chunks: Chunks, taken: Callable[[int], Awaitable[None]]) -> int:
        async def messages() -> AsyncIterator[pb.IndexChunksRequest]:
            yield pb.IndexChunksRequest(header=_header(document, chunks))
            sent = 0
            for batch in _batches(chunks):
                await taken(sent)
                yield pb.IndexChunksRequest(batch=batch)
                sent += len(batch.children)

        answer = await self._stub.IndexChunks(messages(), timeout=self._timeout)
        return answer.children_embedded

    async def copy(self, document: Document, source_id: str) -> tuple[int, int]:
        request = pb.CopyDocumentRequest(
            source_document_id=source_id,
            document_id=document.document_id,
            metadata=_metadata(document),
            generation=document.generation,
        )
        answer = await self._stub.CopyDocument(request, timeout=self._timeout)
        return answer.parents_copied, answer.children_copied

    async def update(self, document: Document) -> None:
        await self._stub.UpdateDocument(
            pb.UpdateDocumentRequest(document_id=document.document_id, metadata=_metadata(document)),
            timeout=_QUICK_SECONDS,
        )

    async def delete(self, document_id: str) -> None:
        await self._stub.DeleteDocument(pb.DeleteDocumentRequest(document_id=document_id), timeout=_QUICK_SECONDS)


def _header(document: Document, chunks: Chunks) -> pb.IndexHeader:
    return pb.IndexHeader(
        document_id=document.document_id,
        generation=document.generation,
        metadata=_metadata(document),
        outline=[
            pb.OutlineEntry(
                level=entry.level, heading=entry.heading, page=entry.page, parent_position=entry.parent_position
            )
            for entry in chunks.outline
        ],
        parents_total=len(chunks.parents),
        children_total=len(chunks.children),
    )


def _metadata(document: Document) -> pb.DocumentMetadata:
    metadata = document.metadata
    return pb.DocumentMetadata(
        title=document.title,
        domain=metadata.domain_code,
        business_category=metadata.business_category,
        tags=metadata.tags,
        language=document.language,
        owner_id=document.owner_id,
        org_tag=metadata.org_tag,
        is_public=metadata.is_public,
        uploaded_at=timestamp(document.created_at),
        revision=document.metadata_revision,
    )


def _batches(chunks: Chunks) -> Iterator[pb.ChunkBatch]:
    """Some parents with their children at a time, so that a batch is small and a parent comes before its children."""
    children = iter(chunks.children)
    child = next(children, None)
    for first in range(0, len(chunks.parents), _PARENTS_PER_BATCH):
        parents = chunks.parents[first : first + _PARENTS_PER_BATCH]
        batch = pb.ChunkBatch(parents=map(_parent, parents))
        while child is not None and child.parent_position <= parents[-1].position:
            batch.children.append(_child(child))
            child = next(children, None)
        yield batch


def _parent(parent: Parent) -> pb.ParentChunk:
    return pb.ParentChunk(
        position=parent.position,
        text=parent.text,
        heading_path=parent.heading_path,
        page_from=parent.page_from,
        page_to=parent.page_to,
        start=parent.start,
        end=parent.end,
    )


def _child(child: Child) -> pb.ChildChunk:
    return pb.ChildChunk(
        position=child.position,
        parent_position=child.parent_position,
        text=child.text,
        start=child.start,
        end=child.end,
        anchor=child.anchor,
    )
