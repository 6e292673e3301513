"""The state of retrieval, for people who look after it."""

from __future__ import annotations

from dataclasses import dataclass

from superagent_retrieval.application.rebuilding import Progress, Rebuilding
from superagent_retrieval.application.spaces import Spaces
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.ports import Catalogue, Embedders


@dataclass(frozen=True, slots=True)
class StatusShown:
    """answering: whose vectors searches use; `embedder_ready` tells whether its embedder answers right now.

    degraded: why searches use words alone, "" when they do not. wanted: the model that the settings want. models: all that
    an index can be rebuilt for. documents, parents, children: that answer. rebuild: the run that is under way.
    """

    answering: IndexName
    embedder_ready: bool
    degraded: str
    vector_floor: float
    wanted: IndexName
    models: list[str]
    documents: int
    parents: int
    children: int
    rebuild: Progress | None

    @property
    def rebuild_due(self) -> bool:
        """Whether another model answers than the settings want."""
        return self.answering != self.wanted


class Status:
    """Looks at everything at once."""

    def __init__(self, spaces: Spaces, embedders: Embedders, catalogue: Catalogue, rebuilding: Rebuilding) -> None:
        self._spaces = spaces
        self._embedders = embedders
        self._catalogue = catalogue
        self._rebuilding = rebuilding

    async def shown(self) -> StatusShown:
        """The state as it is now."""
        rebuild = await self._rebuilding.progress()
        documents, parents, children = await self._catalogue.totals()
        answering = self._spaces.answering
        return StatusShown(
            answering.name,
            answering.embedder.ready,
            "" if self._embedders.named(answering.name.model) == answering.name else "embedder_not_configured",
            answering.calibration.vector_floor,
            self._embedders.default,
            self._embedders.models,
            documents,
            parents,
            children,
            rebuild,
        )
