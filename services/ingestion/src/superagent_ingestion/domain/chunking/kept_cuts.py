"""Cut documents that are looked through page by page, kept as long as there is room."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from superagent_ingestion.domain.chunking.model import Child, Chunks

# A child beside its text: the object, its path, anchor and numbers.
_CHILD_BYTES = 600


@dataclass(frozen=True, slots=True)
class Cut:
    """What a look at a document shows: its children in reading order, and how many parents they have."""

    children: tuple[Child, ...]
    parents: int

    @classmethod
    def of(cls, chunks: Chunks) -> Cut:
        return cls(chunks.children, len(chunks.parents))

    @property
    def bytes(self) -> int:
        """Of memory, about."""
        return sum(sys.getsizeof(child.text) + _CHILD_BYTES for child in self.children)


class KeptCuts:
    """The cuts that were looked at last, of at most so many bytes in all; a larger one is not kept."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._room = most_bytes
        self._cuts: OrderedDict[Hashable, tuple[Cut, int]] = OrderedDict()

    def get(self, key: Hashable) -> Cut | None:
        if key not in self._cuts:
            return None
        self._cuts.move_to_end(key)
        return self._cuts[key][0]

    def keep(self, key: Hashable, cut: Cut) -> None:
        size = cut.bytes
        if size > self._most:
            return
        if key in self._cuts:
            self._room += self._cuts.pop(key)[1]
        self._cuts[key] = cut, size
        self._room -= size
        while self._room < 0:
            self._room += self._cuts.popitem(last=False)[1][1]
