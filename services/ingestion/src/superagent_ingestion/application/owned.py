"""Documents that a person manages."""

from __future__ import annotations

from superagent_common.errors import Conflict, NotFound
from superagent_common.identity import Principal
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.ports import DocumentStore


async def own_document(store: DocumentStore, principal: Principal, document_id: str) -> Document:
    """A person's own document. Raises NotFound, for others' exactly as for unknown ones."""
    document = await store.get(document_id)
    if document is None or document.state == "deleting" or document.owner_id != principal.user_id:
        raise unknown_document()
    return document


def document_busy() -> Conflict:
    """The refusal to begin something with a document that a job is at work on."""
    return Conflict("document_busy", "The document is being processed: wait until that is over.")


def unknown_document() -> NotFound:
    """What a document is for whoever may not see it."""
    return NotFound("unknown_document", "There is no such document.")
