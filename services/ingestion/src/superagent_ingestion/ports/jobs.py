"""What runs documents through their stages: jobs, their leases, who takes them, what they write."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from superagent_ingestion.domain.documents import Document, Failure, StageName, State
from superagent_ingestion.domain.jobs import Job, Kind


class JobStore(Protocol):
    """Jobs and their leases, by the store's clock."""

    async def claim(self, owner: str) -> Job | None:
        """Takes the job whose turn it is of those that are due or whose lease has run out, counting the attempt.

        Turns go by persons: first who has the fewest running, then who was served longest ago, then who waits longest;
        of one person's jobs the one whose document was made first, also when it was begun before.
        """

    async def renew(self, document_id: str, owner: str) -> bool:
        """False when the lease is somebody else's by now."""

    async def release(self, owners: Collection[str]) -> Sequence[str]:
        """Makes the jobs of workers that are gone due at once, and gives their document ids."""

    async def recall(self) -> Sequence[str]:
        """Makes jobs due that are to wait longer than any does, and gives their document ids: the clock was set back."""

    async def others_wait(self, job: Job, after_seconds: float) -> bool:
        """Whether a running job is to give way: it has run for so long, and another person has fewer running and waits
        although a worker that is free would have come by now."""

    async def due(self, kind: Kind, limit: int) -> Sequence[str]:
        """Document ids of jobs that wait for somebody, oldest first."""


class Progress(Protocol):
    """What a running job writes. Each call returns False once the document is being deleted: then the job stops."""

    async def begin(self, document_id: str, stage: StageName, state: State, progress: int) -> bool: ...

    async def complete(
        self, document: Document, stage: StageName, state: State, counts: Mapping[str, int], message: str
    ) -> bool:
        """Ends a stage, and describes the document."""

    async def advance(self, document_id: str, progress: int) -> bool: ...

    async def fetched(self, document: Document) -> bool:
        """Writes what a fetched document is called, its size and hash: from now on it is in the object store."""

    async def current(self, document_id: str) -> Document | None:
        """The document as it is now; None when it is not ours any more."""

    async def describe(self, document: Document) -> bool:
        """Writes what was found out: title, language, pages, recommended strategy with reasons, counts, generation."""

    async def ready(self, document: Document, embedded: int, copied: int = 0) -> bool:
        """READY, the job done, and `document.indexed` in one transaction; `copied` vectors needed no embedding."""

    async def fail(self, document_id: str, failure: Failure) -> bool:
        """FAILED, the job done, and `document.failed` in one transaction.

        A document that answers is READY with this failure instead: its chunks from before go on answering.
        """

    async def give_up(self, document_id: str, failure: Failure) -> bool:
        """The same for a job that was tried often enough, and a dead letter, by which it can be tried again."""

    async def hold(self, document_id: str, reason: str) -> bool:
        """PARSED, the job done: it waits, for that reason, until a person has confirmed a strategy."""

    async def note(self, document_id: str, stage: StageName, message: str) -> bool:
        """A warning for the document's log."""

    async def wait(self, document_id: str, stage: str, reason: str, seconds: float) -> bool:
        """Gives the job back, to be tried again in a while, and says why it waits."""

    async def give_way(self, document_id: str, stage: StageName) -> bool:
        """Gives the job back, due at once and not counted as an attempt, because another person's turn has come."""


class Departures(Protocol):
    """Workers of which it is certain that they ended; a lease that has run out says so too, but late."""

    def gone(self) -> Collection[str]:
        """Names under which they claimed jobs."""

    def forget(self, owners: Collection[str]) -> None:
        """Says that their jobs have been released."""


class Hints(Protocol):
    """Tells a worker, whichever, that jobs are there; may get lost."""

    async def waiting(self) -> int:
        """How many no worker has taken yet. Raises Unavailable."""

    async def send(self, trace_parent: str) -> None:
        """Sends one, in the trace of whoever tells; "" for none. Raises Unavailable."""
