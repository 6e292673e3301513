"""Moments that all streams of a process share.

What many streams do at the same moment costs each of them, and every hop behind, a fraction of what it costs alone: one
wake-up, one write to the store, one packet.
"""

from __future__ import annotations

BEAT_SECONDS = 0.03
"""Deltas that arrive within this time travel as one event (quality.md)."""


def next_beat(now: float, seconds: float = BEAT_SECONDS) -> float:
    """The next multiple of `seconds` behind `now`, on the same clock."""
    return (now // seconds + 1) * seconds
