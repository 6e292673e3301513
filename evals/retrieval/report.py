"""What was measured, as text."""

from __future__ import annotations

from collections.abc import Mapping

from evals.retrieval.accepted import Comparison, Subset
from evals.retrieval.measure import CHANNELS, Group

_MEASURES = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10")


def table(subset: Subset, groups: Mapping[str, Group]) -> str:
    """One line per group and channel, then how many questions got nothing."""
    part = "all questions" if subset.every == 1 else f"every {subset.every}th question"
    lines = [
        "",
        f"{subset.set}: {subset.questions} questions ({part}) of {subset.passages} passages, as {subset.documents}",
        f"  {'':<18} {'':<9}" + "".join(f"{name:>10}" for name in _MEASURES) + f"{'questions':>11}",
    ]
    for name, group in groups.items():
        found = group.figures()
        for channel in CHANNELS:
            if channel in group.ranks:
                values = "".join(f"{found[f'{channel}/{measure}']:>10.3f}" for measure in _MEASURES)
                lines.append(f"  {name:<18} {channel:<9}{values}{group.answered:>11}")
    for name, group in groups.items():
        if group.unanswered:
            lines.append(f"  {name}: {group.refused} of {group.unanswered} questions without an answer get no evidence"
                         + (f", {group.kept} of {group.answered} with one get some" if group.answered else ""))  # fmt: skip
        elif group.kept < group.answered:
            lines.append(f"  {name}: {group.answered - group.kept} of {group.answered} questions get no evidence")
    return "\n".join(lines)


def verdict(name: str, comparison: Comparison) -> str:
    """What the comparison says, one line per figure that moved by more than half a point."""
    if comparison.refused:
        return f"{name}: not compared, {comparison.refused}."
    lines = [
        f"{name}: {len(comparison.dropped)} figures dropped, {len(comparison.gained)} gained more than 0.5 points."
    ]
    for figure, (before, now) in comparison.dropped.items():
        lines.append(f"  DROPPED {figure}: {before:.3f} → {'gone' if now is None else f'{now:.3f}'}")
    lines += [f"  gained  {figure}: {before:.3f} → {now:.3f}" for figure, (before, now) in comparison.gained.items()]
    return "\n".join(lines)
