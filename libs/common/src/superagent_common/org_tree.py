"""The org tree, described domains and revoked tokens, followed from the gateway by services that people call directly."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from superagent.gateway.v1 import gateway_pb2
from superagent.gateway.v1.gateway_pb2_grpc import ConfigServiceStub
from superagent_common.errors import ServiceError
from superagent_common.logging import Logger
from superagent_common.rpc import Channel
from superagent_common.tasks import running

POLL_SECONDS = 30.0
"""How often the snapshot is asked for when no signal comes (architecture.md)."""
_FIRST_TRIES_SECONDS = 1.0
CONFIG_CHANNEL = "gateway:config"
"""Redis channel on which the gateway says that its configuration has changed."""


def descendants(children: Mapping[str, Iterable[str]], tags: Iterable[str]) -> frozenset[str]:
    """The tags with everything below them; a loop in the tree does no harm."""
    found: set[str] = set()
    waiting = list(tags)
    while waiting:
        tag = waiting.pop()
        if tag not in found:
            found.add(tag)
            waiting.extend(children.get(tag, ()))
    return frozenset(found)


class OrgTree:
    """The newest tree this service has seen; before the first one, and for unknown tags, a tag is only itself."""

    def __init__(self, channel: Channel, redis: Any, log: Logger, revoked: Callable[[Mapping[str, int]], None]) -> None:
        """`redis` is a redis.asyncio client; `revoked` is told the smallest token version that counts, by user id."""
        self._stub = ConfigServiceStub(channel)
        self._redis = redis
        self._log = log
        self._revoked = revoked
        self._version = 0
        self._children: dict[str, list[str]] = {}
        self.domains: tuple[gateway_pb2.KnowledgeDomain, ...] = ()
        """Domains that administrators have described, by code."""

    def expand(self, tags: Iterable[str]) -> frozenset[str]:
        """The tags and all their descendants."""
        return descendants(self._children, tags)

    @asynccontextmanager
    async def following(self) -> AsyncIterator[OrgTree]:
        """Follows the gateway while the block runs: on its signal, and every 30 s."""
        changed = asyncio.Event()
        async with running(self._poll(changed), self._listen(changed)):
            yield self

    async def _poll(self, changed: asyncio.Event) -> None:
        reported = False
        while True:
            changed.clear()
            try:
                await self._refresh()
                reported = False
            except ServiceError as error:
                if not reported:
                    self._log.info("configuration_not_read", reason=error.reason)
                reported = True
            except Exception as error:  # noqa: BLE001 - taken-away tags must stop counting, so the poll goes on
                self._log.error("configuration_not_read", exc_info=error)
            wait = POLL_SECONDS if self._version else _FIRST_TRIES_SECONDS
            try:
                await asyncio.wait_for(changed.wait(), wait)
            except TimeoutError:
                pass  # time to look again

    async def _refresh(self) -> None:
        answer = await self._stub.GetSnapshot(gateway_pb2.GetSnapshotRequest(since_version=self._version), timeout=5)
        if answer.changed:
            children: dict[str, list[str]] = defaultdict(list)
            for tag in answer.snapshot.org_tags:
                children[tag.parent_code].append(tag.code)
            self._children = dict(children)
            self.domains = tuple(answer.snapshot.domains)
            self._revoked({each.user_id: each.min_version for each in answer.snapshot.revocations})
        self._version = answer.version

    async def _listen(self, changed: asyncio.Event) -> None:
        while True:
            try:
                async with self._redis.pubsub() as channel:
                    await channel.subscribe(CONFIG_CHANNEL)
                    async for _ in channel.listen():
                        changed.set()
            except Exception as error:  # noqa: BLE001 - the poll goes on without the signal
                self._log.info("configuration_signal_lost", error=type(error).__name__)
                await asyncio.sleep(_FIRST_TRIES_SECONDS)
