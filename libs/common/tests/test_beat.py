"""The beat that all streams of a process share."""

from hypothesis import given
from hypothesis import strategies as st

from superagent_common.beat import next_beat

NOW = st.floats(min_value=0, max_value=1e7)


@given(NOW, st.sampled_from([0.03, 1.0, 60.0]))
def test_the_next_beat_is_at_most_one_away(now: float, seconds: float) -> None:
    assert now < next_beat(now, seconds) + 1e-6
    assert next_beat(now, seconds) <= now + seconds + 1e-6


@given(NOW, st.floats(min_value=0, max_value=0.03))
def test_who_asks_between_two_beats_gets_the_same_one(now: float, later: float) -> None:
    beat = next_beat(now)
    if now + later < beat - 1e-6:
        assert abs(next_beat(now + later) - beat) < 1e-6
