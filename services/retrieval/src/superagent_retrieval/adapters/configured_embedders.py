"""The embedding models that the settings name, started when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from superagent_common.errors import Unavailable
from superagent_retrieval.domain.calibrations import known_calibration
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.ports import Embedder


@dataclass(frozen=True, slots=True)
class ConfiguredEmbedder:
    """A model, how its embedder is started, and what its cosines mean."""

    name: IndexName
    start: Callable[[], Embedder]
    calibration: Calibration


class ConfiguredEmbedders:
    """`Embedders`; the first one is the default."""

    def __init__(self, configured: Sequence[ConfiguredEmbedder]) -> None:
        self._by_model = {each.name.model: each for each in configured}
        self.default = configured[0].name

    @property
    def models(self) -> list[str]:
        return list(self._by_model)

    def named(self, model: str) -> IndexName | None:
        return self._by_model[model].name if model in self._by_model else None

    def open(self, name: IndexName) -> Embedder:
        return self._by_model[name.model].start() if self.named(name.model) == name else AbsentEmbedder(name)

    def calibration(self, name: IndexName) -> Calibration:
        if self.named(name.model) == name:
            return self._by_model[name.model].calibration
        return known_calibration(name.model)


class AbsentEmbedder:
    """An `Embedder` that the settings do not name (any more): its vectors are there, and nothing to compare them with."""

    ready = False

    def __init__(self, name: IndexName) -> None:
        self.model = name.model
        self.dimension = name.dimension

    async def embed_query(self, text: str) -> list[float]:
        raise self._absent()

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        raise self._absent()

    async def close(self) -> None:
        """There is nothing to end."""

    def _absent(self) -> Unavailable:
        return Unavailable(
            "embedder_not_configured", f"The settings do not name {self.model} ({self.dimension} dimensions)."
        )
