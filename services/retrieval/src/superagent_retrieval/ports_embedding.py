"""What retrieval needs of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Texts to unit vectors. Every failure is Unavailable: `embedder_down` (there is none now), `embedder_busy` (too
    many queries wait), `embedder_failed` (it answered that it cannot)."""

    model: str
    """Name of the model: vectors of another name are not comparable."""

    dimension: int

    async def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question, [dimension]. An empty text has a vector, too (that of its prefix)."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The unit vectors of passages, in their order. Waits while others are ahead; queries overtake."""
        ...

    async def close(self) -> None:
        """Ends it; whatever still waits fails with `embedder_down`."""
        ...
