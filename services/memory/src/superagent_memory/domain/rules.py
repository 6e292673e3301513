"""The numbers of MEM-1 … MEM-5, together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """Characters are counted as Python does, one for a Chinese character. Defaults are those of the specification."""

    sliding_turns: int = 6
    """MEM-3: turns of the sliding window."""
    sliding_characters: int = 16_000
    """What the sliding window's turns have together at most; the specification leaves it open."""
    verbatim_turns: int = 4
    """MEM-2: newest turns that `summary` keeps as they were."""
    verbatim_characters: int = 2_200
    """MEM-2: characters of the verbatim turns together."""
    trimmed_characters: int = 1_400
    """Characters of the trimmed turns together: as much as the summary that takes their place."""
    rounds: int = 10
    """MEM-3: the hard window has four messages for each round."""
    summarise_beyond_messages: int = 16
    """MEM-3: messages outside of the summary from which on older turns are folded into it."""
    fold_turns: int = 6
    """MEM-2: turns folded in one step at most."""
    summary_characters: int = 1_400
    """MEM-2: characters of a summary, facts included."""
    model_fold_turns: int = 120
    """Older turns that wait to be folded, beyond which the rules fold the oldest: the model's work stays bounded."""

    @property
    def window_messages(self) -> int:
        return self.rounds * 4

    @property
    def facts_characters(self) -> int:
        """Half of a summary at most, so that facts never push the story out."""
        return self.summary_characters // 2


DEFAULT_RULES = Rules()
