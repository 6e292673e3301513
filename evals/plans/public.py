"""The public sets planned by a planner, printed, and held against what was accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evals.plans.accepted import ACCEPTED, Run, accept, compared, read_accepted, run_of
from evals.plans.public_sets import PUBLIC
from evals.plans.run import plan_public
from evals.plans.scores import figures
from evals.retrieval.report import verdict
from superagent_orchestrator.ports import Planner


async def measured(data: Path, names: Sequence[str], every: int, planners: Mapping[str, Planner]) -> list[Run]:
    """Plans and prints each set that is there. Raises OSError, ValueError, KeyError for files that are none of theirs."""
    runs = []
    for name in names or PUBLIC:
        read, files = PUBLIC[name]
        if missing := [file for file in files if not (data / file).exists()]:
            print(f"{name}: not run, without {', '.join(missing)}.")
            continue
        asked = read(data)[::every]
        for who, planner in planners.items():
            run = run_of(name, who, every, asked, figures(await plan_public(planner, asked)))
            print(table(run), flush=True)
            runs.append(run)
    return runs


def judged(runs: Sequence[Run], *, accepting: bool, path: Path = ACCEPTED) -> int:
    """The exit status: 1 when an accepted figure dropped, 2 when nothing was measured."""
    if not runs:
        return 2
    accepted = read_accepted(path)
    comparisons = {f"{run.set} by {run.planner}": compared(run, accepted) for run in runs}
    for name, comparison in comparisons.items():
        print(verdict(name, comparison))
    if accepting:
        accept(runs, path)
        print("Accepted.")
        return 0
    return int(any(comparison.dropped for comparison in comparisons.values()))


def table(run: Run) -> str:
    """One line for each half and group, a column for each measure."""
    lines = [f"\n{run.set}: {run.questions} questions, planned by {run.planner}"]
    groups: dict[str, list[str]] = {}
    for name, value in run.figures.items():
        place, _, measure = name.rpartition("/")
        groups.setdefault(place, []).append(f"{measure} {value:.3f}")
    return "\n".join([*lines, *(f"  {place:<22}" + "  ".join(shown) for place, shown in groups.items())])
