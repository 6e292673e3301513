"""What a deleted conversation has left here: running turns, turns with their plans, event streams."""

from __future__ import annotations

from collections.abc import Callable

from superagent_common.clock import SECOND
from superagent_orchestrator.ports import DeletedConversations, EventLog


class Deletions:
    """Removes what is left of deleted conversations. Replicas need no lock: removing twice changes nothing."""

    def __init__(
        self, deleted: DeletedConversations, log: EventLog, clock: Callable[[], int], keep_seconds: int
    ) -> None:
        """`clock` gives microseconds since the epoch.

        Deletions are known for `keep_seconds`, which is longer than the end of a turn can be late.
        """
        self._deleted = deleted
        self._log = log
        self._clock = clock
        self._keep = keep_seconds * SECOND

    async def clear(self) -> None:
        """Removes what can be removed now. Raises Unavailable while the event log is away: it stays due then."""
        while due := await self._deleted.due():
            for conversation_id in due:
                turn_ids = await self._deleted.ended(conversation_id)
                # The streams first: nobody would know of them without the rows.
                await self._log.remove(turn_ids)
                await self._deleted.remove(conversation_id, turn_ids)

    async def forget(self) -> None:
        """Forgets deletions that are long done."""
        await self._deleted.forget(self._clock() - self._keep)
