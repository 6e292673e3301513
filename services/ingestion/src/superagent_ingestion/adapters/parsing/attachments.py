"""What is attached to a message: listed with name, kind and size, and read where it is a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# The blocks of a file of this name and content. Raises DocumentRejected.
AttachmentReader = Callable[[str, bytes], list[Block]]

_MOST = 100
_LEVELS = 6
# Pictures are logos far more often than scans; the rest is what mail programs attach for each other.
_NEVER_READ = (
    *("image/", "audio/", "video/", "application/pgp-", "application/pkcs7-", "application/x-pkcs7-"),
    *("text/calendar", "text/vcard", "text/x-vcard"),
)
# Nobody expects these to be read.
_NO_NEWS = frozenset({"unsupported_format", "empty_file", "no_text"})


@dataclass(slots=True)
class Attachments:
    """Of one message. blocks: what those say that can be read, each under its name as a heading of the first level."""

    read: AttachmentReader
    descriptions: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def add(self, name: str, media_type: str, content: bytes) -> None:
        size = f", {max(1, round(len(content) / 1024))} kB" if content else ""
        why_not = ""
        if content and not media_type.startswith(_NEVER_READ) and len(self.descriptions) < _MOST:
            try:
                said = self.read(name, content)
            except DocumentRejected as rejection:
                why_not = "" if rejection.reason in _NO_NEWS else f", not read: {rejection.message.rstrip('.')}"
            else:
                self._put_below(name, said)
        self.descriptions.append(f"{name} ({media_type}{size}{why_not})")

    def take(self, others: Attachments) -> None:
        self.descriptions += others.descriptions
        self.blocks += others.blocks

    def _put_below(self, name: str, said: list[Block]) -> None:
        if any(block.text.strip() for block in said):
            self.blocks.append(Block("heading", name, 1))
            # Its pages are not the message's.
            self.blocks += (replace(below(block, 1), page=None) for block in said)


def below(block: Block, levels: int) -> Block:
    """A heading so many levels further down; other blocks as they are."""
    return replace(block, level=min(block.level + levels, _LEVELS)) if block.kind == "heading" else block
