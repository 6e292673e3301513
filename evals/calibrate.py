"""What an embedding model's cosines mean: finds the floors of retrieval from questions whose passages are known.

    python -m evals.calibrate

Also finds what questions of one script share, so that passages in the other are found (`domain/across`).

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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from superagent_retrieval.adapters.http_embedder import HttpEmbedder
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command
from superagent_retrieval.domain.across import Across, Turn, is_foreign
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.coverage import searchable, share_said
from superagent_retrieval.domain.floors import ALONE_LENIENCE, WORD_SUPPORT, Calibration, RelatedFloors
from superagent_retrieval.domain.scripts import script_of
from superagent_retrieval.domain.variants import normalised
from superagent_retrieval.ports import Embedder

QUESTIONS = Path(__file__).parent / "calibration" / "passages.json"
# A set of this size does not hold the least cosine there is.
SAFETY = 0.03
# What counts at all across scripts is a little below what a search there needs.
BELOW = 0.01
# How much of what the questions of a script share is taken off. (XQuAD R@1 from Chinese to English by 0, 0.3, 0.5, 0.7, 0.85
# of it: .62, .72, .77, .78, .78, from English to Chinese .72, .74, .75, .75, .74.)
SHARED = 0.7
# How far below one in its own script a passage in the other begins: of two that say the same, the reader wants the first.
BEHIND = 0.03
SCRIPTS: tuple[Literal["han", "other"], ...] = ("han", "other")


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
    """By pair of scripts: cosines of right passages, and how near the nearest passage is to (un)related questions.

    `han` and `other` are texts of one script, `across` of two; `from han` and `from other` are questions of that script that
    were turned, to passages of the other. shift, gain: see `Turn`.
    """

    right: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    related: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    unrelated: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    shift: dict[str, tuple[float, ...]] = field(default_factory=dict)
    gain: dict[str, float] = field(default_factory=dict)


def pairs_of(question: str, passage: str) -> tuple[str, ...]:
    """`han`, `other`, or `across` and, for two clear scripts, `from …`."""
    asked, written = script_of(question), script_of(passage)
    if asked == written != "mixed":
        return (asked,)
    return ("across", f"from {asked}") if is_foreign(asked, written) else ("across",)


async def measure(embedder: Embedder) -> Measured:
    data = json.loads(QUESTIONS.read_text("utf-8"))
    parents = {
        key: Parent(key, key, each["title"], "", (), 0, each["text"], 0, len(each["text"]))
        for key, each in data["passages"].items()
    }
    embedded = await embedder.embed_passages([parent.text for parent in parents.values()])
    vectors = dict(zip(parents, embedded, strict=True))
    right = {question: key for key, questions in data["related"].items() for question in questions}
    asked = {question: await embedder.embed_query(question) for question in (*right, *data["unrelated"])}
    measured = Measured()
    for script in SCRIPTS:
        own = [vector for question, vector in asked.items() if script_of(question) == script]
        measured.shift[script] = tuple(round(SHARED * sum(column) / len(own), 5) for column in zip(*own, strict=True))

    def cosine(question: str, key: str, pair: str) -> float:
        vector: Sequence[float] = asked[question]
        if pair.startswith("from "):
            vector = [a - b for a, b in zip(vector, measured.shift[script_of(question)], strict=True)]
        gain = measured.gain.get(script_of(question), 0.0) if pair.startswith("from ") else 0.0
        return sum(a * b for a, b in zip(vector, vectors[key], strict=True)) + gain

    def of_right(pair: str) -> list[float]:
        return [
            cosine(question, key, pair)
            for question, key in right.items()
            if pair in pairs_of(question, parents[key].text)
        ]

    for script in SCRIPTS:
        measured.gain[script] = round(median(of_right(script)) - median(of_right(f"from {script}")) - BEHIND, 3)
    for question in asked:
        terms = terms_of(normalised(question))
        nearest: dict[str, float] = {}
        for key, parent in parents.items():
            for pair in pairs_of(question, parent.text):
                near = cosine(question, key, pair)
                nearness = near + WORD_SUPPORT * share_said(terms, searchable(parent))
                nearest[pair] = max(nearness, nearest.get(pair, nearness))
                if right.get(question) == key:
                    measured.right[pair].append(near)
                    measured.related[pair].append(nearness)
        if question not in right:
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
        round(same - SAFETY, 3),
        round(min(measured.right["across"]) - SAFETY, 3),
        RelatedFloors(**floors),
        Across(*(_turn(measured, script) for script in SCRIPTS)),
    )


def _turn(measured: Measured, script: Literal["han", "other"]) -> Turn:
    pair = f"from {script}"
    related = _between(measured.related[pair], measured.unrelated[pair])
    return Turn(measured.shift[script], measured.gain[script], round(related - ALONE_LENIENCE - BELOW, 3), related)


def _between(related: list[float], unrelated: list[float]) -> float:
    lowest, highest = min(related), max(unrelated)
    floor = highest + (lowest - highest) / 5 if highest < lowest else lowest
    return math.floor(floor * 1000) / 1000


def report(measured: Measured, calibration: Calibration) -> str:
    lines = [
        "pair of scripts   right passages: least cosine, median   nearness of related: least   of unrelated: highest"
    ]
    for pair in ("han", "other", "across", "from han", "from other"):
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
    for script in SCRIPTS:
        turn, unrelated = _turn(measured, script), measured.unrelated[f"from {script}"]
        refused = sum(value < turn.related for value in unrelated)
        lines.append(
            f"across.{script}: gain {turn.gain}, so that right passages in the other script begin {BEHIND} below those in its"
            f" own; related {turn.related}, chosen as above, refuses {refused} of {len(unrelated)} unrelated ones"
        )
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
