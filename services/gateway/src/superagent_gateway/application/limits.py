"""Rate limits of the edge (GWY-4)."""

from __future__ import annotations

from dataclasses import dataclass

from superagent_common.errors import Exhausted, Unavailable
from superagent_gateway.domain import RateRule
from superagent_gateway.ports import RateLimits


@dataclass(frozen=True, slots=True)
class EdgeRules:
    """The limits in force."""

    registration: RateRule
    login: RateRule
    chat: RateRule


class EdgeLimits:
    """Without the shared windows a chat passes, and registration and login are counted by this replica alone."""

    def __init__(self, rules: EdgeRules, shared: RateLimits, own: RateLimits) -> None:
        self._rules = rules
        self._shared = shared
        self._own = own

    async def registration(self, address: str) -> None:
        """Raises Exhausted."""
        await self._take(self._rules.registration, address, self._own)

    async def login(self, address: str) -> None:
        """Raises Exhausted."""
        await self._take(self._rules.login, address, self._own)

    async def chat(self, user_id: str) -> None:
        """Raises Exhausted."""
        await self._take(self._rules.chat, user_id, None)

    async def _take(self, rule: RateRule, subject: str, fallback: RateLimits | None) -> None:
        try:
            wait = await self._shared.take(rule, subject)
        except Unavailable:
            wait = await fallback.take(rule, subject) if fallback else 0.0
        if wait > 0:
            raise Exhausted(
                "rate_limited",
                f"At most {rule.limit} in {rule.window_seconds} seconds; try again later.",
                retry_after_seconds=wait,
                limit=rule.name,
            )
