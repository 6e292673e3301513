"""The figures that were accepted, and whether new ones fall behind them.

Figures are compared with those of the same passages and questions alone: another set, other documents, fewer questions
or changed texts have another `Subset`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ACCEPTED = Path(__file__).parent.parent / "accepted.json"
TOLERANCE = 0.005
"""Half a point: what a figure may lose."""


@dataclass(frozen=True, slots=True)
class Subset:
    """What was asked of what. documents: `paragraphs` or `articles`. every: each so many-th question was asked. digest:
    of all passages and of the questions asked. embedder: the name of the embedding model."""

    set: str
    documents: str
    every: int
    passages: int
    questions: int
    digest: str
    embedder: str


@dataclass(frozen=True, slots=True)
class Run:
    """measured: the day, as YYYY-MM-DD. figures: by `group/channel/measure`, each 0 to 1, more is better."""

    subset: Subset
    measured: str
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """dropped: figure → (accepted, now), also those that are gone (now: None). refused: why nothing was compared."""

    dropped: Mapping[str, tuple[float, float | None]]
    gained: Mapping[str, tuple[float, float]]
    refused: str = ""


def compared(run: Run, accepted: Sequence[Run]) -> Comparison:
    """What became of each accepted figure of exactly this subset."""
    same = next((each for each in accepted if each.subset == run.subset), None)
    if same is None:
        return Comparison({}, {}, _why_not(run.subset, [each.subset for each in accepted]))
    dropped: dict[str, tuple[float, float | None]] = {}
    gained: dict[str, tuple[float, float]] = {}
    for name, before in same.figures.items():
        now = run.figures.get(name)
        # Accepted figures are rounded to four places: half of the last one is no drop.
        if now is None or now < before - TOLERANCE - 0.00005:
            dropped[name] = (before, now)
        elif now > before + TOLERANCE:
            gained[name] = (before, now)
    return Comparison(dropped, gained)


def _why_not(subset: Subset, accepted: Sequence[Subset]) -> str:
    of_set = [each for each in accepted if each.set == subset.set]
    if not of_set:
        return f"no figures of {subset.set} are accepted yet"
    new = asdict(subset)
    differences = [[name for name, value in asdict(each).items() if value != new[name]] for each in of_set]
    nearest = min(differences, key=len)
    return f"the accepted figures of {subset.set} are of other {', '.join(nearest)}"


def read_accepted(path: Path = ACCEPTED) -> list[Run]:
    """Raises OSError, ValueError, KeyError, TypeError for a file that is none of ours."""
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["runs"]
    return [Run(Subset(**row["subset"]), row["measured"], row["figures"]) for row in rows]


def accept(runs: Sequence[Run], path: Path = ACCEPTED) -> None:
    """Puts the runs in the place of those of the same set, documents, part and embedder."""
    new = {_place(run.subset): run for run in runs}
    kept = [run for run in (read_accepted(path) if path.exists() else []) if _place(run.subset) not in new]
    rows = [
        {
            "subset": asdict(run.subset),
            "measured": run.measured,
            "figures": {name: round(value, 4) for name, value in run.figures.items()},
        }
        for run in sorted((*kept, *new.values()), key=lambda run: _place(run.subset))
    ]
    path.write_text(json.dumps({"runs": rows}, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _place(subset: Subset) -> tuple[str, str, int, str]:
    return subset.set, subset.documents, subset.every, subset.embedder
