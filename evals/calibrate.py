"""What an embedding model's cosines mean: finds the floors of retrieval from questions whose passages are known.

    python -m evals.calibrate

Uses the embedder that retrieval would use: EMBEDDING_MODEL, EMBEDDING_API_BASE, … or the local one. The passages and
questions are those of evals/calibration/passages.json, in Chinese and English: related ones, each with its passage, and
unrelated ones. Prints what it measured, what it chose and why, and ends with the setting to use.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import tempfile
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from superagent_retrieval.adapters.http_embedder import HttpEmbedder
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.coverage import searchable, share_said
from superagent_retrieval.domain.floors import WORD_SUPPORT, Calibration, RelatedFloors
from superagent_retrieval.domain.scripts import script_of
from superagent_retrieval.domain.variants import normalised
from superagent_retrieval.ports import Embedder

QUESTIONS = Path(__file__).parent / "calibration" / "passages.json"
# A set of this size does not hold the least cosine there is.
SAFETY = 0.03


class EmbedderSettings(BaseSettings):
    """As retrieval's settings of these names."""

    model_config = SettingsConfigDict(env_prefix="EMBEDDING_", env_ignore_empty=True)

    model: str = ""
    api_base: str = ""
    api_key: SecretStr | None = None
    dimension: int = Field(default=0, ge=0)
    query_prefix: str = ""
    passage_prefix: str = ""


@dataclass
class Measured:
    """By pair of scripts: cosines of right passages, and how near the nearest passage is to (un)related questions."""

    right: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    related: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    unrelated: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def pair_of(question: str, passage: str) -> str:
    """`han`, `other` or `across`."""
    asked, written = script_of(question), script_of(passage)
    return asked if asked == written != "mixed" else "across"


async def measure(embedder: Embedder) -> Measured:
    data = json.loads(QUESTIONS.read_text("utf-8"))
    parents = {
        key: Parent(key, key, each["title"], "", (), 0, each["text"], 0, len(each["text"]))
        for key, each in data["passages"].items()
    }
    embedded = await embedder.embed_passages([parent.text for parent in parents.values()])
    vectors = dict(zip(parents, embedded, strict=True))
    measured = Measured()

    async def near(question: str) -> dict[str, tuple[str, float, float]]:
        """Of each passage: pair of scripts, cosine, nearness."""
        vector, terms = await embedder.embed_query(question), terms_of(normalised(question))
        found = {}
        for key, parent in parents.items():
            cosine = sum(a * b for a, b in zip(vector, vectors[key], strict=True))
            nearness = cosine + WORD_SUPPORT * share_said(terms, searchable(parent))
            found[key] = (pair_of(question, parent.text), cosine, nearness)
        return found

    for right, questions in data["related"].items():
        for question in questions:
            found = await near(question)
            pair, cosine, nearness = found[right]
            measured.right[pair].append(cosine)
            measured.related[pair].append(nearness)
    for question in data["unrelated"]:
        nearest: dict[str, float] = {}
        for pair, _, nearness in (await near(question)).values():
            nearest[pair] = max(nearness, nearest.get(pair, nearness))
        for pair, nearness in nearest.items():
            measured.unrelated[pair].append(nearness)
    return measured


def chosen(measured: Measured) -> Calibration:
    """Floors of hits lie below every right passage; floors of searches between the related and the unrelated.

    Where those overlap, no related question is given up for an unrelated one.
    """
    same = min((*measured.right["han"], *measured.right["other"]))
    floors = {pair: _between(measured.related[pair], measured.unrelated[pair]) for pair in ("han", "other", "across")}
    return Calibration(
        round(same - SAFETY, 3), round(min(measured.right["across"]) - SAFETY, 3), RelatedFloors(**floors)
    )


def _between(related: list[float], unrelated: list[float]) -> float:
    lowest, highest = min(related), max(unrelated)
    floor = highest + (lowest - highest) / 5 if highest < lowest else lowest
    return math.floor(floor * 1000) / 1000


def report(measured: Measured, calibration: Calibration) -> str:
    lines = [
        "pair of scripts   right passages: least cosine, median   nearness of related: least   of unrelated: highest"
    ]
    for pair in ("han", "other", "across"):
        right = sorted(measured.right[pair])
        lines.append(
            f"{pair:<17} {right[0]:.3f}, {right[len(right) // 2]:.3f} ({len(right)} questions)"
            f"   {min(measured.related[pair]):.3f}   {max(measured.unrelated[pair]):.3f} ({len(measured.unrelated[pair])})"
        )
    lines += [
        f"vector_floor {calibration.vector_floor}, cross_script_floor {calibration.cross_script_floor}: the least cosine of a"
        f" right passage, less {SAFETY} for what so small a set does not hold",
    ]
    floors = calibration.related or RelatedFloors(0, 0, 0)
    for pair, floor in asdict(floors).items():
        related, unrelated = measured.related[pair], measured.unrelated[pair]
        overlap = max(unrelated) >= min(related)
        why = "the least of the related, as they overlap" if overlap else "a fifth of the way up from the unrelated"
        refused = sum(value < floor for value in unrelated)
        lines.append(f"related.{pair} {floor}: {why}; keeps {len(related)} of {len(related)} related questions,"
                     f" refuses {refused} of {len(unrelated)} unrelated ones")  # fmt: skip
    lines.append(f"RETRIEVAL_CALIBRATION={json.dumps(asdict(calibration))}")
    return "\n".join(lines)


async def run() -> None:
    settings = EmbedderSettings()
    with tempfile.TemporaryDirectory() as cache:
        embedder: HttpEmbedder | LocalEmbedder
        if settings.model:
            embedder = HttpEmbedder(
                settings.model,
                settings.dimension,
                settings.api_base,
                settings.api_key,
                query_prefix=settings.query_prefix,
                passage_prefix=settings.passage_prefix,
            )
        else:
            embedder = LocalEmbedder(child_command(bundled_weights(), Path(cache)))
            embedder.start()
        try:
            measured = await measure(embedder)
        finally:
            await embedder.close()
    sys.stdout.write(f"{embedder.model}, {embedder.dimension} dimensions\n{report(measured, chosen(measured))}\n")


if __name__ == "__main__":
    asyncio.run(run())
