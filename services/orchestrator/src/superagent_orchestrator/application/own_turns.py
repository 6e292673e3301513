"""The turns that this replica runs: keeps their leases, and takes over those whose owner died."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
from typing import Any

from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.errors import Conflict, NotFound, Timeout, Unavailable
from superagent_common.identity import Identity, acting_as, current_identity
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_orchestrator.application.archive import Archive
from superagent_orchestrator.application.lease import RENEW_SECONDS, Lease
from superagent_orchestrator.application.live_turn import LiveTurn, ends, record_from, record_so_far
from superagent_orchestrator.application.preparing import Prepared, Preparing
from superagent_orchestrator.application.runner import TurnRunner
from superagent_orchestrator.ports import EventLog, TurnRow, TurnStore

_KEEP_SECONDS = 30.0
"""How long a finished turn is served from memory."""
_MAX_ATTEMPTS = 2


class OwnTurns:
    """Runs turns from their first event to their last."""

    def __init__(
        self,
        store: TurnStore,
        log: EventLog,
        preparing: Preparing,
        archive: Archive,
        runner: TurnRunner,
        logger: Logger,
        clock: Callable[[], int],
        *,
        grace_seconds: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives microseconds since the epoch; `grace_seconds` is what running turns get when this stops."""
        self._store = store
        self._log = log
        self._preparing = preparing
        self._archive = archive
        self._runner = runner
        self._logger = logger
        self._clock = clock
        self._monotonic = monotonic
        self._grace = grace_seconds
        self._owner = new_id()
        self._live: dict[str, LiveTurn] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stopping = False

    def check_open(self) -> None:
        """Raises Unavailable when no turn can be taken."""
        if self._stopping or not self._log.available:
            raise Unavailable("turns_unavailable", "No new turns can be taken right now. Please try again shortly.")

    def of(self, user_id: str, turn_id: str) -> LiveTurn | None:
        """A person's turn that runs here, or was over a moment ago."""
        live = self._live.get(turn_id)
        return live if live and not live.lease.lost and live.row.principal.user_id == user_id else None

    async def take(self, row: TurnRow, prepared: Prepared, *, behind: str = "") -> TurnRow:
        """Stores a turn and runs it, or gives the one with the same idempotency key. Raises as `TurnStore.add`.

        A caller that goes away meanwhile changes nothing: what may be stored already is run.
        """
        taking = asyncio.create_task(self._take(row, prepared, behind))
        self._tasks.add(taking)
        taking.add_done_callback(self._tasks.discard)
        return await asyncio.shield(taking)

    async def _take(self, row: TurnRow, prepared: Prepared, behind: str) -> TurnRow:
        # Here before it is stored: whoever finds it in the store can stop it.
        live = self._live[row.turn_id] = self._made(row)
        stored = None
        try:
            stored = await self._store.add(row, self._owner, behind=behind)
        finally:
            if stored is None or stored.turn_id != row.turn_id:
                del self._live[row.turn_id]
                await live.close()
        if stored.turn_id == row.turn_id:
            live.emit(accepted=events_pb2.Accepted(turn_id=row.turn_id, conversation_id=row.conversation_id))
            self._begin(live, current_identity(), prepared)
        return stored

    def _made(self, row: TurnRow, events: Sequence[events_pb2.TurnEvent] = ()) -> LiveTurn:
        lease = Lease(self._store, self._owner, row.turn_id, self._monotonic)
        return LiveTurn(row, lease, self._log, self._clock, self._logger, events=events, monotonic=self._monotonic)

    def cancel_here(self, turn_id: str) -> bool:
        """Stops a turn if this replica runs it, and says whether it does."""
        live = self._live.get(turn_id)
        if live:
            live.cancel()
        return live is not None

    def conversation_deleted(self, conversation_id: str) -> None:
        """Stops what runs here in a conversation, and keeps nothing of it in memory."""
        for live in [each for each in self._live.values() if each.row.conversation_id == conversation_id]:
            live.homeless = True
            live.cancel()
            if live.over:
                self._forget(live)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps leases and takes over lapsed turns while the block runs; afterwards gives running turns their grace."""
        keepers = [asyncio.create_task(keep()) for keep in (self._keep_leases, self._catch_up)]
        try:
            yield
        finally:
            self._stopping = True
            for keeper in keepers:
                keeper.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=self._grace)
            for live in self._live.values():
                if live.work and not live.over:
                    live.work.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=1.0)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*keepers, *self._tasks, return_exceptions=True)

    def _begin(self, live: LiveTurn, identity: Identity, prepared: Prepared) -> None:
        self._live[live.row.turn_id] = live
        live.begun = True

        async def run() -> None:
            try:
                await self._runner.run(live, identity, prepared)
                if not live.lease.lost:
                    await live.flushed()
            finally:
                await live.close()
                keep_seconds = 0 if live.lease.lost or live.homeless else _KEEP_SECONDS
                asyncio.get_running_loop().call_later(keep_seconds, self._forget, live)

        # In no call's context: a turn outlives the call that began it, whose deadline is not the turn's.
        task = asyncio.create_task(run(), context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _forget(self, live: LiveTurn) -> None:
        if self._live.get(live.row.turn_id) is live:
            del self._live[live.row.turn_id]

    async def _catch_up(self) -> None:
        """Gives memory, as soon as it answers, what it could not take."""
        while True:
            try:
                await self._archive.catch_up()
            except (Unavailable, Timeout) as error:
                self._logger.info("memory_still_absent", reason=error.reason)
            except Exception as error:  # the next round may succeed; without rounds answers would be lost
                self._logger.warning("turns_not_given_to_memory", exc_info=error)
            await asyncio.sleep(RENEW_SECONDS)

    async def _keep_leases(self) -> None:
        while True:
            try:
                await self._renew([live for live in self._live.values() if live.begun and not live.over])
                lapsed = await self._store.take_over(self._owner)
            except Exception as error:  # the next round may succeed; without rounds turns would be nobody's
                self._logger.warning("leases_not_kept", exc_info=error)
            else:
                await asyncio.gather(*map(self._try_take_over, lapsed))
            await asyncio.sleep(RENEW_SECONDS)

    async def _renew(self, running: Sequence[LiveTurn]) -> None:
        if not running:
            return
        at = self._monotonic()
        held = await self._store.renew(self._owner, [live.row.turn_id for live in running])
        for live in running:
            shall_stop = held.get(live.row.turn_id)
            if shall_stop is not None:
                live.lease.renewed(at)
                if shall_stop:
                    live.cancel()
            elif not live.lease.settled:
                live.lose()

    async def _try_take_over(self, row: TurnRow) -> None:
        try:
            await self._take_over(row)
        except Exception as error:  # its lease runs out again, and whoever is able to takes it over then
            self._logger.warning("turn_not_taken_over", turn_id=row.turn_id, exc_info=error)

    async def _take_over(self, row: TurnRow) -> None:
        """A turn whose owner died: executed again before its first delta, otherwise ended with what was said."""
        events = await self._log.read(row.turn_id, 0)
        if events and ends(events[-1]):
            await self._store.finish(record_from(row, events), self._owner)
            return
        live = self._made(row, events)
        if not events:
            live.emit(accepted=events_pb2.Accepted(turn_id=row.turn_id, conversation_id=row.conversation_id))
        for event in events:
            live.hear(event)
        live.cancelled = row.stop_asked
        live.interrupted = bool(live.answer) or row.attempts > _MAX_ATTEMPTS
        self._logger.warning("turn_taken_over", turn_id=row.turn_id, attempts=row.attempts, spoke=bool(live.answer))
        identity = Identity(row.principal)
        prepared = Prepared(plan_pb2.PlanMemory(), None)
        if not (live.interrupted or live.cancelled):
            try:
                with acting_as(identity):
                    prepared = await self._preparing.again(row)
            except (NotFound, Conflict):
                live.interrupted = (
                    True  # its conversation was deleted meanwhile, or its plan is too old for this version
                )
            except BaseException:
                await live.close()
                raise
        if live.interrupted or live.cancelled:
            live.record = record_so_far(row, events)
            live.answered = bool(live.record.finish_reason)
        self._begin(live, identity, prepared)
