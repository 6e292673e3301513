"""Documents as they change, for whoever watches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping

from superagent_common.identity import Principal
from superagent_common.logging import Logger
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.ports import DocumentStore


class _Watcher:
    """What one person still has to be told; of each document only its newest state."""

    def __init__(self, owner_id: str) -> None:
        self.owner_id = owner_id
        self.seen: Mapping[str, int] | None = None
        self.news: dict[str, Document | None] = {}
        self.woken = asyncio.Event()


class Watching:
    """One look at the store now and then for all who watch, and none when nobody does."""

    def __init__(self, store: DocumentStore, log: Logger, *, every_seconds: float) -> None:
        self._store = store
        self._log = log
        self._every = every_seconds
        self._watchers: set[_Watcher] = set()
        self._polling: asyncio.Task[None] | None = None

    async def changes(self, principal: Principal) -> AsyncIterator[tuple[str, Document | None]]:
        """Ids of own documents with the documents as they are now, from now on; None for one that is deleted, once."""
        watcher = _Watcher(principal.user_id)
        watcher.seen = await self._store.changes(watcher.owner_id)
        self._watchers.add(watcher)
        if self._polling is None:
            self._polling = asyncio.create_task(self._poll())
        try:
            while True:
                await watcher.woken.wait()
                watcher.woken.clear()
                while watcher.news:
                    document_id = next(iter(watcher.news))
                    yield document_id, watcher.news.pop(document_id)
        finally:
            self._watchers.discard(watcher)
            if not self._watchers and self._polling:
                polling, self._polling = self._polling, None
                polling.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await polling

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            try:
                for owner_id in {watcher.owner_id for watcher in self._watchers}:
                    await self._look(owner_id)
            except Exception as error:  # noqa: BLE001 - the next look may succeed
                self._log.warning("watch_failed", error=repr(error))

    async def _look(self, owner_id: str) -> None:
        now = await self._store.changes(owner_id)
        read: dict[str, Document | None] = {}
        for watcher in [each for each in self._watchers if each.owner_id == owner_id]:
            seen, watcher.seen = watcher.seen or {}, now
            for document_id in {*seen, *now}:
                if seen.get(document_id) == now.get(document_id):
                    continue
                if document_id in now and document_id not in read:
                    read[document_id] = await self._store.get(document_id)
                document = read.get(document_id)
                watcher.news[document_id] = None if document is None or document.state == "deleting" else document
                watcher.woken.set()
