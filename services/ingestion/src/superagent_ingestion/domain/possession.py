"""Proof of possession: whoever claims a content that another person stored shows that it lies before them (ING-3)."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from superagent_common.errors import InvalidInput

CHALLENGE_SECONDS = 600.0
NONCE_BYTES = 16
_RANGES = 8
_RANGE_BYTES = 64 * 1024
_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class Challenge:
    """Bytes to hash, as [start, end) in order, behind the nonce; worth nothing from `expires_at` on (microseconds)."""

    nonce: bytes
    ranges: tuple[tuple[int, int], ...]
    expires_at: int


def ranges_to_prove(size: int, below: Callable[[int], int]) -> tuple[tuple[int, int], ...]:
    """A small content whole; of a larger one 64 KiB at a random place of each eighth, so that no part is sure to do.

    `below(n)` gives a random number from 0 to n - 1 that nobody can guess.
    """
    if size <= _RANGES * _RANGE_BYTES:
        return ((0, size),)
    borders = [size * eighth // _RANGES for eighth in range(_RANGES + 1)]
    starts = (first + below(behind - first - _RANGE_BYTES + 1) for first, behind in itertools.pairwise(borders))
    return tuple((start, start + _RANGE_BYTES) for start in starts)


def proof(nonce: bytes, pieces: Iterable[bytes]) -> str:
    """SHA-256 over the nonce and the pieces in order, in hexadecimal."""
    digest = hashlib.sha256(nonce)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def checked_digest(digest: str) -> str:
    """A proof in lower case. Raises InvalidInput for what cannot be one."""
    if not _DIGEST.fullmatch(digest):
        raise InvalidInput("invalid_digest", "The proof is written as 64 hexadecimal digits.")
    return digest.lower()


def proves(digest: str, expected: str) -> bool:
    """Whether a proof is the right one, in a time that tells nothing."""
    return hmac.compare_digest(digest, expected)
