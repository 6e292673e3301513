"""What is done for a conversation after its turns, and never in their way: a title, a summary."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from superagent_common.clock import SECOND
from superagent_common.errors import ServiceError
from superagent_common.logging import Logger
from superagent_memory.application.folding import Folding
from superagent_memory.domain.conversations import wants_title
from superagent_memory.ports import SummaryStore, Writer

_TITLE_CHARACTERS = 600
_COMMIT_SECONDS = 0.05


class Care:
    """Takes conversations that are due, one at a time, each under a lease, so that replicas do not do work twice."""

    def __init__(
        self,
        store: SummaryStore,
        folding: Folding,
        titles: Writer | None,
        clock: Callable[[], int],
        log: Logger,
        *,
        lease_seconds: float,
        sweep_seconds: float,
    ) -> None:
        """`titles` writes titles, None leaves those that the first questions made."""
        self._store = store
        self._folding = folding
        self._titles = titles
        self._clock = clock
        self._log = log
        self._lease = int(lease_seconds * SECOND)
        self._sweep_seconds = sweep_seconds
        self._wake = asyncio.Event()

    def wake_soon(self) -> None:
        """Says that a conversation will be due as soon as the caller's transaction is committed."""
        asyncio.get_running_loop().call_later(_COMMIT_SECONDS, self._wake.set)

    async def run(self) -> None:
        """Works until cancelled."""
        while True:
            self._wake.clear()
            try:
                worked = await self.work_once()
            except ServiceError as error:
                self._log.warning("conversations_not_looked_after", reason=error.reason)
                worked = False
            except Exception as error:  # noqa: BLE001 - a loop that a fault ended would be missed by nobody
                # The lease ends by itself, and somebody tries again.
                self._log.error("conversation_care_failed", exc_info=error)
                worked = False
            if not worked:
                try:
                    await asyncio.wait_for(self._wake.wait(), self._sweep_seconds)
                except TimeoutError:
                    continue

    async def work_once(self) -> bool:
        """Looks after one conversation; False when none is due."""
        until = self._clock() + self._lease
        conversation_id = await self._store.take(self._clock(), until)
        if conversation_id is None:
            return False
        try:
            until = await self._attend(conversation_id, until)
        except ServiceError as error:
            self._log.warning("conversation_care_failed", conversation_id=conversation_id, reason=error.reason)
            return True
        await self._store.settle(conversation_id, until, 0)
        return True

    async def _attend(self, conversation_id: str, until: int) -> int:
        found = await self._store.state(conversation_id)
        if found is None:
            return until
        conversation, summary = found
        if self._titles and wants_title(conversation):
            # None when it has just been deleted.
            for first in await self._store.oldest(conversation_id, 0, 1):
                title = await self._titles.title(first.question[:_TITLE_CHARACTERS], first.answer[:_TITLE_CHARACTERS])
                await self._store.better_title(conversation, title)
        if not self._folding.is_due(conversation, summary):
            return until
        while True:
            after = await self._folding.step(conversation, summary)
            if after is None:
                found = await self._store.state(conversation_id)
                if found is None or found[1].revision == summary.revision or not self._folding.is_due(*found):
                    return until
                # Another replica was faster, and has stopped: it has no lease any more.
                conversation, summary = found
                continue
            summary = after
            renewed = self._clock() + self._lease
            if not await self._store.settle(conversation_id, until, renewed):
                # A turn came in meanwhile, or the lease ran out: whoever takes it next goes on from here.
                return until
            until = renewed
        return until
