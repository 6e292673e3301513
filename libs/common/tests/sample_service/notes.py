"""Notes travel from one service to another as events, or back to the one that wrote them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from google.protobuf.wrappers_pb2 import StringValue
from sqlalchemy import insert, select

from libs.common.tests.sample_service.tables import notes, outbox
from superagent_common.bus import Event, Outbox, Subscription
from superagent_common.db import Connection, Database

TOPIC = "superagent.note.written.v1"


class NoteWriter:
    """The producing side."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.outbox = Outbox(outbox)

    async def write(self, *texts: str, key: str = "a", topic: str = TOPIC) -> None:
        async with self._database.write() as connection:
            for text in texts:
                await self.outbox.add(connection, topic, key, StringValue(value=text))


class NoteKeeper:
    """The consuming side; `failures` says how often the handler is to fail for a text, and how."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.calls: list[str] = []
        self.failures: dict[str, list[Exception]] = defaultdict(list)
        self.subscription = Subscription(TOPIC, StringValue, self._keep)

    async def _keep(self, connection: Connection, event: Event[StringValue]) -> None:
        text = event.message.value
        self.calls.append(text)
        await connection.execute(insert(notes), {"text": text})
        if self.failures[text]:
            raise self.failures[text].pop(0)

    async def kept(self) -> Sequence[str]:
        async with self._database.read() as connection:
            return (await connection.scalars(select(notes.c.text).order_by(notes.c.note_id))).all()
