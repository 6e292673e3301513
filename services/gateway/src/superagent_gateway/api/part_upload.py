"""A part's bytes on their way from the client to ingestion, never held as a whole."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import ClientDisconnect, Request

from superagent.ingestion.v1 import ingestion_pb2 as pb
from superagent_common.errors import InvalidInput

_MESSAGE_BYTES = 256 * 1024
"""Bytes of one message: few enough to hold, enough to make the cost of a message not matter."""
_PART_SECONDS = 600.0
"""For clients on slow lines: 5 MiB at 9 kB/s."""


async def put_part(
    ingestion: Any, upload_id: str, number: int, content_digest: str | None, request: Request
) -> pb.PutPartResponse | None:
    """Sends the request's body as a part. None when the client left before the end."""
    header = pb.PartHeader(upload_id=upload_id, number=number, sha256=sha256_of(content_digest))
    try:
        answer: pb.PutPartResponse = await ingestion.PutPart(_messages(header, request), timeout=_PART_SECONDS)
    except ClientDisconnect:
        return None
    return answer


async def _messages(header: pb.PartHeader, request: Request) -> AsyncIterator[pb.PutPartRequest]:
    yield pb.PutPartRequest(header=header)
    waiting = bytearray()
    async for piece in request.stream():
        waiting += piece
        if len(waiting) >= _MESSAGE_BYTES:
            yield pb.PutPartRequest(data=bytes(waiting))
            waiting.clear()
    if waiting:
        yield pb.PutPartRequest(data=bytes(waiting))


def sha256_of(content_digest: str | None) -> str:
    """The SHA-256 of a `content-digest` header (RFC 9530) in hexadecimal; empty without a header. Raises InvalidInput."""
    if content_digest is None:
        return ""
    for member in content_digest.split(","):
        algorithm, _, value = member.strip().partition("=")
        if algorithm.lower() == "sha-256":
            value = value.partition(";")[0].strip()
            try:
                digest = base64.b64decode(value[1:-1], validate=True)
            except (binascii.Error, ValueError):
                digest = b""
            if len(digest) != 32 or not value.startswith(":") or not value.endswith(":"):
                raise InvalidInput("invalid_content_digest", "The header must read content-digest: sha-256=:<base64>:")
            return digest.hex()
    raise InvalidInput("unsupported_content_digest", "The content-digest header must name sha-256.")
