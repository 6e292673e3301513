"""What goes up by rule: identifiers found verbatim (RAG-5), and bonuses (RAG-17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from superagent_retrieval.domain.candidates import Bonus, Candidate
from superagent_retrieval.domain.coverage import searchable, share_joined, share_said
from superagent_retrieval.domain.headings import Reference, Terms, heading_share
from superagent_retrieval.domain.identifiers import position_of

# Reading a passage costs a tenth of a millisecond, and a bonus moves it by a few places.
_LOOKED_AT = 12


@dataclass(frozen=True, slots=True)
class Bonuses:
    """Each as a share of the best fused score of the search; 0 switches one off.

    heading: the question is about the passage's heading. hint_words: it says a hint word. all_words: it says all of the
    question's; of a part of them, the square of that. (0.1 of all_words: nDCG@10 of XQuAD Chinese .977 → .979, CMRC2018
    .992 → .993, SQuAD2 .940 → .943; 0.02, for all of them only, moved none.) close_words: it has the question's words
    close together as the question has them; the share of neighbours that are. (0.2: SQuAD2 .938 → .940, XQuAD
    English .983 → .985, Chinese .979 → .980, CMRC2018 as before, each in both halves of the questions; up to 0.4 alike.)
    """

    heading: float = 0.05
    hint_words: float = 0.02
    all_words: float = 0.1
    close_words: float = 0.2

    def __post_init__(self) -> None:
        if not all(0 <= value <= 1 for value in astuple(self)):
            raise ValueError(f"bonuses out of range: {self}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for: its terms, those of the hint words, the parts of documents and identifiers it names."""

    terms: tuple[str, ...]
    hint_terms: tuple[str, ...]
    references: tuple[Reference, ...]
    identifiers: tuple[str, ...]


def with_identifiers(candidate: Candidate, wanted: Sequence[str]) -> Candidate:
    """The candidate with those of the wanted identifiers that its headings or text hold."""
    parent = candidate.parent
    text, headings = parent.text.lower(), "\n".join((parent.title, *parent.heading_path)).lower()
    in_text = {name: position_of(name, text) for name in wanted}
    return replace(
        candidate,
        exact=tuple(name for name in wanted if in_text[name] >= 0 or position_of(name, headings) >= 0),
        exact_at=min((at for at in in_text.values() if at >= 0), default=None),
    )


def with_bonuses(
    ordered: Sequence[Candidate], best: float, wanted: Wanted, bonuses: Bonuses, terms: Terms
) -> list[Candidate]:
    """The candidates, which come best first, with what rules add to their scores; only the first are looked at.

    best: the search's best fused score, before any bonus.
    """
    asked = frozenset(wanted.terms)
    looked_at = [_with_bonuses(each, best, asked, wanted, bonuses, terms) for each in ordered[:_LOOKED_AT]]
    return [*looked_at, *ordered[_LOOKED_AT:]]


def _with_bonuses(
    candidate: Candidate, best: float, asked: frozenset[str], wanted: Wanted, bonuses: Bonuses, terms: Terms
) -> Candidate:
    parent = candidate.parent
    earned: list[Bonus] = []
    if bonuses.heading and parent.heading_path:
        share = min(1.0, heading_share(parent.heading_path, asked, wanted.references, terms))
        if share:
            earned.append(Bonus("heading", bonuses.heading * share * best))
    if bonuses.all_words or bonuses.close_words or wanted.hint_terms:
        text = searchable(parent)
        if bonuses.all_words and len(wanted.terms) > 1 and (share := share_said(wanted.terms, text)):
            earned.append(Bonus("all_words", bonuses.all_words * share**2 * best))
        if bonuses.close_words and (share := share_joined(wanted.terms, text)):
            earned.append(Bonus("close_words", bonuses.close_words * share * best))
        if bonuses.hint_words and share_said(wanted.hint_terms, text) > 0:
            earned.append(Bonus("hint_words", bonuses.hint_words * best))
    if not earned:
        return candidate
    return replace(candidate, bonuses=tuple(earned), fused=candidate.fused + sum(bonus.value for bonus in earned))
