"""What is no evidence: hits below their channel's floor, and whole searches that found nothing related to the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from superagent_retrieval.domain.across import Across, Turn, is_foreign
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.coverage import searchable, share_said
from superagent_retrieval.domain.scripts import Script, script_of

WORD_SUPPORT = 0.06
"""What a passage that says all of the question's words is better by than its cosine tells. Between 0.02 and 0.1 the right
passages of CMRC2018, SQuAD2 and XQuAD part best from wrong ones; without it twice as many wrong ones pass."""
LEAST_SHARE_SAID = 0.25
"""Of the question's words, where only words can tell."""
ALONE_LENIENCE = 0.035
"""How much less near a passage in the other script may be where nothing is written in the question's. Without it three of ten
of XQuAD's English questions about Chinese passages find nothing, with it 1 %."""
# The best passages decide; the others are worse by both measures or nearly so.
_LOOKED_AT = 12


@dataclass(frozen=True, slots=True)
class RelatedFloors:
    """The least `cosine + WORD_SUPPORT · share of words said` of a search's best passage.

    han, other: question and passage in one script. across: in two.
    """

    han: float
    other: float
    across: float

    def __post_init__(self) -> None:
        if not all(-1 <= floor <= 2 for floor in (self.han, self.other, self.across)):
            raise ValueError(f"floors out of range: {self}")

    def of(self, asked: Script, written: Script) -> float:
        """Texts of no clear script have the more lenient floor."""
        if asked == written != "mixed":
            return self.han if asked == "han" else self.other
        return min(self.across, self.han, self.other)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What an embedding model's cosines mean; `python -m evals.calibrate` finds it out.

    vector_floor: the least cosine. cross_script_floor: where question and passage are not in one script, None is
    vector_floor. related: None lets every search have evidence that found something. across: how passages in the other
    script are found, None as those in the question's; it has floors of its own for them.
    """

    vector_floor: float
    cross_script_floor: float | None = None
    related: RelatedFloors | None = None
    across: Across | None = None

    def __post_init__(self) -> None:
        if not all(-1 <= floor <= 1 for floor in (self.vector_floor, self.cross_script_floor or 0.0)):
            raise ValueError(f"floors out of range: {self}")

    def turn(self, asked: Script, written: Script) -> Turn | None:
        """How the passage is found when it is written in the other script; None when it is not, or as any."""
        return self.across.of(asked) if self.across is not None and is_foreign(asked, written) else None

    def floor(self, asked: Script, written: Script) -> float:
        if (turn := self.turn(asked, written)) is not None:
            return turn.floor
        if self.cross_script_floor is None or asked == written != "mixed":
            return self.vector_floor
        return self.cross_script_floor


def vector_floors(
    question: str, scores: Mapping[str, float], parents: Mapping[str, Parent], calibration: Calibration
) -> dict[str, float]:
    """The least score of each parent that a question found."""
    floors = dict.fromkeys(scores, calibration.vector_floor)
    asked = script_of(question)
    turn = calibration.across.of(asked) if calibration.across is not None else None
    highest = calibration.vector_floor if turn is None else max(calibration.vector_floor, turn.floor)
    for key, score in scores.items():
        # Looking at the text is needed only where it decides.
        if score < highest and key in parents:
            floors[key] = calibration.floor(asked, script_of(parents[key].text))
    return floors


def related(
    question: str,
    terms: tuple[str, ...],
    cosines: Mapping[str, float],
    ordered: Sequence[Parent],
    found: Iterable[Parent],
    calibration: Calibration,
) -> bool:
    """Whether any of the best passages is near enough to the question to be evidence; none is to one without words.

    cosines: of parents that the vector channel found, by id; empty when it did not answer, then words alone tell.
    ordered: parents, best first. found: all that any channel hit, also below its floor.
    """
    # A model has a vector for "???" too, and something is always the nearest.
    if not any(map(str.isalnum, question)):
        return False
    floors = calibration.related
    if floors is None:
        return bool(ordered)
    asked = script_of(question)
    # What the vector channel did not bring is no nearer than the last that it brought.
    farthest = min(cosines.values(), default=None)
    # Where nothing is written as the question is, a hit is all there can be. (Without turning, the floor for two scripts
    # would leave half of XQuAD's English questions about Chinese passages without any: nDCG@10 .449 instead of .804.)
    foreign = asked != "mixed" and all(script_of(parent.text) != asked for parent in found)
    for parent in ordered[:_LOOKED_AT]:
        cosine = cosines.get(parent.parent_id, farthest)
        if cosine is None:
            if share_said(terms, searchable(parent)) >= LEAST_SHARE_SAID:
                return True
            continue
        written = script_of(parent.text)
        if (turn := calibration.turn(asked, written)) is not None:
            least = turn.related - (ALONE_LENIENCE if foreign else 0.0)
        else:
            least = calibration.floor(asked, written) if foreign else floors.of(asked, written)
        if cosine >= least:
            return True
        if cosine + WORD_SUPPORT >= least and cosine + WORD_SUPPORT * share_said(terms, searchable(parent)) >= least:
            return True
    return False
