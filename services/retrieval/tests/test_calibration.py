"""The floors that a model gets, and that they lead to no evidence for questions about something else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from evals.calibrate import Measured, chosen, measure, report
from superagent_retrieval.adapters.local_embedder.embedder import MODEL, LocalEmbedder, bundled_weights, child_command
from superagent_retrieval.domain.across import Across, Turn
from superagent_retrieval.domain.calibrations import known_calibration
from superagent_retrieval.domain.floors import Calibration, RelatedFloors


def test_floors_lie_between_related_and_unrelated_and_never_above_a_related_one() -> None:
    measured = Measured()
    for pair, right, related, unrelated in (
        ("han", 0.9, [0.95, 0.92], [0.80, 0.86]),
        ("other", 0.8, [0.85, 0.9], [0.7, 0.88]),
        ("across", 0.7, [0.75], [0.6]),
        ("from han", 0.85, [0.86], [0.81]),
        ("from other", 0.8, [0.82], [0.83]),
    ):
        measured.right[pair], measured.related[pair], measured.unrelated[pair] = [right], related, unrelated
    measured.shift, measured.gain = {"han": (0.1, 0.2), "other": (0.3, 0.4)}, {"han": 0.5, "other": 0.6}
    calibration = chosen(measured)
    across = Across(Turn((0.1, 0.2), 0.5, 0.775, 0.82), Turn((0.3, 0.4), 0.6, 0.775, 0.82))
    assert calibration == Calibration(0.77, 0.67, RelatedFloors(han=0.872, other=0.85, across=0.63), across)
    said = report(measured, calibration)
    assert "refuses 1 of 2 unrelated ones" in said
    _, _, setting = said.rpartition("RETRIEVAL_CALIBRATION=")
    assert TypeAdapter(Calibration).validate_json(setting) == calibration


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
    assert calibration.across is not None
    for script in ("han", "other"):
        turn = calibration.across.of(script)
        assert turn is not None
        # What the model has beside its name is what this command found.
        assert turn.shift == pytest.approx(measured.shift[script], abs=1e-4)
        assert turn.gain == pytest.approx(measured.gain[script], abs=2e-3)
        assert min(measured.related[f"from {script}"]) >= turn.related
        assert sum(value < turn.related for value in measured.unrelated[f"from {script}"]) >= 23
