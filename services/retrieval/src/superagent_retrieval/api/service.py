"""Contract messages ↔ use cases, nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc

from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceServicer
from superagent_common.errors import InvalidInput
from superagent_common.identity import current_principal
from superagent_common.rpc import Access
from superagent_retrieval.api.search_messages import preview_message, search_message
from superagent_retrieval.api.status_messages import status_message
from superagent_retrieval.application.comparing import Comparing
from superagent_retrieval.application.copying import Copying
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.indexing import Batch, Indexing, NewChild, NewParent
from superagent_retrieval.application.reading import CitedParent, Reading
from superagent_retrieval.application.rebuilding import Rebuilding
from superagent_retrieval.application.searching import Query, Searching
from superagent_retrieval.application.status import Status
from superagent_retrieval.domain.access import DocumentAccess
from superagent_retrieval.domain.catalogue import DocumentMetadata, IndexedDocument, OutlineEntry
from superagent_retrieval.domain.records import DocumentAttributes, SearchFilters

_SERVICE = "/superagent.retrieval.v1.RetrievalService/"
ACCESS: dict[str, Access] = {
    _SERVICE + "Search": "user",
    _SERVICE + "PreviewSearch": "user",
    _SERVICE + "GetOutline": "user",
    _SERVICE + "GetPassages": "user",
    _SERVICE + "ListDomains": "user",
    _SERVICE + "GetStatus": "user",
    _SERVICE + "RebuildIndex": "user",
    _SERVICE + "IndexChunks": "service",
    _SERVICE + "DeleteDocument": "service",
    _SERVICE + "CopyDocument": "service",
    _SERVICE + "CompareNeighbours": "service",
    _SERVICE + "UpdateDocument": "service",
}


class RetrievalApi(RetrievalServiceServicer):  # type: ignore[misc]
    """`superagent.retrieval.v1.RetrievalService`."""

    def __init__(
        self,
        searching: Searching,
        reading: Reading,
        indexing: Indexing,
        generations: Generations,
        copying: Copying,
        comparing: Comparing,
        status: Status,
        rebuilding: Rebuilding,
    ) -> None:
        self._searching = searching
        self._reading = reading
        self._indexing = indexing
        self._generations = generations
        self._copying = copying
        self._comparing = comparing
        self._status = status
        self._rebuilding = rebuilding

    async def Search(self, request: pb.SearchRequest, context: grpc.aio.ServicerContext) -> pb.SearchResponse:
        return search_message(await self._searching.search(current_principal(), _query(request)))

    async def PreviewSearch(
        self, request: pb.PreviewSearchRequest, context: grpc.aio.ServicerContext
    ) -> pb.PreviewSearchResponse:
        found = await self._searching.search(current_principal(), _query(request.search))
        return preview_message(search_message(found), found)

    async def GetOutline(
        self, request: pb.GetOutlineRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetOutlineResponse:
        entries = await self._searching.outline(current_principal(), request.document_id)
        return pb.GetOutlineResponse(
            entries=[
                pb.OutlineEntry(
                    level=entry.level, heading=entry.heading, page=entry.page, parent_position=entry.parent_position
                )
                for entry in entries
            ]
        )

    async def GetPassages(
        self, request: pb.GetPassagesRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetPassagesResponse:
        document, cited = await self._reading.passages(current_principal(), request.document_id, request.chunk_ids)
        return pb.GetPassagesResponse(
            title=document.metadata.title, domain=document.metadata.attributes.domain, passages=map(_cited, cited)
        )

    async def ListDomains(
        self, request: pb.ListDomainsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListDomainsResponse:
        domains = await self._searching.domains(current_principal())
        return pb.ListDomainsResponse(
            domains=[
                pb.Domain(
                    code=domain.code,
                    name=domain.name,
                    description=domain.description,
                    document_count=domain.document_count,
                    sample_titles=domain.sample_titles,
                )
                for domain in domains
            ]
        )

    async def GetStatus(self, request: pb.GetStatusRequest, context: grpc.aio.ServicerContext) -> pb.GetStatusResponse:
        return status_message(await self._status.shown())

    async def RebuildIndex(
        self, request: pb.RebuildIndexRequest, context: grpc.aio.ServicerContext
    ) -> pb.RebuildIndexResponse:
        current_principal().check_administrator()
        run, done = await self._rebuilding.rebuild(request.embedding_model)
        return pb.RebuildIndexResponse(run_id=run.run_id, done=done)

    async def IndexChunks(
        self, requests: AsyncIterator[pb.IndexChunksRequest], context: grpc.aio.ServicerContext
    ) -> pb.IndexChunksResponse:
        first = await anext(requests, None)
        if first is None or first.WhichOneof("part") != "header":
            raise InvalidInput("header_missing", "The first message is the document's header.")
        document = _document(first.header)

        async def batches() -> AsyncIterator[Batch]:
            async for request in requests:
                yield _batch(request.batch)

        embedded = await self._indexing.index(document, batches())
        return pb.IndexChunksResponse(
            generation=document.generation,
            parents_indexed=document.parents,
            children_indexed=document.children,
            children_embedded=embedded,
        )

    async def DeleteDocument(
        self, request: pb.DeleteDocumentRequest, context: grpc.aio.ServicerContext
    ) -> pb.DeleteDocumentResponse:
        await self._generations.delete(request.document_id)
        return pb.DeleteDocumentResponse()

    async def UpdateDocument(
        self, request: pb.UpdateDocumentRequest, context: grpc.aio.ServicerContext
    ) -> pb.UpdateDocumentResponse:
        if not request.document_id:
            raise InvalidInput("invalid_header", "A document is needed.")
        await self._generations.update(request.document_id, _metadata(request.metadata))
        return pb.UpdateDocumentResponse()

    async def CopyDocument(
        self, request: pb.CopyDocumentRequest, context: grpc.aio.ServicerContext
    ) -> pb.CopyDocumentResponse:
        if not request.document_id or not request.generation:
            raise InvalidInput("invalid_header", "A document and a generation are needed.")
        copy = await self._copying.copy(
            request.source_document_id, request.document_id, request.generation, _metadata(request.metadata)
        )
        return pb.CopyDocumentResponse(
            generation=copy.generation, parents_copied=copy.parents, children_copied=copy.children
        )

    async def CompareNeighbours(
        self, request: pb.CompareNeighboursRequest, context: grpc.aio.ServicerContext
    ) -> pb.CompareNeighboursResponse:
        return pb.CompareNeighboursResponse(similarities=await self._comparing.neighbours(request.texts))


def _query(request: pb.SearchRequest) -> Query:
    filters = request.filters
    return Query(
        request.question,
        SearchFilters(
            tuple(dict.fromkeys(request.domains)),
            tuple(filters.business_categories),
            tuple(filters.tags),
            tuple(filters.languages),
            tuple(filters.document_ids),
        ),
        request.top_k,
        request.budget_chars,
        tuple(request.hint_words),
        request.history_hint,
        request.use_outline,
    )


def _cited(cited: CitedParent) -> pb.Passage:
    parent = cited.parent
    return pb.Passage(
        parent_id=parent.parent_id,
        heading_path=parent.heading_path,
        page_from=parent.page_from,
        page_to=parent.page_to,
        text=parent.text,
        children=[
            pb.PassageChild(chunk_id=child.chunk_id, start=child.start, end=child.end) for child in cited.children
        ],
    )


def _document(header: pb.IndexHeader) -> IndexedDocument:
    if not header.document_id or not header.generation:
        raise InvalidInput("invalid_header", "A document and a generation are needed.")
    return IndexedDocument(
        document_id=header.document_id,
        generation=header.generation,
        metadata=_metadata(header.metadata),
        outline=tuple(
            OutlineEntry(
                entry.level, entry.heading, entry.page if entry.HasField("page") else None, entry.parent_position
            )
            for entry in header.outline
        ),
        parents=header.parents_total,
        children=header.children_total,
    )


def _metadata(metadata: pb.DocumentMetadata) -> DocumentMetadata:
    if not metadata.owner_id:
        raise InvalidInput("invalid_header", "A document has an owner.")
    attributes = DocumentAttributes(
        DocumentAccess(metadata.owner_id, metadata.org_tag or None, metadata.is_public),
        metadata.domain,
        metadata.business_category,
        tuple(metadata.tags),
        metadata.language or "und",
    )
    return DocumentMetadata(metadata.title, attributes, metadata.uploaded_at.ToMicroseconds(), metadata.revision)


def _batch(batch: pb.ChunkBatch) -> Batch:
    return Batch(
        [
            NewParent(
                parent.position,
                parent.text,
                tuple(parent.heading_path),
                parent.page_from if parent.HasField("page_from") else None,
                parent.page_to if parent.HasField("page_to") else None,
                parent.start,
                parent.end,
            )
            for parent in batch.parents
        ],
        [
            NewChild(child.position, child.parent_position, child.text, child.start, child.end)
            for child in batch.children
        ],
    )
