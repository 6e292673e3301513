"""The figures of public sets that were accepted, and whether new ones fall behind them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.plans.public_sets import Asked
from evals.retrieval.accepted import TOLERANCE, Comparison

ACCEPTED = Path(__file__).parent.parent / "accepted_plans.json"
_MARGIN = TOLERANCE + 0.00005  # accepted figures are rounded to four places


@dataclass(frozen=True, slots=True)
class Run:
    """planner: `rules` or a model's name. every: each so many-th question was asked. digest: of those questions and what
    is known of them. figures: by `half/group/measure`; those named `floor_…` are what doing nothing gives."""

    set: str
    planner: str
    every: int
    questions: int
    digest: str
    figures: Mapping[str, float]


def run_of(name: str, planner: str, every: int, asked: Sequence[Asked], figures: Mapping[str, float]) -> Run:
    """What was measured."""
    digest = hashlib.sha256("\n".join(map(repr, asked)).encode()).hexdigest()[:12]
    return Run(name, planner, every, len(asked), digest, figures)


def compared(run: Run, accepted: Sequence[Run]) -> Comparison:
    """What became of each accepted figure of the same planner and questions."""
    same = next((each for each in accepted if _place(each) == _place(run)), None)
    if same is None:
        return Comparison({}, {}, f"no figures of {run.set} by {run.planner} are accepted yet")
    if same.digest != run.digest:
        return Comparison({}, {}, f"the accepted figures of {run.set} are of other questions")
    kept = {name: before for name, before in same.figures.items() if not name.rpartition("/")[2].startswith("floor_")}
    now = run.figures
    return Comparison(
        {
            name: (before, now.get(name))
            for name, before in kept.items()
            if name not in now or now[name] < before - _MARGIN
        },
        {name: (before, now[name]) for name, before in kept.items() if now.get(name, 0.0) > before + _MARGIN},
    )


def read_accepted(path: Path = ACCEPTED) -> list[Run]:
    """Raises OSError, ValueError, KeyError, TypeError for a file that is none of ours."""
    return [Run(**row) for row in json.loads(path.read_text("utf-8"))["runs"]]


def accept(runs: Sequence[Run], path: Path = ACCEPTED) -> None:
    """Puts the runs in the place of those of the same set, planner and part."""
    kept = {_place(run): run for run in (read_accepted(path) if path.exists() else [])}
    kept |= {_place(run): run for run in runs}
    rows = [
        asdict(run) | {"figures": {name: round(value, 4) for name, value in run.figures.items()}}
        for _, run in sorted(kept.items())
    ]
    path.write_text(json.dumps({"runs": rows}, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _place(run: Run) -> tuple[str, str, int]:
    return run.set, run.planner, run.every
