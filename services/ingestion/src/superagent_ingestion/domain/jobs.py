"""Jobs: the row with its lease is the truth of who works on a document, and how often it was tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["ingest", "delete"]

MAX_ATTEMPTS = 5
"""1 + 4 (ING-11)."""
_RETRY_SECONDS = (2.0, 8.0, 20.0, 60.0)
LONGEST_RETRY_SECONDS = max(_RETRY_SECONDS)
QUEUED = "queued"
"""Why a document waits for which no worker is free."""
OTHERS_FIRST = "others_first"
"""Why a document waits whose job has given way to another person's."""


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job. `attempts` counts this one, `owner` is the worker, `trace_parent` the document's trace."""

    document_id: str
    kind: Kind
    owner: str
    attempts: int
    trace_parent: str


def retry_delay(attempts: int) -> float:
    """Seconds until the next try after this many."""
    return _RETRY_SECONDS[min(attempts, len(_RETRY_SECONDS)) - 1]
