"""Index runs: chunks come in, are embedded and become a new generation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from opentelemetry.trace import SpanKind

from superagent_common.errors import InvalidInput
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.spaces import Space
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import IndexedDocument, child_id, parent_id
from superagent_retrieval.domain.records import ChildVector


@dataclass(frozen=True, slots=True)
class NewParent:
    """A parent as it arrives; start and end are those of its own text in the document, in characters."""

    position: int
    text: str
    heading_path: tuple[str, ...]
    page_from: int | None
    page_to: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NewChild:
    """A child as it arrives; start and end as in NewParent."""

    position: int
    parent_position: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Some chunks; each parent comes before its children."""

    parents: Sequence[NewParent]
    children: Sequence[NewChild]


class Indexing:
    """Index runs of documents. A run that is repeated writes nothing twice."""

    def __init__(
        self,
        generations: Generations,
        telemetry: Telemetry,
        log: Logger,
    ) -> None:
        self._generations = generations
        self._telemetry = telemetry
        self._log = log

    async def index(self, document: IndexedDocument, batches: AsyncIterator[Batch]) -> int:
        """Indexes a generation of `document.parents` and `document.children` chunks; gives the texts embedded.

        Raises InvalidInput when other chunks come than were announced, NotFound when the document has been removed,
        Unavailable when an index or the embedder fails; whatever answered before goes on answering then.
        """
        async with self._generations.run(document) as (known, space):
            run = _Run(known)
            async for batch in batches:
                await self._generations.write_parents(known, [run.parent(parent) for parent in batch.parents])
                await self._embed(run, space, batch.children)
            run.check_whole()
            await self._generations.finish(known, space, all_written_now=run.embedded == document.children)
        self._log.info("document_indexed", document_id=document.document_id, embedded=run.embedded)
        return run.embedded

    async def _embed(self, run: _Run, space: Space, children: Sequence[NewChild]) -> None:
        identified = [(run.child(child), child) for child in children]
        present = await space.index.existing([chunk_id for chunk_id, _ in identified])
        missing = [(chunk_id, child) for chunk_id, child in identified if chunk_id not in present]
        if not missing:
            return
        with self._telemetry.span("embed passages", SpanKind.CLIENT, {"gen_ai.request.model": space.embedder.model}):
            vectors = await space.embedder.embed_passages([child.text for _, child in missing])
        run.embedded += len(missing)
        await self._generations.write_children(
            space,
            [
                run.child_vector(chunk_id, child, vector)
                for (chunk_id, child), vector in zip(missing, vectors, strict=True)
            ],
        )


class _Run:
    """One generation while it comes in."""

    def __init__(self, document: IndexedDocument) -> None:
        self.document = document
        self.embedded = 0
        self._parents: dict[int, Parent] = {}
        self._children: set[int] = set()

    def parent(self, new: NewParent) -> Parent:
        if new.position in self._parents:
            raise InvalidInput("duplicate_chunk", "A parent came twice.")
        document = self.document
        parent = Parent(
            parent_id=parent_id(document.document_id, document.generation, new.position, new.text),
            document_id=document.document_id,
            title=document.metadata.title,
            domain=document.metadata.attributes.domain,
            heading_path=new.heading_path,
            position=new.position,
            text=new.text,
            start=new.start,
            end=new.end,
            page_from=new.page_from,
            page_to=new.page_to,
        )
        self._parents[new.position] = parent
        return parent

    def child(self, new: NewChild) -> str:
        if new.parent_position not in self._parents:
            raise InvalidInput("orphan_chunk", "A child came before its parent.")
        if new.position in self._children:
            raise InvalidInput("duplicate_chunk", "A child came twice.")
        self._children.add(new.position)
        return child_id(self.document.document_id, self.document.generation, new.position, new.text)

    def child_vector(self, chunk_id: str, new: NewChild, vector: Sequence[float]) -> ChildVector:
        parent = self._parents[new.parent_position]
        # A parent's text may begin with a repeated table header, which its own offsets do not count.
        shift = len(parent.text) - (parent.end - parent.start) - parent.start
        return ChildVector(
            chunk_id,
            parent.parent_id,
            self.document.document_id,
            self.document.generation,
            self.document.metadata.attributes,
            max(0, new.start + shift),
            min(len(parent.text), new.end + shift),
            vector,
            new.text[: max(0, len(new.text) - (new.end - new.start))],
        )

    def check_whole(self) -> None:
        document = self.document
        if (len(self._parents), len(self._children)) != (document.parents, document.children):
            raise InvalidInput("incomplete_index_run", "Not all announced chunks came.")
