"""What is remembered of people, in a relational database."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from superagent_common.db import Connection, Database
from superagent_memory.adapters.tables import memory_items, people
from superagent_memory.domain.wishes import ITEMS, Item

_REMEMBERS = select(people.c.remembers).where(people.c.user_id == bindparam("user"))
_SINCE = select(people.c.updated_at).where(people.c.user_id == bindparam("user"), people.c.remembers.is_(True))
_ITEMS = (
    select(*(memory_items.c[name] for name in Item.__slots__))
    .where(memory_items.c.user_id == bindparam("user"))
    .order_by(memory_items.c.created_at.desc(), memory_items.c.item_id.desc())
)


class SqlPersonStore:
    """`PersonStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def enabled(self, user_id: str) -> bool:
        async with self._database.read() as connection:
            return bool(await connection.scalar(_REMEMBERS, {"user": user_id}))

    async def enable(self, user_id: str, enabled: bool, at: int) -> None:
        values = {"remembers": enabled, "updated_at": at}
        own = people.c.user_id == user_id
        # Said again, it is on since it was switched on.
        changing = update(people).where(own, people.c.remembers.is_(not enabled)).values(values)
        try:
            async with self._database.write() as connection:
                known = await connection.scalar(select(people.c.user_id).where(own).with_for_update())
                if known is None:
                    await connection.execute(insert(people), {"user_id": user_id, **values})
                else:
                    await connection.execute(changing)
        except IntegrityError:
            # Another replica has made the row in between.
            async with self._database.write() as connection:
                await connection.execute(changing)

    async def items(self, user_id: str) -> Sequence[Item]:
        async with self._database.read() as connection:
            return [Item(*row) for row in await connection.execute(_ITEMS, {"user": user_id})]

    async def add(self, item: Item) -> None:
        async with self._database.write() as connection:
            await add_item(connection, item)

    async def forget(self, user_id: str, item_id: str) -> bool:
        wanted = [memory_items.c.user_id == user_id]
        if item_id:
            wanted.append(memory_items.c.item_id == item_id)
        async with self._database.write() as connection:
            return bool((await connection.execute(delete(memory_items).where(*wanted))).rowcount)


async def remembered_since(connection: Connection, user_id: str) -> int | None:
    """Since when a person allows remembering, in a transaction of the caller's; None when they do not."""
    since: int | None = await connection.scalar(_SINCE, {"user": user_id})
    return since


async def add_item(connection: Connection, item: Item) -> None:
    """`PersonStore.add` in a transaction of the caller's."""
    kept = (await connection.execute(_ITEMS, {"user": item.user_id})).all()
    crowded = [row.item_id for row in kept[ITEMS - 1 :]]
    equal = [row.item_id for row in kept if row.text.casefold() == item.text.casefold()]
    if gone := equal or crowded:
        await connection.execute(delete(memory_items).where(memory_items.c.item_id.in_(gone)))
    await connection.execute(insert(memory_items), {name: getattr(item, name) for name in Item.__slots__})
