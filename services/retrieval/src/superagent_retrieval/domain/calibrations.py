"""Embedding models whose cosines were measured with `python -m evals.calibrate`."""

from __future__ import annotations

from superagent_retrieval.domain import e5_small
from superagent_retrieval.domain.across import Across, Turn
from superagent_retrieval.domain.floors import Calibration, RelatedFloors

_KNOWN = {
    # Floors of hits: at least 99.9 % of the right passages of CMRC2018, SQuAD2 and XQuAD are above, within a language and
    # across. Floors of searches: what the command chose; of the questions of those sets 99.8 % find something. Higher ones
    # (0.876, 0.84) refuse a third more of what is asked of the wrong encyclopaedia, at 0.004 of SQuAD2's nDCG@10.
    # Across: of XQuAD's questions 99 % find something in passages of the other script alone.
    "multilingual-e5-small-int8": Calibration(
        0.78,
        0.70,
        RelatedFloors(han=0.866, other=0.829, across=0.77),
        Across(han=Turn(e5_small.HAN, 0.574, 0.788, 0.833), other=Turn(e5_small.OTHER, 0.555, 0.771, 0.816)),
    ),
}
_UNKNOWN = Calibration(0.45)
"""RAG-1. Without floors for whole searches, which cannot be guessed."""


def known_calibration(model: str) -> Calibration:
    """What is known of a model; for others a cautious floor alone."""
    return _KNOWN.get(model, _UNKNOWN)
