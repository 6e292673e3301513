"""Where a running job is, and why it may stop there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from superagent_ingestion.domain.documents import StageName


class GivenUp(Exception):
    """The document is being deleted, or the lease is lost: whoever has it now goes on."""


class GaveWay(Exception):
    """Another person's document comes first; this one goes on later where it was."""


class Place:
    """Where a job is, for saying where it failed, and whether it may stay there."""

    stage: StageName = "parse"

    def __init__(self, others_wait: Callable[[], Awaitable[bool]]) -> None:
        """`others_wait` tells whether another person's turn has come."""
        self._others_wait = others_wait

    async def give_way(self) -> None:
        """Raises GaveWay when another person's turn has come."""
        if await self._others_wait():
            raise GaveWay
