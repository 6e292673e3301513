"""A running turn's lease, as its owner knows it."""

from __future__ import annotations

from collections.abc import Callable

from superagent_orchestrator.ports import TurnStore

RENEW_SECONDS = 5.0
"""How often leases are renewed and lapsed ones looked for."""
LEASE_SECONDS = 3 * RENEW_SECONDS


class Lease:
    """Who stood still for longer than a lease lasts may have lost the turn to another replica, and asks before going on."""

    def __init__(self, store: TurnStore, owner: str, turn_id: str, monotonic: Callable[[], float]) -> None:
        self.owner = owner
        self.lost = False
        self.settled = False
        """Whether the turn's end is stored, or about to be: nobody takes it over any more."""
        self._store = store
        self._turn_id = turn_id
        self._monotonic = monotonic
        self._until = monotonic() + LEASE_SECONDS

    def renewed(self, at: float) -> None:
        """The store was asked at this time of the monotonic clock, and has renewed it."""
        self._until = at + LEASE_SECONDS

    async def held(self) -> bool:
        """Whether the turn is still this owner's. Raises what the store fails with, when it has to be asked."""
        if not (self.lost or self.settled or self._monotonic() < self._until):
            at = self._monotonic()
            self.lost = self._turn_id not in await self._store.renew(self.owner, [self._turn_id])
            self.renewed(at)
        return not self.lost


class TurnLost(Exception):
    """Another replica has taken the turn over: this one says nothing more of it."""
