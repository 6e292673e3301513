"""Conversations that nobody has used for long are deleted, when that is wanted (MEM-9)."""

from __future__ import annotations

from collections.abc import Callable

from superagent_memory.domain.conversations import Conversation
from superagent_memory.ports import ConversationStore

_DELETED_AT_ONCE = 50


class Retention:
    """Each message renews a conversation; `keep` is in microseconds.

    Replicas need no lock: each deletes what is inactive at the moment of deleting.
    """

    def __init__(self, store: ConversationStore, clock: Callable[[], int], keep: int) -> None:
        self._store = store
        self._clock = clock
        self._keep = keep

    async def renew(self, conversation: Conversation) -> None:
        """Keeps a conversation that a turn has begun in; written only when half of its time is over."""
        now = self._clock()
        if conversation.updated_at < now - self._keep // 2:
            await self._store.touch(conversation.conversation_id, now)

    async def sweep(self) -> int:
        """Deletes everything that is due; how many."""
        gone = 0
        while True:
            now = self._clock()
            deleted = await self._store.delete_inactive(now - self._keep, _DELETED_AT_ONCE, now)
            if not deleted:
                return gone
            gone += deleted
