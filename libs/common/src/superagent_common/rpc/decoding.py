"""Messages that are none.

gRPC decodes before it calls anything: it would answer an undecodable message with UNKNOWN and the decoder's own text,
unidentified and uncounted, and log a traceback for everybody who can reach the port.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from google.protobuf.message import DecodeError

from superagent_common.errors import InvalidInput

_UNDECODABLE = object()


def tolerant(decode: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """A decoder that never raises: `checked` and `checked_stream` refuse later what it could not read."""

    def decoded(data: bytes) -> Any:
        try:
            return decode(data)
        except DecodeError:
            return _UNDECODABLE

    return decoded


def checked(request: Any) -> Any:
    """The message itself. Raises InvalidInput when it could not be decoded."""
    if request is _UNDECODABLE:
        raise InvalidInput("malformed_message", "The message is not one of this call's.")
    return request


async def checked_stream(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """The messages of a stream. Raises InvalidInput at the first that could not be decoded."""
    async for request in requests:
        yield checked(request)
