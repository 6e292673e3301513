"""Which model's index answers, in the catalogue's database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, select, update

from superagent_common import clock
from superagent_common.db import Connection, Database
from superagent_common.ids import new_id
from superagent_retrieval.adapters.tables import documents, vector_indexes
from superagent_retrieval.domain.embeddings import IndexName, IndexRun, IndexStates

_ANSWERING, _BUILDING, _RETIRED = "answering", "building", "retired"
_ANSWERS = documents.c.generation != ""


async def answers(connection: Connection, index: IndexName) -> bool:
    """Whether the index is the answering one, which it stays until the transaction ends."""
    wanted = select(vector_indexes.c.state).where(_is(index)).with_for_update(read=True)
    return await connection.scalar(wanted) == _ANSWERING


class SqlIndexCatalogue:
    """`IndexCatalogue` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, default: IndexName) -> IndexStates:
        async with self._database.write() as connection:
            rows = (await connection.execute(select(vector_indexes))).all()
            if not rows:
                await _insert(connection, IndexRun(new_id(), default, clock.now()), _ANSWERING)
            elif (
                default not in map(_name, rows)
                and all(row.state != _BUILDING for row in rows)
                and not await connection.scalar(select(documents.c.document_id).where(_ANSWERS).limit(1))
            ):
                await _move(connection, _ANSWERING, _RETIRED)
                await _insert(connection, IndexRun(new_id(), default, clock.now()), _ANSWERING)
        return await self.states()

    async def states(self) -> IndexStates:
        async with self._database.read() as connection:
            rows = (await connection.execute(select(vector_indexes))).all()
        by_state: dict[str, list[Any]] = {_ANSWERING: [], _BUILDING: [], _RETIRED: []}
        for row in rows:
            by_state[row.state].append(row)
        (answering,) = by_state[_ANSWERING]
        building = by_state[_BUILDING]
        return IndexStates(
            _run(answering), _run(building[0]) if building else None, tuple(_name(row) for row in by_state[_RETIRED])
        )

    async def start(self, run: IndexRun) -> None:
        async with self._database.write() as connection:
            await _insert(connection, run, _BUILDING)

    async def behind(self, run_id: str, after: str, limit: int) -> list[str]:
        wanted = (
            select(documents.c.document_id)
            .where(_ANSWERS, documents.c.held_by != run_id, documents.c.document_id > after)
            .order_by(documents.c.document_id)
            .limit(limit)
        )
        async with self._database.read() as connection:
            return list(await connection.scalars(wanted))

    async def mark(self, run_id: str, document_id: str, generation: str) -> None:
        wanted = documents.c.document_id == document_id, documents.c.generation == generation
        async with self._database.write() as connection:
            await connection.execute(update(documents).where(*wanted).values(held_by=run_id))

    async def progress(self, run_id: str) -> tuple[int, int]:
        held = func.count().filter(documents.c.held_by == run_id)
        async with self._database.read() as connection:
            row = (await connection.execute(select(held, func.count()).where(_ANSWERS))).one()
        return int(row[0]), int(row[1])

    async def finish(self, run_id: str) -> bool:
        behind = select(documents.c.document_id).where(_ANSWERS, documents.c.held_by != run_id)
        async with self._database.write() as connection:
            # Whoever activates a document has ended by then, or waits.
            await connection.execute(select(vector_indexes).with_for_update())
            mine = select(vector_indexes.c.run_id).where(
                vector_indexes.c.state == _BUILDING, vector_indexes.c.run_id == run_id
            )
            if not await connection.scalar(mine) or await connection.scalar(behind.limit(1)):
                return False
            await _move(connection, _ANSWERING, _RETIRED)
            await _move(connection, _BUILDING, _ANSWERING)
        return True

    async def abandon(self, run_id: str) -> None:
        mine = vector_indexes.c.state == _BUILDING, vector_indexes.c.run_id == run_id
        async with self._database.write() as connection:
            await connection.execute(update(vector_indexes).where(*mine).values(state=_RETIRED))

    async def forget(self, index: IndexName) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(vector_indexes).where(_is(index), vector_indexes.c.state == _RETIRED))


async def _move(connection: Connection, before: str, after: str) -> None:
    await connection.execute(update(vector_indexes).where(vector_indexes.c.state == before).values(state=after))


async def _insert(connection: Connection, run: IndexRun, state: str) -> None:
    await connection.execute(
        insert(vector_indexes).values(
            model=run.index.model,
            dimension=run.index.dimension,
            state=state,
            run_id=run.run_id,
            started_at=run.started_at,
        )
    )


def _is(index: IndexName) -> ColumnElement[bool]:
    return and_(vector_indexes.c.model == index.model, vector_indexes.c.dimension == index.dimension)


def _name(row: Any) -> IndexName:
    return IndexName(row.model, row.dimension)


def _run(row: Any) -> IndexRun:
    return IndexRun(row.run_id, _name(row), row.started_at)
