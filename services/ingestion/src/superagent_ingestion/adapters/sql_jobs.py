"""Jobs and their leases, in a relational database. SQLite's clock is this machine's, so leases go by `clock`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, get_args

from sqlalchemy import ColumnElement, Select, and_, bindparam, exists, func, select, update

from superagent_common.clock import SECOND
from superagent_common.db import Database
from superagent_ingestion.adapters.tables import documents, jobs
from superagent_ingestion.domain.jobs import LONGEST_RETRY_SECONDS, QUEUED, Job, Kind

_FREE_SECONDS = 3
"""A job that waits longer than this, one sweep and a start, waits because no worker is free."""


def _turn() -> Select[Any]:
    """The job whose turn it is at `now`, as `JobStore.claim` says."""
    now, ingest = bindparam("now"), jobs.c.kind == "ingest"
    waiting = (
        select(jobs.c.person_id, func.min(jobs.c.available_at).label("since"))
        .where(ingest, jobs.c.available_at <= now)
        .group_by(jobs.c.person_id)
        .subquery()
    )
    running = (
        select(jobs.c.person_id, func.count().label("jobs"))
        .where(ingest, jobs.c.available_at > now, jobs.c.owner != "")
        .group_by(jobs.c.person_id)
        .subquery()
    )
    others = jobs.alias()
    served = select(func.max(others.c.claimed_at)).where(others.c.person_id == waiting.c.person_id).scalar_subquery()
    person = (
        select(waiting.c.person_id)
        .select_from(waiting.outerjoin(running, running.c.person_id == waiting.c.person_id))
        .order_by(func.coalesce(running.c.jobs, 0), func.coalesce(served, 0), waiting.c.since, waiting.c.person_id)
        .limit(1)
        .scalar_subquery()
    )
    return (
        select(jobs.c.document_id, jobs.c.attempts, jobs.c.available_at, documents.c.trace_parent)
        .join(documents, documents.c.document_id == jobs.c.document_id)
        .where(ingest, jobs.c.available_at <= now, jobs.c.person_id == person)
        .order_by(jobs.c.document_id)
        .limit(1)
    )


def _others() -> Select[Any]:
    """Whether the job of `document_id` is to give way, as `JobStore.others_wait` says."""
    mine, theirs, running = jobs.alias("mine"), jobs.alias("theirs"), jobs.alias("running")

    def running_jobs(person: Any) -> Any:
        lives = running.c.kind == "ingest", running.c.available_at > bindparam("now"), running.c.owner != ""
        return (
            select(func.count())
            .select_from(running)
            .where(*lives, running.c.person_id == person)
            .correlate(mine, theirs)
            .scalar_subquery()
        )

    waits = exists(
        select(1)
        .where(
            theirs.c.kind == "ingest",
            theirs.c.available_at <= bindparam("waits_since"),
            theirs.c.person_id != mine.c.person_id,
            running_jobs(theirs.c.person_id) < running_jobs(mine.c.person_id),
        )
        .correlate(mine)
    )
    ran = and_(mine.c.document_id == bindparam("document_id"), mine.c.claimed_at <= bindparam("ran_since"))
    return select(func.count()).select_from(mine).where(ran, waits)


_whose_turn, _others_wait = _turn(), _others()
_due = (
    select(jobs.c.document_id)
    .where(jobs.c.kind == bindparam("of_kind"), jobs.c.available_at <= bindparam("now"))
    .order_by(jobs.c.available_at)
    .limit(bindparam("rows"))
)
_waits_beyond = (
    select(jobs.c.document_id).where(jobs.c.kind.in_(get_args(Kind)), jobs.c.available_at > bindparam("then")).limit(1)
)


class SqlJobStore:
    """`JobStore` on SQLAlchemy Core."""

    def __init__(self, database: Database, clock: Callable[[], int], lease_seconds: float) -> None:
        """`clock` gives microseconds since the epoch."""
        self._database = database
        self._clock = clock
        self._lease = int(lease_seconds * SECOND)
        self._longest = int(max(lease_seconds, LONGEST_RETRY_SECONDS) * SECOND)

    async def claim(self, owner: str) -> Job | None:
        async with self._database.read() as connection:
            # Most hints come when nothing is left; writers are few, so that question is not asked as one.
            if (await connection.execute(_whose_turn, {"now": self._clock()})).first() is None:
                return None
        async with self._database.write() as connection:
            now = self._clock()
            while (turn := (await connection.execute(_whose_turn, {"now": now})).first()) is not None:
                taken = await connection.execute(
                    update(jobs)
                    .where(jobs.c.document_id == turn.document_id, jobs.c.available_at == turn.available_at)
                    .values(owner=owner, attempts=turn.attempts + 1, available_at=now + self._lease, claimed_at=now)
                )
                # On a database server another worker may have been faster.
                if taken.rowcount:
                    await connection.execute(
                        update(documents)
                        .where(documents.c.document_id == turn.document_id)
                        .values(waiting_reason="", updated_at=now)
                    )
                    return Job(turn.document_id, "ingest", owner, turn.attempts + 1, turn.trace_parent)
        return None

    async def renew(self, document_id: str, owner: str) -> bool:
        async with self._database.write() as connection:
            renewed = await connection.execute(
                update(jobs)
                .where(jobs.c.document_id == document_id, jobs.c.owner == owner)
                .values(available_at=self._clock() + self._lease)
            )
            return bool(renewed.rowcount)

    async def release(self, owners: Collection[str]) -> Sequence[str]:
        return await self._make_due(jobs.c.owner.in_(owners))

    async def recall(self) -> Sequence[str]:
        then = self._clock() + self._longest
        async with self._database.read() as connection:
            if (await connection.execute(_waits_beyond, {"then": then})).first() is None:
                return ()
        return await self._make_due(jobs.c.available_at > then)

    async def _make_due(self, which: ColumnElement[bool]) -> Sequence[str]:
        async with self._database.write() as connection:
            document_ids = (await connection.scalars(select(jobs.c.document_id).where(which))).all()
            now = self._clock()
            await connection.execute(update(jobs).where(which).values(owner="", available_at=now))
            waiting = documents.c.document_id.in_(document_ids), documents.c.state != "deleting"
            await connection.execute(update(documents).where(*waiting).values(waiting_reason=QUEUED, updated_at=now))
            return document_ids

    async def others_wait(self, job: Job, after_seconds: float) -> bool:
        now = self._clock()
        times = {
            "now": now,
            "ran_since": now - int(after_seconds * SECOND),
            "waits_since": now - _FREE_SECONDS * SECOND,
        }
        async with self._database.read() as connection:
            return bool(await connection.scalar(_others_wait, {"document_id": job.document_id, **times}))

    async def due(self, kind: Kind, limit: int) -> Sequence[str]:
        async with self._database.read() as connection:
            rows = await connection.scalars(_due, {"of_kind": kind, "now": self._clock(), "rows": limit})
            return rows.all()
