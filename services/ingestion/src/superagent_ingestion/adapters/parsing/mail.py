"""E-mail and mailboxes → blocks: who wrote what to whom and when, the message itself, and what is attached."""

from __future__ import annotations

import email.errors
import email.header
import email.policy
import re
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser

from superagent_ingestion.adapters.parsing.attachments import AttachmentReader, Attachments, below
from superagent_ingestion.adapters.parsing.charset import UndecodableText, decode
from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.html import html_blocks
from superagent_ingestion.adapters.parsing.text import text_blocks
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

_HEAD = ("From", "To", "Cc", "Date")
# A forward of a forward of a forward is read, a chain made to break the reader is not.
_DEEPEST = 8
# Decoding takes time that grows faster than the header.
_LONGEST_HEADER = 4_000
_NO_SUBJECT = "(no subject)"
# A message in a mailbox begins with "From ", an address and a date.
_MAILBOX_BREAK = re.compile(rb"^From \S+.*\d{4}.*\r?\n", re.MULTILINE)
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_QUOTE = re.compile(r"(?:>[ \t]?)+")
_READABLE = frozenset({"text/plain", "text/html", "text/markdown", "text/enriched"})


def mail_blocks(data: bytes, read: AttachmentReader) -> tuple[list[Block], str | None]:
    """Blocks and the subject; `read` reads what is attached. Raises DocumentRejected: unreadable."""
    message = _parsed(data)
    return list(_message(message, 0, read)), _header(message, "Subject") or None


def mailbox_blocks(data: bytes, read: AttachmentReader) -> tuple[list[Block], str | None]:
    """The messages one after the other, each under its subject. Raises DocumentRejected: unreadable."""
    breaks = [found for found in _MAILBOX_BREAK.finditer(data) if _begins(data, found.start())]
    ends = [*(found.start() for found in breaks[1:]), len(data)]
    blocks: list[Block] = []
    for found, end in zip(breaks, ends, strict=bool(breaks)):
        blocks += _message(_parsed(_QUOTED_FROM.sub(rb"\1", data[found.end() : end])), 0, read)
    return blocks, None


def with_head(blocks: list[Block]) -> list[Block]:
    """What xberg makes of an Outlook message, in the shape that the others have: subject as heading, then the head."""
    if not blocks or not blocks[0].text.startswith(("Subject: ", "From: ")):
        return blocks
    head = dict(line.partition(": ")[::2] for line in blocks[0].text.split("\n"))
    subject = head.get("Subject") or _NO_SUBJECT
    lines = [f"{name}: {head[name]}" for name in _HEAD if head.get(name)]
    body = blocks[2:] if len(blocks) > 1 and blocks[1].text == subject else blocks[1:]
    return [Block("heading", subject, 1), *([Block("paragraph", "\n".join(lines))] if lines else []), *body]


def _begins(data: bytes, at: int) -> bool:
    """A line that begins with "From " in the middle of a message has no empty line before it."""
    return at == 0 or data[max(0, at - 4) : at].endswith((b"\n\n", b"\r\n\r\n"))


def _parsed(data: bytes) -> Message:
    try:
        # The modern policy raises for headers that are merely odd.
        return BytesParser(policy=email.policy.compat32).parsebytes(data)
    except (email.errors.MessageError, RecursionError, ValueError) as error:
        raise DocumentRejected("unreadable", "The message is damaged: it cannot be taken apart.") from error


def _message(message: Message, depth: int, read: AttachmentReader) -> Iterator[Block]:
    """The subject is its first heading; all others stand below it, also those of messages and files that it carries.

    depth: in how many messages it travels.
    """
    attached = Attachments(read)
    body = list(_body(message, depth, attached))
    yield Block("heading", _header(message, "Subject") or _NO_SUBJECT, 1)
    lines = [f"{name}: {value}" for name in _HEAD if (value := _header(message, name))]
    lines += [f"Attachments: {'; '.join(attached.descriptions)}"] if attached.descriptions else []
    if lines:
        yield Block("paragraph", "\n".join(lines))
    yield from (below(block, 1) for block in (*body, *attached.blocks))


def _body(part: Message, depth: int, attached: Attachments) -> Iterator[Block]:
    """What the part says; what it only carries is added to `attached`."""
    kind = part.get_content_type()
    if kind == "message/rfc822":
        _nested(part, depth, attached)
    elif part.is_multipart():
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            yield from _richest(children, depth, attached)
        else:
            for child in children:
                yield from _body(child, depth, attached)
    elif kind in _READABLE and part.get_content_disposition() != "attachment" and not part.get_filename():
        yield from _text(part)
    elif not part.get("Content-ID") or part.get_content_disposition() == "attachment":
        # Pictures with an id are those that the HTML shows.
        raw = (part.get_filename() or _header(part, "Content-Description") or "unnamed")[:_LONGEST_HEADER]
        content = part.get_payload(decode=True)
        attached.add(_words(raw), kind, content if isinstance(content, bytes) else b"")


def _richest(children: list[Message], depth: int, attached: Attachments) -> Iterator[Block]:
    """The last alternative that says anything: senders put the fullest one last."""
    for child in reversed(children):
        of_child = Attachments(attached.read)
        blocks = list(_body(child, depth, of_child))
        if any(block.text.strip() for block in blocks):
            attached.take(of_child)
            yield from blocks
            return


def _nested(part: Message, depth: int, attached: Attachments) -> None:
    inner = part.get_payload()
    message = inner[0] if isinstance(inner, list) and inner else None
    subject = (_header(message, "Subject") if isinstance(message, Message) else "") or _NO_SUBJECT
    if isinstance(message, Message) and depth + 1 < _DEEPEST:
        attached.descriptions.append(f"“{subject}” (message)")
        attached.blocks += _message(message, depth + 1, attached.read)
    else:
        attached.descriptions.append(f"“{subject}” (message/rfc822, not read: it is carried in too many others)")


def _text(part: Message) -> Iterator[Block]:
    content = part.get_payload(decode=True)
    data = content if isinstance(content, bytes) else str(part.get_payload()).encode(errors="surrogateescape")
    text = _decoded(data, str(part.get_content_charset() or ""))
    if part.get_content_type() == "text/html":
        yield from html_blocks(text)[0]
    else:
        yield from text_blocks(_unquoted(text))


def _unquoted(text: str) -> str:
    """Without the marks of quoted lines; what is quoted and what is not are paragraphs apart."""
    lines: list[str] = []
    before = 0
    for line in text.splitlines():
        mark = _QUOTE.match(line)
        depth = mark.group().count(">") if mark else 0
        if depth != before:
            lines.append("")
        lines.append(line[mark.end() :] if mark else line)
        before = depth
    return "\n".join(lines)


def _decoded(data: bytes, charset: str) -> str:
    """By the charset that is stated when the text fits it; Windows' superset stands for Latin-1 and GBK's for GB2312."""
    wider = {"iso-8859-1": "cp1252", "us-ascii": "", "gb2312": "gb18030", "gbk": "gb18030", "ks_c_5601-1987": "cp949"}
    named = wider.get(charset.lower(), charset)
    if named:
        try:
            return data.decode(named)
        except (LookupError, UnicodeDecodeError):
            pass
    try:
        return decode(data)[0]
    except UndecodableText:
        return data.decode("latin-1")


def _header(message: Message, name: str) -> str:
    """Decoded words of RFC 2047, and raw bytes that should not be there."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    # The parser keeps bytes that are not ASCII as lone surrogates.
    text = str(raw)[:_LONGEST_HEADER]
    if not text.isascii():
        text = _decoded(text.encode("utf-8", errors="surrogateescape"), "")
    return _words(text)


def _words(text: str) -> str:
    try:
        parts = email.header.decode_header(text)
    except email.errors.HeaderParseError:
        return one_line(text)
    return one_line("".join(_word(part, charset) for part, charset in parts))


def _word(part: str | bytes, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    # Text between encoded words comes back as if its characters were bytes.
    return _decoded(part, charset) if charset else part.decode("raw-unicode-escape", errors="replace")
