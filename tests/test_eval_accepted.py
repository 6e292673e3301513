"""What `make eval` says of figures beside the accepted ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evals.retrieval.accepted import ACCEPTED, Run, Subset, accept, compared, read_accepted
from evals.retrieval.own_set import OWN, own
from evals.retrieval.report import verdict

SUBSET = Subset("xquad", "paragraphs", 4, passages=480, questions=1192, digest="00ff", embedder="e5")
BEFORE = Run(SUBSET, "2026-01-01", {"zh/fused/recall@1": 0.9, "zh/fused/mrr": 0.95, "en/refusal/refused": 0.5})


@pytest.mark.parametrize(("now", "dropped"), [(0.8951, False), (0.895, False), (0.8948, True), (0.0, True)])
def test_half_a_point_may_be_lost(now: float, dropped: bool) -> None:
    comparison = compared(replace(BEFORE, figures={**BEFORE.figures, "zh/fused/recall@1": now}), [BEFORE])
    assert set(comparison.dropped) == ({"zh/fused/recall@1"} if dropped else set())
    assert not comparison.gained and not comparison.refused


def test_a_figure_that_is_gone_has_dropped_and_a_better_one_is_named() -> None:
    comparison = compared(replace(BEFORE, figures={"zh/fused/recall@1": 0.91, "en/refusal/refused": 0.5}), [BEFORE])
    assert comparison.dropped == {"zh/fused/mrr": (0.95, None)}
    assert comparison.gained == {"zh/fused/recall@1": (0.9, 0.91)}
    assert "DROPPED zh/fused/mrr: 0.950 → gone" in verdict("xquad", comparison)


@pytest.mark.parametrize(
    "other",
    [
        {"documents": "articles"},
        {"every": 1},
        {"passages": 481},
        {"questions": 1191},
        {"digest": "00fe"},
        {"embedder": "bge"},
    ],
)
def test_figures_of_another_subset_are_not_compared(other: dict[str, object]) -> None:
    worse = Run(replace(SUBSET, **other), "2026-01-02", dict.fromkeys(BEFORE.figures, 0.0))  # type: ignore[arg-type]
    comparison = compared(worse, [BEFORE])
    assert not comparison.dropped and next(iter(other)) in comparison.refused
    assert "not compared" in verdict("xquad", comparison)
    assert "accepted yet" in compared(replace(worse, subset=replace(SUBSET, set="squad2")), [BEFORE]).refused


def test_accepting_replaces_the_same_part_and_keeps_others(tmp_path: Path) -> None:
    path = tmp_path / "accepted.json"
    whole = replace(BEFORE, subset=replace(SUBSET, every=1))
    accept([BEFORE, whole], path)
    changed = Run(replace(SUBSET, digest="new"), "2026-02-02", {"zh/fused/recall@1": 0.123456})
    accept([changed], path)
    rounded = replace(changed, figures={"zh/fused/recall@1": 0.1235})
    assert sorted(read_accepted(path), key=lambda run: run.subset.every) == [whole, rounded]


def test_the_accepted_figures_of_the_own_set_are_of_the_set_as_it_is() -> None:
    questions = own()
    accepted = [run.subset for run in read_accepted() if run.subset.set == OWN]
    assert ACCEPTED.exists() and {(subset.digest, subset.every) for subset in accepted} >= {(questions.digest(), 1)}
