"""Identifiers: UUIDv7 strings (RFC 9562), sortable by time of making."""

from __future__ import annotations

import uuid

import uuid6


def new_id() -> str:
    """A new UUIDv7 in its canonical 36-character form."""
    return str(uuid6.uuid7())


def is_id(text: str) -> bool:
    """Whether `text` is a UUID in canonical form; callers treat anything else as unknown, never as an error."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
