"""How long a model may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from superagent_common.errors import Timeout

_MESSAGES = {
    "model_first_token_timeout": "the model did not begin to answer in time",
    "model_stalled": "the model stopped in the middle of its answer",
    "model_deadline": "the model did not finish in time",
}


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. `first_token` counts from the start of the call, `between_tokens` from byte to byte after it.

    `after_finish` is what usage and the end marker may take behind the finish reason, which they come with if at all.
    """

    connect: float = 5.0
    first_token: float = 60.0
    between_tokens: float = 30.0
    whole: float = 300.0
    after_finish: float = 5.0


class Deadline(NamedTuple):
    """`at` on the loop's clock; the earlier of two is the smaller."""

    at: float
    reason: Literal["model_first_token_timeout", "model_stalled", "model_deadline"]

    def failure(self) -> Timeout:
        return Timeout(self.reason, _MESSAGES[self.reason])


class CallDeadlines:
    """The deadlines of one call, which begins now."""

    def __init__(self, timeouts: Timeouts) -> None:
        self._now: Callable[[], float] = asyncio.get_running_loop().time
        self._between = timeouts.between_tokens
        self._after_finish = timeouts.after_finish
        self.whole = Deadline(self._now() + timeouts.whole, "model_deadline")
        self.first_token = min(Deadline(self._now() + timeouts.first_token, "model_first_token_timeout"), self.whole)

    def next_piece(self, before: Deadline, finished: bool) -> Deadline:
        """Counted from now; once the model has `finished`, what comes behind does not put off the deadline `before`."""
        if finished:
            return min(Deadline(self._now() + self._after_finish, "model_stalled"), before, self.whole)
        return min(Deadline(self._now() + self._between, "model_stalled"), self.whole)
