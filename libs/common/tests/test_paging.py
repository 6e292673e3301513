"""Cursors that are not ours are refused, whatever they hold."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from superagent_common.errors import InvalidInput
from superagent_common.paging import decode_cursor, encode_cursor


def cursor_of(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_cursor_gives_what_it_was_made_of() -> None:
    assert decode_cursor(encode_cursor(1_700_000_000_000_000, "some-id")) == (1_700_000_000_000_000, "some-id")
    assert decode_cursor("") is None


@pytest.mark.parametrize(
    "cursor",
    [
        "garbage",
        "\u00e9",
        cursor_of([1]),
        cursor_of({"at": 1}),
        cursor_of([True, "id"]),
        cursor_of([1.5, "id"]),
        cursor_of([10**30, "id"]),
        cursor_of([-(2**63), "id"]),
        cursor_of([1, "\ud800"]),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
    ],
)
def test_what_no_database_takes_is_refused_as_a_cursor(cursor: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode_cursor(cursor)
    assert refused.value.reason == "invalid_cursor"
