"""A waiting line in which nobody waits behind all that another person asked."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Round robin over people, first come first served for each of them."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        """In the order they would leave if nobody came."""
        turn = 0
        lines = list(self._lines.values())
        while lines:
            yield from (line[turn] for line in lines)
            turn += 1
            lines = [line for line in lines if len(line) > turn]

    def add(self, person: str, item: T) -> None:
        self._lines.setdefault(person, deque()).append(item)
        self._length += 1

    def remove(self, person: str, item: T) -> None:
        """ValueError when it does not wait."""
        line = self._lines.get(person, deque())
        line.remove(item)
        self._length -= 1
        if not line:
            del self._lines[person]

    def first(self) -> T:
        """Who is next; the queue must not be empty."""
        return next(iter(self._lines.values()))[0]

    def pop(self) -> T:
        """Takes out who is next; whose turn it was stands behind the others."""
        person, line = next(iter(self._lines.items()))
        item = line.popleft()
        self._length -= 1
        if line:
            self._lines.move_to_end(person)
        else:
            del self._lines[person]
        return item
