"""The configuration that this replica follows, and how a change reaches all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from superagent_common.errors import Unauthenticated
from superagent_common.identity import Identity
from superagent_gateway.domain import Configuration, token_hash
from superagent_gateway.ports import ConfigurationSignal, ConfigurationStore


class CurrentConfiguration:
    """Kept in memory, so that no request waits for it; read again on each change and every 30 s."""

    def __init__(self, store: ConfigurationStore, signal: ConfigurationSignal, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._store = store
        self._signal = signal
        self._clock = clock
        self._reading = asyncio.Lock()
        self._min_versions: dict[str, int] = {}
        self.current = Configuration()

    async def reload(self) -> None:
        """Reads what is stored now."""
        async with self._reading:
            self.current = await self._store.read(self._clock())
            self._min_versions = dict(self.current.revocations)

    async def changed(self) -> None:
        """To be called behind each change: follows it here and tells the others."""
        await self.reload()
        await self._signal.publish(self.current.version)

    def check(self, identity: Identity) -> None:
        """Raises Unauthenticated for an access token that was revoked before its time."""
        principal = identity.principal
        if principal and identity.subject_version < self._min_versions.get(principal.user_id, 0):
            raise Unauthenticated("token_revoked", "The token does not count any more; renew it or log in again.")
        refused = self.current.refused_tokens
        if refused and token_hash(identity.subject_token) in refused:
            raise Unauthenticated("token_revoked", "The token was logged out.")
