"""A document's life: states, stages, progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from superagent_common.errors import InvalidInput
from superagent_ingestion.domain.chunking import STRATEGIES

State = Literal["uploaded", "parsing", "parsed", "confirmed", "chunking", "indexing", "ready", "failed", "deleting"]
StageName = Literal["upload", "parse", "strategy", "chunk", "index"]
StageState = Literal["pending", "running", "completed", "failed"]
Level = Literal["info", "warning", "error"]

STAGES: tuple[StageName, ...] = ("upload", "parse", "strategy", "chunk", "index")
DEFAULT_DOMAIN = "general"
FILE_NAME_CHARACTERS = 255
SEARCH_CHARACTERS = 200
TAGS = 32
TAG_CHARACTERS = 64
_PROGRESS: dict[State, int] = {
    "uploaded": 5,
    "parsing": 10,
    "parsed": 35,
    "confirmed": 40,
    "chunking": 45,
    "indexing": 50,
    "ready": 100,
    "failed": 100,
    "deleting": 100,
}


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is said of a document when it is uploaded (ING-4); empty means not said."""

    domain_code: str = DEFAULT_DOMAIN
    business_category: str = ""
    title: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()
    org_tag: str = ""
    is_public: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document failed: stage, reason code, one sentence."""

    stage: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Stage:
    """Times are microseconds since the epoch; `attempts` counts how often it began."""

    name: StageName
    state: StageState = "pending"
    started_at: int | None = None
    ended_at: int | None = None
    attempts: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it stands.

    metadata: what a person said of it; found_title and found_language are its own.
    generation: the index run that is being written or was written last; "" before there is one.
    answering: whether a generation of it can be found now, whatever the state.
    recommended_strategy, chosen_strategy: what the measured features led to, and what a person confirmed ("" for none).
    review_strategy: whether it waits in `parsed` for that person.
    metadata_revision: counts the changes of metadata; indexed_revision is the one that both indexes hold.
    source_url: where it is to be fetched from; "" for uploads. copied_from: the document with the same content whose
    chunks are taken over; "" for none.
    retry_at, queued_before: while it waits, when it is tried again, and how many of its owner's documents come before it;
    read with it, never written.
    """

    document_id: str
    owner_id: str
    file_name: str
    size: int
    sha256: str
    metadata: Metadata
    state: State
    progress: int
    created_at: int
    updated_at: int
    waiting_reason: str = ""
    failure: Failure | None = None
    children: int = 0
    parents: int = 0
    pages: int = 0
    found_title: str = ""
    found_language: str = ""
    recommended_strategy: str = ""
    chosen_strategy: str = ""
    review_strategy: bool = False
    strategy_reasons: tuple[str, ...] = ()
    generation: str = ""
    answering: bool = False
    metadata_revision: int = 1
    indexed_revision: int = 0
    source_url: str = ""
    copied_from: str = ""
    trace_parent: str = ""
    retry_at: int | None = None
    queued_before: int = 0
    stages: tuple[Stage, ...] = ()

    @property
    def title(self) -> str:
        """The given or found title; otherwise the file's name without its ending."""
        return self.metadata.title or self.found_title or self.file_name.rpartition(".")[0] or self.file_name

    @property
    def language(self) -> str:
        """The given or found language; "" before it is known."""
        return self.metadata.language or self.found_language

    @property
    def strategy(self) -> str:
        """How it is or will be cut."""
        return self.chosen_strategy or self.recommended_strategy

    def stage(self, name: StageName) -> Stage:
        """A stage as it stands; pending when nothing is known of it."""
        return next((stage for stage in self.stages if stage.name == name), Stage(name))

    @property
    def concerns_index(self) -> bool:
        """Whether the indexes hold something of it, or may be given something right now."""
        return self.answering or self.state == "indexing" or bool(self.copied_from)

    @property
    def object_key(self) -> str:
        return document_key(self.document_id)


@dataclass(frozen=True, slots=True)
class LogEntry:
    at: int
    stage: str
    level: Level
    message: str


def document_key(document_id: str) -> str:
    """Where a document's content lies in the object store."""
    return f"documents/{document_id}"


def parsed_key(document_id: str) -> str:
    """Where a document as it was parsed lies in the object store."""
    return f"parsed/{document_id}"


def topics_key(document_id: str, strategy: str) -> str:
    """Where the topics by which a strategy cuts a document lie in the object store."""
    return f"topics/{document_id}/{strategy}"


def object_keys(document_id: str) -> tuple[str, ...]:
    """All that may lie in the object store of a document."""
    return (
        document_key(document_id),
        parsed_key(document_id),
        *(topics_key(document_id, strategy) for strategy in STRATEGIES),
    )


def progress_of(state: State, done: int = 0, total: int = 0) -> int:
    """Per cent. While indexing, from 50 to 99 by the share of children that are in the index."""
    if state == "indexing" and total:
        return 50 + min(49, 49 * done // total)
    return _PROGRESS[state]


def may_be_taken_over(document: Document, source: Document) -> bool:
    """Whether the chunks of another document of the same content may become those of a new one.

    Not when a person wants to see the strategy first or chose it for the source: that holds for the source alone. Nor
    under a name of another ending, since that decides how a text is read.
    """
    undecided = not (document.review_strategy or document.chosen_strategy or document.answering)
    read_alike = _ending(document.file_name) == _ending(source.file_name)
    return undecided and read_alike and source.answering and source.strategy == source.recommended_strategy


def _ending(file_name: str) -> str:
    return file_name.rpartition(".")[2].lower()


_PLAIN = "no control characters and no direction overrides"
# Embeddings, overrides and isolates: they can make "gnp.exe" read as "exe.png".
_DIRECTION_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def checked_file_name(name: str) -> str:
    """A file's name as it may be shown. Raises InvalidInput for path parts and control characters."""
    if not name.strip() or len(name) > FILE_NAME_CHARACTERS or name in (".", ".."):
        raise InvalidInput("invalid_file_name", f"A file name has 1 to {FILE_NAME_CHARACTERS} characters.")
    if any(character in "/\\" or 0xD800 <= ord(character) <= 0xDFFF for character in name) or _misleads(name):
        raise InvalidInput("invalid_file_name", f"A file name has no path, no surrogates, {_PLAIN}.")
    return name


def checked_metadata(metadata: Metadata) -> Metadata:
    """The same metadata. Raises InvalidInput for what is too long or unknown."""
    if metadata.language not in ("", "zh", "en"):
        raise InvalidInput("invalid_language", "The language is zh, en, or left out.")
    if len(metadata.tags) > TAGS or any(not 1 <= len(tag) <= TAG_CHARACTERS for tag in metadata.tags):
        raise InvalidInput("invalid_tags", f"At most {TAGS} tags of 1 to {TAG_CHARACTERS} characters.")
    if any(not tag.strip() or _misleads(tag) for tag in metadata.tags):
        raise InvalidInput("invalid_tags", f"A tag is no mere space and has {_PLAIN}.")
    for name, value, most in (
        ("domain_code", metadata.domain_code, 64),
        ("business_category", metadata.business_category, 64),
        ("org_tag", metadata.org_tag, 64),
        ("title", metadata.title, 300),
    ):
        if len(value) > most or _misleads(value):
            raise InvalidInput(f"invalid_{name}", f"{name} has at most {most} characters, {_PLAIN}.")
    if metadata.title and not metadata.title.strip():
        raise InvalidInput("invalid_title", "A title is empty or more than spaces.")
    return metadata


def _misleads(text: str) -> bool:
    """Whether a text holds what cannot be shown, or makes the rest of it read as something else."""
    return any(
        ord(character) < 32 or 127 <= ord(character) < 160 or character in _DIRECTION_OVERRIDES for character in text
    )
