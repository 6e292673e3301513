"""Why a file cannot become a document."""

from __future__ import annotations

from typing import Literal

from superagent_common.errors import InvalidInput

RejectionReason = Literal[
    "empty_file",
    "encrypted",
    "unreadable",
    "no_text",
    "unsupported_format",
    "wrong_type",
    "too_large",
    "archive_bomb",
    "unsafe_xml",
    "parse_timeout",
    "parse_memory",
    "hash_mismatch",
]


class DocumentRejected(InvalidInput):
    """The file itself is the cause: parsing it again gives the same end, so nothing retries it.

    The message is one sentence for the person who uploaded the file.
    """

    def __init__(self, reason: RejectionReason, message: str) -> None:
        super().__init__(reason, message)
