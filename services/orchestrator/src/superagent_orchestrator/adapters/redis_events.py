"""The event streams of turns in Redis: one stream a turn, entry id `<sequence>-0`."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from redis.asyncio import Redis
from redis.exceptions import RedisError

from superagent.orchestrator.v1 import events_pb2
from superagent_common.errors import Unavailable
from superagent_common.logging import Logger
from superagent_common.tasks import running
from superagent_orchestrator.application.live_turn import ends

_PREFIX = "orchestrator:turn:"
_CHECK = "orchestrator:log-check"
_BLOCK_MS = 1_000
_RETRY_SECONDS = 0.5
_LOOK_SECONDS = 1.0
MAX_WAITING = 256
"""Events that wait for one viewer in memory."""
_PAGE = 256
_BATCH = 100
# For each key the number of its first event, how many there are, and the events. A sequence that is there already is
# skipped, one that would leave a gap is refused: no gap, no repeat. Answers each key's last number, or -1 for a gap.
_APPEND = """
local numbers = {}
local position = 2
for index, key in ipairs(KEYS) do
  local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)
  local number = 0
  if #last > 0 then number = tonumber(string.match(last[1][1], '^%d+')) end
  local sequence = tonumber(ARGV[position])
  local first = position + 2
  position = first + tonumber(ARGV[position + 1])
  for event = first, position - 1 do
    if sequence == number + 1 then
      redis.call('XADD', key, sequence .. '-0', 'e', ARGV[event])
      number = sequence
    elseif sequence > number then
      number = -1
      break
    end
    sequence = sequence + 1
  end
  redis.call('EXPIRE', key, ARGV[1])
  numbers[index] = number
end
return numbers
"""


_Append = tuple[str, Sequence[int | bytes]]
"""Key, and what the script takes for it."""


class Follower:
    """One viewer. Events wait in a bounded queue, without gaps; what comes while it is behind is read from the stream."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[events_pb2.TurnEvent] = asyncio.Queue(MAX_WAITING)
        self.behind = False

    def offer(self, event: events_pb2.TurnEvent) -> None:
        self.behind = self.behind or self.queue.full()
        if not self.behind:
            self.queue.put_nowait(event)

    def fall_behind(self) -> None:
        self.behind = True
        while not self.queue.empty():
            self.queue.get_nowait()


class RedisEventLog:
    """`EventLog` on Redis streams; one reader per process serves everybody who follows a turn of another replica.

    Writes go together: while one is on its way, what other turns append waits for the next.
    """

    def __init__(self, redis: Redis, keep_seconds: int, logger: Logger) -> None:
        self._redis = redis
        self._keep_seconds = keep_seconds
        self._logger = logger
        # A connection of its own: taking one from the pool for each write costs a fifth of the write.
        self._own = redis.client()
        self._append = self._own.register_script(_APPEND)
        self._waiting: list[tuple[_Append, asyncio.Future[bool]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._followers: dict[str, set[Follower]] = defaultdict(set)
        self._positions: dict[str, int] = {}
        self._joined = asyncio.Event()
        self._reader_id: int | None = None
        self.available = True

    async def append(self, turn_id: str, events: Sequence[events_pb2.TurnEvent]) -> None:
        append = (
            _PREFIX + turn_id,
            (events[0].sequence, len(events), *(event.SerializeToString() for event in events)),
        )
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((append, written))
        if self._writer is None:
            # A task, so that what comes in the same moment goes with it.
            self._writer = asyncio.create_task(self._write_waiting())
        if not await written:
            raise Unavailable("turn_log_unavailable", "The event log does not answer, or has lost what it had.")

    async def _write_waiting(self) -> None:
        """Writes what waits, of all turns at once; what comes meanwhile waits for the next write."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
                written = await self._write([append for append, _ in batch])
                for (_, waiter), is_written in zip(batch, written, strict=True):
                    if not waiter.done():  # cancelled: nobody waits any more
                        waiter.set_result(is_written)
        finally:
            self._writer = None

    async def _write(self, batch: Sequence[_Append]) -> list[bool]:
        """Which of them are in the log now."""
        arguments = [self._keep_seconds, *(argument for _, arguments in batch for argument in arguments)]
        try:
            numbers = await self._append(keys=[key for key, _ in batch], args=arguments)
        except Exception as error:
            self.available = False
            if not isinstance(error, RedisError | OSError):
                self._logger.error("turn_log_failed", exc_info=error)
            return [False] * len(batch)
        self.available = True
        return [number >= 0 for number in numbers]

    async def read(self, turn_id: str, after: int) -> Sequence[events_pb2.TurnEvent]:
        return await self._range(turn_id, after, None)

    async def remove(self, turn_ids: Sequence[str]) -> None:
        if not turn_ids:
            return
        try:
            await self._redis.unlink(*(_PREFIX + turn_id for turn_id in turn_ids))
        except (RedisError, OSError) as error:
            raise Unavailable("turn_log_unavailable", "The event log does not answer.") from error

    async def _range(self, turn_id: str, after: int, count: int | None) -> list[events_pb2.TurnEvent]:
        try:
            entries = await self._redis.xrange(_PREFIX + turn_id, min=f"({after}-0", count=count)
        except (RedisError, OSError) as error:
            raise Unavailable("turn_log_unavailable", "The event log does not answer.") from error
        return [events_pb2.TurnEvent.FromString(fields[b"e"]) for _, fields in entries]

    async def _tip(self, turn_id: str) -> events_pb2.TurnEvent | None:
        try:
            entries = await self._redis.xrevrange(_PREFIX + turn_id, count=1)
        except (RedisError, OSError) as error:
            raise Unavailable("turn_log_unavailable", "The event log does not answer.") from error
        return events_pb2.TurnEvent.FromString(entries[0][1][b"e"]) if entries else None

    async def follow(self, turn_id: str, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        follower = Follower()
        self._followers[turn_id].add(follower)
        try:
            # Joined before reading what is there: an event may come by both ways and is then dropped once.
            tip = await self._tip(turn_id) if after else None
            if tip and tip.sequence <= after and ends(tip):
                return
            events = await self._page(turn_id, after, follower)
            if events and not follower.behind:
                start = events[-1].sequence
            else:
                # Who is behind comes to the tip by itself. Who is ahead of the log, whose owner died while the log was
                # away, must be told the end all the same.
                tip = await self._tip(turn_id)
                number = tip.sequence if tip else 0
                start = number if events else min(after, number)
            self._positions[turn_id] = min(start, self._positions.get(turn_id, start))
            self._joined.set()
            await self._unblock()
            last = after
            while True:
                for event in events:
                    if event.sequence > last:
                        last = event.sequence
                        yield event
                    if ends(event):
                        return
                if follower.behind and follower.queue.empty():
                    events = await self._page(turn_id, last, follower)
                else:
                    events = [await follower.queue.get()]
        finally:
            self._followers[turn_id].discard(follower)
            if not self._followers[turn_id]:
                del self._followers[turn_id]
                self._positions.pop(turn_id, None)

    async def _page(self, turn_id: str, after: int, follower: Follower) -> list[events_pb2.TurnEvent]:
        """The next events behind a number; the follower is not behind any more when they are the last for now."""
        follower.behind = False
        events = await self._range(turn_id, after, _PAGE)
        if len(events) == _PAGE:
            follower.fall_behind()
        return events

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Runs the reader, and notices when the log is back, while the block runs; closes what was opened."""
        try:
            async with running(self._read_all()), running(self._look_for_it()):
                yield
        finally:
            await self._own.aclose()

    async def _look_for_it(self) -> None:
        """A log is available again once it answers, also when no turn is left that would write to it."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if not self.available:
                with suppress(RedisError, OSError):
                    await self._redis.set(_CHECK, b"1", ex=60)
                    self.available = True

    async def _read_all(self) -> None:
        while True:
            try:
                async with self._redis.client() as connection:
                    self._reader_id = await connection.client_id()
                    while True:
                        await self._read_once(connection)
            except (RedisError, OSError) as error:
                self._logger.warning("turn_reader_failed", error=type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)
            except Exception as error:
                self._logger.error("turn_reader_failed", exc_info=error)
                await asyncio.sleep(_RETRY_SECONDS)

    async def _read_once(self, connection: Redis) -> None:
        if not self._positions:
            self._joined.clear()
            await self._joined.wait()
        wanted = {_PREFIX + turn_id: f"{position}-0" for turn_id, position in self._positions.items()}
        for key, entries in await connection.xread(wanted, count=_PAGE, block=_BLOCK_MS) or ():
            turn_id = key.decode().removeprefix(_PREFIX)
            for _, fields in entries:
                event = events_pb2.TurnEvent.FromString(fields[b"e"])
                for follower in self._followers.get(turn_id, ()):
                    follower.offer(event)
                if turn_id in self._positions:
                    self._positions[turn_id] = event.sequence

    async def _unblock(self) -> None:
        if self._reader_id is not None:
            with suppress(RedisError, OSError):  # at worst the reader looks again when its block is over
                await self._redis.client_unblock(self._reader_id)
