"""Reads a document where it was cited."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from opentelemetry.trace import SpanKind

from superagent_common.errors import InvalidInput, NotFound
from superagent_common.identity import Principal
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.searching import ExpandTags
from superagent_retrieval.application.spaces import Spaces
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.records import ChildPlace
from superagent_retrieval.ports import Catalogue

CHUNK_IDS = 50
"""Of one request: more than one answer cites of one document."""


@dataclass(frozen=True, slots=True)
class CitedParent:
    """A whole parent, and those of its children that were asked for, in reading order."""

    parent: Parent
    children: tuple[ChildPlace, ...]


class Reading:
    """Whole passages of documents, for persons who may read them."""

    def __init__(self, spaces: Spaces, catalogue: Catalogue, expand_tags: ExpandTags, telemetry: Telemetry) -> None:
        self._spaces = spaces
        self._catalogue = catalogue
        self._expand_tags = expand_tags
        self._telemetry = telemetry

    async def passages(
        self, principal: Principal, document_id: str, chunk_ids: Sequence[str]
    ) -> tuple[IndexedDocument, list[CitedParent]]:
        """The document, and the parents that these ids of parents or children lead to, in reading order.

        Ids that lead to no answering part of this document are left out: an earlier generation had them, another
        document has them, or nobody. Raises InvalidInput, and NotFound for a document that is not readable.
        """
        if not 1 <= len(chunk_ids) <= CHUNK_IDS:
            raise InvalidInput("invalid_chunk_ids", f"Name 1 to {CHUNK_IDS} chunks.")
        scope = AccessScope(principal.user_id, self._expand_tags(principal.org_tags))
        document = await self._catalogue.readable(document_id, scope)
        if document is None:
            raise NotFound("unknown_document", "There is no such document.")
        ids = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if _is_chunk_id(chunk_id)]
        with (
            self._spaces.pinned() as space,
            self._telemetry.span("vector read", SpanKind.CLIENT, {"db.system": "qdrant"}),
        ):
            places = await space.index.places(ids)
        children: dict[str, list[ChildPlace]] = defaultdict(list)
        for place in places:
            children[place.parent_id].append(place)
        parents = await self._catalogue.parents(list(dict.fromkeys((*ids, *children))), scope)
        cited = [
            CitedParent(parent, tuple(sorted(children[key], key=lambda place: (place.start, place.chunk_id))))
            for key, parent in parents.items()
            if parent.document_id == document.document_id
        ]
        return document, sorted(cited, key=lambda each: each.parent.position)


def _is_chunk_id(text: str) -> bool:
    """Chunk ids are UUIDs; an engine takes nothing else."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
