"""The floors that a model gets, and that they lead to no evidence for questions about something else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from evals.calibrate import Measured, chosen, measure, report
from superagent_retrieval.adapters.local_embedder.embedder import MODEL, LocalEmbedder, bundled_weights, child_command
from superagent_retrieval.domain.calibrations import known_calibration
from superagent_retrieval.domain.floors import Calibration, RelatedFloors


def test_floors_lie_between_related_and_unrelated_and_never_above_a_related_one() -> None:
    measured = Measured()
    for pair, right, related, unrelated in (
        ("han", 0.9, [0.95, 0.92], [0.80, 0.86]),
        ("other", 0.8, [0.85, 0.9], [0.7, 0.88]),
        ("across", 0.7, [0.75], [0.6]),
    ):
        measured.right[pair], measured.related[pair], measured.unrelated[pair] = [right], related, unrelated
    calibration = chosen(measured)
    assert calibration == Calibration(0.77, 0.67, RelatedFloors(han=0.872, other=0.85, across=0.63))
    said = report(measured, calibration)
    assert "refuses 1 of 2 unrelated ones" in said
    assert said.endswith('"related": {"han": 0.872, "other": 0.85, "across": 0.63}}')


def test_an_unknown_model_has_a_cautious_floor_alone() -> None:
    assert known_calibration("text-embedding-9") == Calibration(0.45)


async def test_the_local_model_finds_what_there_is_and_nothing_for_other_questions(embedder_cache: Path) -> None:
    embedder = LocalEmbedder(child_command(bundled_weights(), embedder_cache))
    embedder.start()
    try:
        measured = await measure(embedder)
    finally:
        await embedder.close()
    calibration = known_calibration(MODEL)
    floors = calibration.related
    assert floors is not None
    kept: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for pair, floor in (("han", floors.han), ("other", floors.other), ("across", floors.across)):
        kept[pair] = sum(value >= floor for value in measured.related[pair])
        refused[pair] = sum(value < floor for value in measured.unrelated[pair])
        assert min(measured.right[pair]) >= (
            calibration.cross_script_floor if pair == "across" else calibration.vector_floor
        )  # type: ignore[operator]
    assert kept == {"han": 24, "other": 24, "across": 24}
    assert (refused["han"], refused["other"]) >= (23, 23) and refused["across"] >= 40
