"""Cursor paging: a cursor is opaque to clients and names the last row of the page before."""

from __future__ import annotations

import base64
import binascii
import json

from superagent_common.errors import InvalidInput

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
_LARGEST = 2**63 - 1


def page_limit(asked: int) -> int:
    """Rows of a page: 0 means 50, more than 200 means 200. Raises InvalidInput below 0."""
    if asked < 0:
        raise InvalidInput("invalid_limit", "The limit must not be negative.")
    return min(asked or DEFAULT_LIMIT, MAX_LIMIT)


def encode_cursor(at: int, key: str) -> str:
    """A cursor for a list ordered by a number and an id."""
    return base64.urlsafe_b64encode(json.dumps([at, key]).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> tuple[int, str] | None:
    """What `encode_cursor` was given; None for the first page. Raises InvalidInput for anything else."""
    if not cursor:
        return None
    try:
        at, key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, TypeError, RecursionError) as error:
        raise InvalidInput("invalid_cursor", "The cursor is not one of ours.") from error
    # No database takes a number beyond its columns, nor half a character.
    if type(at) is not int or type(key) is not str or abs(at) > _LARGEST or not _is_text(key):
        raise InvalidInput("invalid_cursor", "The cursor is not one of ours.")
    return at, key


def _is_text(key: str) -> bool:
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in key)
