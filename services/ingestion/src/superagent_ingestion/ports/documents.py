"""Documents, as people see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from superagent_ingestion.domain.documents import Document, LogEntry, Metadata, State


class DocumentStore(Protocol):
    """Documents, their stages and logs."""

    async def get(self, document_id: str) -> Document | None: ...

    async def page(
        self,
        owner_id: str,
        states: Sequence[State],
        domain_code: str,
        text: str,
        before: tuple[int, str] | None,
        limit: int,
    ) -> Sequence[Document]:
        """Documents of an owner whose title or file name holds `text` in any case, newest first."""

    async def log(self, document_id: str) -> Sequence[LogEntry]: ...

    async def choose_strategy(self, document: Document, strategy: str) -> bool:
        """Writes a person's choice and has the document run again behind parsing, as a new generation.

        False when a job is at work on it, or it is no longer in the state it was read in.
        """

    async def process_again(self, document: Document) -> bool:
        """Has a document run again from its first stage, as a new generation; False as in `choose_strategy`."""

    async def change(self, document_id: str, change: Callable[[Metadata], Metadata]) -> Document | None:
        """Changes what is said of a document, which counts as a revision when it differs; None when it is not there."""

    async def hold_revision(self, document_id: str, revision: int) -> None:
        """Says that both indexes hold this revision of what is said of a document; `document.indexed` if it answers."""

    async def behind(self, limit: int) -> Sequence[Document]:
        """Answering documents whose newest revision the indexes do not hold."""

    async def changes(self, owner_id: str) -> Mapping[str, int]:
        """When each document of an owner last changed, by its id; without those that are being deleted."""

    async def mark_deleting(self, document_id: str) -> bool:
        """Puts a document and its job into deletion, and forgets how it came here; False when it is not there.

        The deletion is due when no worker can have it any more.
        """

    async def remove(self, document_id: str, *, when_due: bool = False) -> bool:
        """Removes all rows and writes `document.deleted`, once; False when there is nothing to remove.

        when_due: only if no worker may be writing something of it.
        """
