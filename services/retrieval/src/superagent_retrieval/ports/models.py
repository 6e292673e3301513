"""Models: what embeds, judges again and says in other words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.floors import Calibration


class Embedder(Protocol):
    """Texts to unit vectors. Every failure is Unavailable: `embedder_down` (there is none now), `embedder_busy` (too
    many queries wait), `embedder_failed` (it answered that it cannot)."""

    model: str
    """Name of the model: vectors of another name are not comparable."""

    dimension: int

    @property
    def ready(self) -> bool:
        """Whether it can answer right now, as far as is known."""
        ...

    async def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question, [dimension]. An empty text has a vector, too (that of its prefix)."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The unit vectors of passages, in their order. Waits while others are ahead; queries overtake."""
        ...

    async def close(self) -> None:
        """Ends it; whatever still waits fails with `embedder_down`."""
        ...


class Embedders(Protocol):
    """The embedding models that the settings name; no two have the same name."""

    default: IndexName
    """The one to answer with when nothing is indexed yet, and that the settings want otherwise."""

    @property
    def models(self) -> list[str]:
        """Their names, in order."""
        ...

    def named(self, model: str) -> IndexName | None:
        """The model of this name."""
        ...

    def open(self, name: IndexName) -> Embedder:
        """Starts the model's embedder. One that the settings do not name fails with `embedder_not_configured`."""
        ...

    def calibration(self, name: IndexName) -> Calibration:
        """What the model's cosines mean; a cautious floor for one of which nothing is known."""
        ...


class Reranker(Protocol):
    """Judges passages again, by reading them. Every failure is one of `superagent_common.errors`."""

    model: str
    """Name of the model that judges."""

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers the question: finite, higher is better, comparable within one call only."""
        ...

    async def close(self) -> None: ...


class Paraphraser(Protocol):
    """Says a question in other words. Every failure is one of `superagent_common.errors`."""

    model: str
    """Name of the model that says it."""

    async def paraphrases(self, question: str) -> list[str]:
        """Questions that ask the same; any number, of any length."""
        ...

    async def close(self) -> None: ...
