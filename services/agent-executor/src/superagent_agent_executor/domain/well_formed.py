"""Text that UTF-8 can carry."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with halves of characters put together where both are there, and question marks for lone ones."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\ufffd", "?")
    return text
