"""Frames between the service and its embedding child: a fixed head, then a body.

Request: u32 body length, u64 number, u8 kind, UTF-8 text. Answer: u32 body length, u64 number, u8 outcome, then the
vector as little-endian float32, or UTF-8 words about the failure. Number 0 is the child's word about its own start.
"""

from __future__ import annotations

import struct
from enum import IntEnum

HEAD = struct.Struct("<IQB")
START = 0


class Kind(IntEnum):
    """What a text is embedded as; queries are answered before passages."""

    QUERY = 0
    PASSAGE = 1


class Outcome(IntEnum):
    DONE = 0
    FAILED = 1


def frame(number: int, code: int, body: bytes) -> bytes:
    """One request (code: Kind) or answer (code: Outcome)."""
    return HEAD.pack(len(body), number, code) + body


class FrameParser:
    """Turns a byte stream into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, int, bytes]]:
        """The frames (number, code, body) that these bytes complete."""
        self._buffer += data
        frames = []
        at = 0
        while len(self._buffer) - at >= HEAD.size:
            size, number, code = HEAD.unpack_from(self._buffer, at)
            end = at + HEAD.size + size
            if len(self._buffer) < end:
                break
            frames.append((number, code, bytes(self._buffer[at + HEAD.size : end])))
            at = end
        del self._buffer[:at]
        return frames
