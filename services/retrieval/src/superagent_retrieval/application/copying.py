"""Copies a document's chunks and vectors to another one: the same content is embedded once."""

from __future__ import annotations

from dataclasses import replace

from superagent_common.errors import InvalidInput, NotFound, Unavailable
from superagent_common.logging import Logger
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.spaces import Space, Spaces
from superagent_retrieval.domain.catalogue import DocumentMetadata, IndexedDocument, copied_child_id, parent_id
from superagent_retrieval.domain.records import ChildVector
from superagent_retrieval.ports import Catalogue

_PARENTS_AT_ONCE = 64
_CHILDREN_AT_ONCE = 256


class Copying:
    """Copies of documents. A copy that is repeated writes nothing twice."""

    def __init__(self, spaces: Spaces, catalogue: Catalogue, generations: Generations, log: Logger) -> None:
        self._spaces = spaces
        self._catalogue = catalogue
        self._generations = generations
        self._log = log

    async def copy(
        self, source_id: str, document_id: str, generation: str, metadata: DocumentMetadata
    ) -> IndexedDocument:
        """Makes the answering generation of `source_id` one of `document_id`, which has its own metadata.

        Gives the copy. Raises NotFound when the source does not answer or the copy has been removed, Unavailable when
        the source changed meanwhile or an index fails; whatever answered before goes on answering then.
        """
        if source_id == document_id:
            raise InvalidInput("same_document", "A document is not copied to itself.")
        source = await self._catalogue.answering(source_id)
        if source is None:
            raise NotFound("unknown_document", "There is no such document.")
        wanted = replace(source, document_id=document_id, generation=generation, metadata=metadata)
        async with self._generations.run(wanted) as (copy, space):
            parent_ids = await self._copy_parents(source, copy)
            # A space that is being built may hold the source by now: then nothing of the copy is embedded for it either.
            with self._spaces.written(space) as spaces:
                for each in spaces:
                    await self._copy_children(each, source, copy, parent_ids)
            await self._generations.finish(copy, space, all_written_now=True)
        self._log.info("document_copied", document_id=document_id, children=copy.children)
        return copy

    async def _copy_parents(self, source: IndexedDocument, copy: IndexedDocument) -> dict[str, str]:
        """Ids of the copied parents by those of the source."""
        ids: dict[str, str] = {}
        position = -1
        while page := await self._catalogue.parents_behind(
            source.document_id, source.generation, position, _PARENTS_AT_ONCE
        ):
            position = page[-1].position
            copied = []
            for parent in page:
                new_id = parent_id(copy.document_id, copy.generation, parent.position, parent.text)
                ids[parent.parent_id] = new_id
                copied.append(replace(parent, parent_id=new_id, document_id=copy.document_id))
            await self._generations.write_parents(copy, copied)
        return ids

    async def _copy_children(
        self, space: Space, source: IndexedDocument, copy: IndexedDocument, parent_ids: dict[str, str]
    ) -> None:
        after = None
        while page := await space.index.children(source.document_id, source.generation, after, _CHILDREN_AT_ONCE):
            after = page[-1].chunk_id
            if any(child.parent_id not in parent_ids for child in page):
                raise Unavailable("source_changed", "The document that is copied was replaced meanwhile.")
            await self._generations.write_children(
                space,
                [
                    ChildVector(
                        copied_child_id(copy.document_id, copy.generation, child.chunk_id),
                        parent_ids[child.parent_id],
                        copy.document_id,
                        copy.generation,
                        copy.metadata.attributes,
                        child.start,
                        child.end,
                        child.vector,
                        child.header,
                    )
                    for child in page
                ],
            )
