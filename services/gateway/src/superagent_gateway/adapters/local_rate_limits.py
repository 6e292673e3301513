"""Sliding windows of this process alone."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from superagent_gateway.domain import RateRule

_SUBJECTS = 10_000


class LocalRateLimits:
    """`RateLimits` in memory; the subjects seen longest ago are forgotten beyond ten thousand."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    async def take(self, rule: RateRule, subject: str) -> float:
        now = self._clock()
        times = self._times.setdefault((rule.name, subject), deque())
        self._times.move_to_end((rule.name, subject))
        if len(self._times) > _SUBJECTS:
            self._times.popitem(last=False)
        while times and times[0] <= now - rule.window_seconds:
            times.popleft()
        if len(times) < rule.limit:
            times.append(now)
            return 0.0
        return times[0] + rule.window_seconds - now
