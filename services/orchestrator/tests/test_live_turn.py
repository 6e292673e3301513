"""When the events of a running turn are written to the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from services.orchestrator.tests.fakes import FakeEventLog
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2
from superagent_common import clock
from superagent_common.identity import Principal
from superagent_common.logging import get_logger
from superagent_orchestrator.application.lease import Lease
from superagent_orchestrator.application.live_turn import LiveTurn
from superagent_orchestrator.ports import TurnRow

LONG = 3600.0


class CountingLog(FakeEventLog):
    """Also keeps how many events each write had."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[int] = []

    async def append(self, turn_id: str, events: Sequence[events_pb2.TurnEvent]) -> None:
        await super().append(turn_id, events)
        self.writes.append(len(events))


class NoStore:
    """Leases here are young: nobody asks for them."""


@pytest.fixture
def log() -> CountingLog:
    return CountingLog()


@pytest.fixture
async def live(log: CountingLog) -> AsyncIterator[Callable[[float], LiveTurn]]:
    made: list[LiveTurn] = []

    def make(patience_seconds: float) -> LiveTurn:
        row = TurnRow("t1", "c1", Principal("anna-id"), orchestrator_pb2.StartTurnRequest(), clock.now(), "")
        lease = Lease(NoStore(), "owner", "t1", time.monotonic)  # type: ignore[arg-type]
        made.append(LiveTurn(row, lease, log, clock.now, get_logger("test"), patience_seconds=patience_seconds))
        return made[-1]

    yield make
    for turn in made:
        await turn.close()


async def seen(turn: LiveTurn, count: int) -> list[str | None]:
    events = turn.follow(0)
    kinds = [(await anext(events)).WhichOneof("payload") for _ in range(count)]
    await events.aclose()
    return kinds


async def test_stages_are_written_with_the_words_that_follow_them(
    log: CountingLog, live: Callable[[float], LiveTurn]
) -> None:
    turn = live(LONG)
    turn.emit(accepted=events_pb2.Accepted(conversation_id="c1"))
    await asyncio.sleep(0)
    turn.emit(stage=events_pb2.Stage(name="plan"))
    await asyncio.sleep(0)
    turn.emit(delta=events_pb2.Delta(text="Two"))
    assert await seen(turn, 3) == ["accepted", "stage", "delta"]
    assert log.writes == [3]


async def test_stages_that_no_words_follow_are_written_after_a_while(live: Callable[[float], LiveTurn]) -> None:
    turn = live(0.0)
    turn.emit(stage=events_pb2.Stage(name="plan"))
    assert await seen(turn, 1) == ["stage"]
    turn.emit(stage=events_pb2.Stage(name="execute"))
    assert await seen(turn, 2) == ["stage", "stage"]


async def test_words_never_wait(live: Callable[[float], LiveTurn]) -> None:
    turn = live(LONG)
    for count in (1, 2):
        turn.emit(delta=events_pb2.Delta(text="Two"))
        assert await seen(turn, count) == ["delta"] * count


async def test_a_log_that_lost_everything_gets_it_again(log: CountingLog, live: Callable[[float], LiveTurn]) -> None:
    turn = live(LONG)
    turn.emit(delta=events_pb2.Delta(text="Two "))
    assert await seen(turn, 1) == ["delta"]
    log.streams.clear()
    turn.emit(delta=events_pb2.Delta(text="years."))
    turn.record.last_sequence = turn.next_sequence
    turn.emit_end()
    async with asyncio.timeout(120):
        await turn.flushed()
    assert [event.sequence for event in log.streams["t1"]] == [1, 2, 3]
