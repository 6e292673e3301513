"""Work that comes round again and again, on several things of which one may fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


async def each(items: Iterable[Item], work: Callable[[Item], Awaitable[object]]) -> None:
    """Works on one item after the other, then raises what failed first: what cannot be done holds up nothing else."""
    failed: Exception | None = None
    for item in items:
        try:
            await work(item)
        except Exception as error:  # noqa: BLE001 - raised when the others have had their turn
            failed = failed or error
    if failed:
        raise failed
