"""What is remembered of a person across conversations, if they allow it (MEM-8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superagent_common.errors import Conflict, NotFound
from superagent_common.ids import new_id
from superagent_memory.domain.wishes import Item, checked_item
from superagent_memory.ports import PersonStore


class PersonMemory:
    """Off until the person switches it on; switching it off keeps the items and uses none."""

    def __init__(self, store: PersonStore, clock: Callable[[], int]) -> None:
        self._store = store
        self._clock = clock

    async def get(self, user_id: str) -> tuple[bool, Sequence[Item]]:
        """Whether it is on, and the items, newest first."""
        return await self._store.enabled(user_id), await self._store.items(user_id)

    async def update(self, user_id: str, enabled: bool | None, add: str) -> tuple[bool, Sequence[Item]]:
        """Switches it, adds an item, or both. Raises Conflict("memory_off") for an item that may not be kept."""
        item = checked_item(add) if add else ""
        if enabled is not None:
            await self._store.enable(user_id, enabled, self._clock())
        if item:
            if not await self._store.enabled(user_id):
                raise Conflict("memory_off", "Remembering is switched off.")
            await self._store.add(Item(new_id(), user_id, item, "", self._clock()))
        return await self.get(user_id)

    async def forget(self, user_id: str, item_id: str) -> None:
        """Forgets one item, or all with an empty id. Raises NotFound for an item that is not this person's."""
        if not await self._store.forget(user_id, item_id) and item_id:
            raise NotFound("unknown_memory_item", "There is no such item.")
