"""Makes the vectors of a generation anew, for the index of another embedding model."""

from __future__ import annotations

from opentelemetry.trace import SpanKind

from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.spaces import Space
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.records import ChildVector
from superagent_retrieval.ports import Catalogue, VectorIndex

# Few, so that what other documents wait for at the embedder is not behind a whole book.
_CHILDREN_AT_ONCE = 64


class Carrying:
    """Takes children from one index, their texts from the catalogue, and embeds them. What is there already stays."""

    def __init__(self, catalogue: Catalogue, telemetry: Telemetry) -> None:
        self._catalogue = catalogue
        self._telemetry = telemetry

    async def carry(self, document: IndexedDocument, source: VectorIndex, target: Space) -> None:
        """Writes the children of the document's generation to `target` as well, with the document's attributes.

        Stops when the generation is removed meanwhile. Raises Unavailable when the embedder or an index fails.
        """
        document_id, generation = document.document_id, document.generation
        after = None
        while page := await source.children(document_id, generation, after, _CHILDREN_AT_ONCE):
            after = page[-1].chunk_id
            present = await target.index.existing([child.chunk_id for child in page])
            missing = [child for child in page if child.chunk_id not in present]
            if not missing:
                continue
            parents = await self._catalogue.texts(list({child.parent_id for child in missing}))
            if any(child.parent_id not in parents for child in missing):
                return
            texts = [child.header + parents[child.parent_id][child.start : child.end] for child in missing]
            model = {"gen_ai.request.model": target.embedder.model}
            with self._telemetry.span("embed passages", SpanKind.CLIENT, model):
                vectors = await target.embedder.embed_passages(texts)
            await target.index.upsert(
                [
                    ChildVector(
                        child.chunk_id,
                        child.parent_id,
                        document_id,
                        generation,
                        document.metadata.attributes,
                        child.start,
                        child.end,
                        vector,
                        child.header,
                    )
                    for child, vector in zip(missing, vectors, strict=True)
                ]
            )
