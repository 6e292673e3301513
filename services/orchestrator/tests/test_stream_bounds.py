"""What a stream may grow to: events of a turn, and what waits for a viewer who does not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

import grpc

from services.orchestrator.tests.fakes import delta
from services.orchestrator.tests.turns_rig import ANNA, Rig
from superagent.orchestrator.v1 import events_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import StreamTurnRequest
from superagent.orchestrator.v1.orchestrator_pb2_grpc import (
    OrchestratorServiceStub,
    add_OrchestratorServiceServicer_to_server,
)
from superagent_common.identity import USER_KEY_ID, KeySet, SigningKey, TokenVerifier, UserTokens, ensure_keys
from superagent_common.logging import get_logger
from superagent_common.rpc.server import CallInterceptor, serve
from superagent_common.telemetry import Telemetry
from superagent_orchestrator.api import ACCESS, OrchestratorApi
from superagent_orchestrator.application.live_turn import MAX_EVENTS

EVENT_BYTES = 20_000
# What HTTP/2 lets a sender have on its way, on both sides, and what gRPC writes ahead.
BOUND_BYTES = 16 * 1024 * 1024


class Flood:
    """`Turns` with one turn, which says as much as is taken from it."""

    def __init__(self) -> None:
        self.taken = 0
        self.left = asyncio.Event()

    async def stream(self, turn_id: str, after: int) -> AsyncGenerator[events_pb2.TurnEvent, None]:
        said = events_pb2.Delta(text="a" * EVENT_BYTES)
        try:
            while True:
                self.taken += 1
                yield events_pb2.TurnEvent(turn_id=turn_id, sequence=self.taken, delta=said)
        finally:
            self.left.set()


async def test_who_takes_nothing_off_a_grpc_stream_holds_up_its_source(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    flood = Flood()
    address = f"unix:{tmp_path}/orchestrator.sock"
    interceptor = CallInterceptor(
        Telemetry("orchestrator"), TokenVerifier(KeySet.load(tmp_path)), ACCESS, get_logger("orchestrator")
    )
    add = partial(add_OrchestratorServiceServicer_to_server, OrchestratorApi(flood))  # type: ignore[arg-type]
    token = UserTokens(SigningKey.load(tmp_path, USER_KEY_ID)).issue(ANNA, 1)
    async with (
        serve(address, interceptor, [add], reflection=False, grace_seconds=0.1),
        grpc.aio.insecure_channel(address) as channel,
    ):
        call = OrchestratorServiceStub(channel).StreamTurn(
            StreamTurnRequest(turn_id="t"), metadata=(("authorization", f"Bearer {token}"),)
        )
        assert (await call.read()).event.sequence == 1
        async with asyncio.timeout(120):
            # Until no more is taken for a while.
            taken = 0
            while taken < flood.taken:
                taken = flood.taken
                await asyncio.sleep(0.3)
        assert 1 < flood.taken * EVENT_BYTES < BOUND_BYTES
        # It stood still only for the viewer: it goes on with whoever reads again, and ends when it leaves.
        for _ in range(taken):
            await call.read()
        assert flood.taken > taken
        call.cancel()
        async with asyncio.timeout(120):
            await flood.left.wait()


async def test_a_turn_has_a_bounded_number_of_events(rig: Rig) -> None:
    rig.executor.events = [delta("x")] * (MAX_EVENTS + 1)
    events = await rig.events(await rig.start())
    assert events[-1].error.reason == "too_many_events"
    assert MAX_EVENTS < len(events) < MAX_EVENTS + 20
