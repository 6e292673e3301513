"""Embedding models whose cosines were measured with `python -m superagent_retrieval.calibrate`."""

from __future__ import annotations

from superagent_retrieval.domain.floors import Calibration, RelatedFloors

_KNOWN = {
    # Floors of single hits: at least 99.9 % of the right passages of CMRC2018, SQuAD2 and XQuAD are above, within a
    # language and across. Of whole searches: see evals/calibration.md.
    "multilingual-e5-small-int8": Calibration(0.78, 0.70, RelatedFloors(han=0.876, other=0.84, across=0.80)),
}
_UNKNOWN = Calibration(0.45)
"""RAG-1. Without floors for whole searches, which cannot be guessed."""


def known_calibration(model: str) -> Calibration:
    """What is known of a model; for others a cautious floor alone."""
    return _KNOWN.get(model, _UNKNOWN)
