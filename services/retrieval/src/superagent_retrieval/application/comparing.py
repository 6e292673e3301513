"""How near in meaning texts that follow each other are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from opentelemetry.trace import SpanKind

from superagent_common.errors import InvalidInput
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.spaces import Spaces

TEXTS = 64
"""Of one request: so much the embedder takes at once, and a question that comes meanwhile overtakes it."""


class Comparing:
    """Compares texts by their vectors, which are not kept."""

    def __init__(self, spaces: Spaces, telemetry: Telemetry) -> None:
        self._spaces = spaces
        self._telemetry = telemetry

    async def neighbours(self, texts: Sequence[str]) -> list[float]:
        """The cosine of each text with the next; none for fewer than two.

        Raises InvalidInput for more than TEXTS, and what the embedder raises.
        """
        if len(texts) > TEXTS:
            raise InvalidInput("too_many_texts", f"At most {TEXTS} texts are compared at once.")
        if len(texts) < 2:
            return []
        with self._spaces.pinned() as space:
            model = {"gen_ai.request.model": space.embedder.model}
            with self._telemetry.span("embed passages", SpanKind.CLIENT, model):
                vectors = await space.embedder.embed_passages(texts)
        return [
            max(-1.0, min(1.0, sum(a * b for a, b in zip(left, right, strict=True))))
            for left, right in pairwise(vectors)
        ]
