"""What the bus needs of a log of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from superagent_common.bus.event import Delivery, Record

Partition = tuple[str, int]
"""Topic and number."""


class Publisher(Protocol):
    """Appends records."""

    async def publish(self, records: Sequence[Record]) -> Sequence[bool]:
        """Appends records and returns which of them are stored for good; keeps trying while the log is down.

        Records of one key are stored in the order given. What is False may come to be stored nevertheless.
        """
        ...

    async def close(self) -> None:
        """Makes a running `publish` return what it has reached, and frees everything."""
        ...


class Source(Protocol):
    """Reads the partitions that this member of a consumer group is given."""

    group: str
    """Name of the group: the service's."""

    def start(
        self,
        topics: Sequence[str],
        receive: Callable[[Sequence[Delivery]], None],
        revoke: Callable[[Iterable[Partition]], None],
    ) -> None:
        """Begins to call `receive` and `revoke` on the running event loop; keeps trying while the log is down."""
        ...

    def pause(self, partition: Partition) -> None:
        """Delivers nothing more of a partition (but for what is on its way) until `resume`."""
        ...

    def resume(self, partition: Partition) -> None:
        """Ends a pause."""
        ...

    def settled(self, delivery: Delivery) -> None:
        """Moves the group past a delivery."""
        ...

    async def close(self) -> None:
        """Stores how far the group has come and leaves it."""
        ...
