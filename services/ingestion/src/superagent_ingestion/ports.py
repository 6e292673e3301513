"""What ingestion needs from the outside."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import Chunks, Topics
from superagent_ingestion.domain.documents import Document, Failure, LogEntry, Metadata, StageName, State
from superagent_ingestion.domain.fetching import Fetched
from superagent_ingestion.domain.jobs import Job, Kind
from superagent_ingestion.domain.possession import Challenge
from superagent_ingestion.domain.uploads import Upload


class ObjectStore(Protocol):
    """Objects by key. Raises Unavailable when it does not answer."""

    async def put(self, key: str, content: bytes) -> None: ...

    async def put_from(self, key: str, file: BinaryIO, size: int) -> None:
        """Takes `size` bytes from where a file stands, which is never in memory as a whole."""

    async def put_file(self, key: str, path: Path) -> None:
        """Stores a file's content without holding it in memory."""

    async def get(self, key: str) -> bytes:
        """A small object as a whole. Raises NotFound when there is none."""

    async def compose(self, key: str, parts: Sequence[str], scratch: str) -> None:
        """Joins parts to one object without moving their bytes through here; none makes an empty object.

        Very many are joined in segments, which lie under the prefix `scratch` meanwhile. Raises NotFound when a part is
        gone; then and when it is broken off, the object is what it was before.
        """

    async def give_up(self, key: str) -> None:
        """Removes what is kept of composing this object when whoever did it died; one that goes on breaks off."""

    async def copy(self, source: str, key: str) -> None:
        """Copies an object without moving its bytes through here. Raises NotFound when there is none."""

    async def size(self, key: str) -> int | None:
        """Bytes of an object; None when there is none."""

    async def sizes(self, prefix: str) -> Mapping[str, int]:
        """Bytes of each object under a prefix, by key."""

    async def read(self, key: str, start: int, end: int) -> bytes:
        """Bytes [start, end) of an object. Raises NotFound when there is none."""

    async def fetch(self, key: str, path: Path) -> str:
        """Writes an object to a file and gives its SHA-256. Raises NotFound when there is none."""

    async def remove(self, keys: Iterable[str]) -> None:
        """Removes objects; what is not there is no error."""


class ParsedCopies(Protocol):
    """Documents as they were parsed, kept so that cutting them anew needs no second parse. Raises Unavailable."""

    async def get(self, document: Document) -> ParsedDocument | None:
        """None when there is none, or only one of another content."""

    async def put(self, document: Document, parsed: ParsedDocument) -> None: ...

    async def take_over(self, source_id: str, document_id: str) -> None:
        """Copies the copy of a document with the same content, if there is one."""

    async def forget(self, document_id: str) -> None:
        """Removes all that is kept of a document; nothing kept is no error."""

    async def topics(self, document_id: str, strategy: str, content: str) -> Topics | None:
        """Topics that were kept for a strategy; None when there are none, or only those of another content."""

    async def keep_topics(self, document_id: str, strategy: str, content: str, topics: Topics) -> None: ...


class Neighbours(Protocol):
    """How near in meaning texts are."""

    async def similarities(self, texts: Sequence[str]) -> Sequence[float]:
        """The cosine of each text with the next, one less than there are texts. Raises Unavailable."""


class TopicModel(Protocol):
    """Tells where topics begin."""

    async def topics_begin(self, texts: Sequence[str]) -> Collection[int]:
        """Indices, above 0, of the passages in reading order at which a new topic begins.

        Raises Conflict `too_long_for_model`, Unavailable `invalid_model_topics` and what the model raises.
        """


class UploadStore(Protocol):
    """Uploads and their parts."""

    async def add(self, upload: Upload) -> Upload:
        """Stores it, or returns the one with the same idempotency key of this person."""

    async def get(self, user_id: str, upload_id: str) -> Upload | None: ...

    async def parts(self, upload_id: str) -> Mapping[int, str]:
        """SHA-256 of the parts that are there, by number."""

    async def part(self, upload_id: str, number: int) -> str | None:
        """SHA-256 of a part that is there."""

    async def add_part(self, upload_id: str, number: int, sha256: str) -> str:
        """Enters a part unless it is there, and gives the hash that counts."""

    async def drop_parts(self, upload_id: str, numbers: Collection[int]) -> None: ...

    async def challenge(self, upload_id: str, challenge: Challenge | None) -> None:
        """Puts a challenge in the place of the one before."""

    async def complete(self, upload: Upload, document: Document, message: str) -> bool:
        """Makes the document, its job, its event and the first line of its log, once; False when that was done before.

        Raises NotFound when the upload was forgotten meanwhile.
        """

    async def open(self, upload_ids: Collection[str]) -> Collection[str]:
        """Those of them that are not completed."""

    async def expired(self, before: int, limit: int) -> Sequence[Upload]:
        """Uploads that were begun before a time and never completed."""

    async def forget(self, upload_id: str) -> None: ...


class ImportStore(Protocol):
    """Documents that are still to be fetched."""

    async def add(self, document: Document, idempotency_key: str) -> tuple[str, str]:
        """Stores it with its job and its event, or finds the one with the same key of this person; gives id and address."""


class UrlFetcher(Protocol):
    """Fetches content from an address that anybody may have given."""

    async def fetch(self, url: str, path: Path) -> Fetched:
        """Writes it to a file. Raises FetchRefused when the address is the cause, Unavailable when it may pass."""


class PartMap(Protocol):
    """Which parts of uploads are there, at one look. It may lose what it holds. Raises Unavailable."""

    async def read(self, upload_id: str) -> Collection[int] | None:
        """None when it does not know."""

    async def add(self, upload_id: str, number: int) -> Collection[int] | None:
        """Enters a part, and gives all; None when it does not know those from before."""

    async def write(self, upload_id: str, there: Collection[int], missing: Collection[int]) -> None:
        """Says of parts whether they are there; from now on it knows the upload."""

    async def forget(self, upload_id: str) -> None: ...


class MergeLock(Protocol):
    """Lets one at a time complete an upload, over all replicas as long as its store answers."""

    def held(self, upload_id: str) -> AbstractAsyncContextManager[None]:
        """Waits for its turn and keeps it while the block runs. Never fails: completing twice is safe, only wasteful."""


class ContentStore(Protocol):
    """Documents as contents that may serve another upload."""

    async def same(self, sha256: str, size: int, owner_id: str) -> Sequence[Document]:
        """Some verified documents of a content, this owner's first, without those that were lost three times."""

    async def count_loss(self, document_id: str) -> int:
        """Notes that a document's object was not there, and gives how often that was so."""


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

    async def others_wait(self, job: Job, after_seconds: float) -> bool:
        """Whether a running job is to give way: it has run for so long, and another person has fewer running and waits
        although a worker that is free would have come by now."""

    async def due(self, kind: Kind, limit: int) -> Sequence[str]:
        """Document ids of jobs that wait for somebody, oldest first."""


class Index(Protocol):
    """The retrieval service."""

    async def index(self, document: Document, chunks: Chunks, taken: Callable[[int], Awaitable[None]]) -> int:
        """Indexes a document's generation and gives the number of texts embedded. Raises Unavailable.

        `taken` is told how many children retrieval has taken in so far.
        """

    async def copy(self, document: Document, source_id: str) -> tuple[int, int]:
        """Makes the chunks of another document this one's, with this one's access, and counts parents and children.

        Raises NotFound when the other one does not answer, Unimplemented by an index that cannot, and Unavailable.
        """

    async def update(self, document: Document) -> None:
        """Makes both indexes hold what is said of a document, also one that is being indexed.

        Raises Unavailable, and NotFound for a document that was deleted there.
        """

    async def delete(self, document_id: str) -> None: ...


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


class DocumentParser(Protocol):
    """Reads files. Raises DocumentRejected when the file is the cause."""

    async def parse(self, path: Path, file_name: str) -> ParsedDocument: ...
