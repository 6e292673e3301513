"""Two gateways and two orchestrators behind nginx: a stream is the same bytes whoever serves it, and whoever dies."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc
import pytest

from dev.api_client import ApiClient, SseEvent
from dev.fleet import Fleet, fleet
from superagent.orchestrator.v1 import plan_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import CancelTurnRequest, StartTurnRequest
from superagent.orchestrator.v1.orchestrator_pb2_grpc import OrchestratorServiceStub
from superagent_orchestrator.application.lease import LEASE_SECONDS
from tests.conftest import HELPFUL, ROOMY_LIMITS, embedder_ready
from tests.support.grpc_doors import as_service, channel
from tests.support.knowledge import MARKDOWN
from tests.support.nginx import nginx
from tests.support.scripted_model import Failure, Gate, Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole
from tests.support.watching import Read, Viewer, over_sse, over_websocket

WORDS = "".join(f"word{number} " for number in range(100))


@dataclass
class Pair:
    """`gateways` and `orchestrators`: the first replica of each in the process `edge`, the second in its own.

    `person` speaks to nginx, the same person through `gateways` to each replica.
    """

    fleet: Fleet
    model: ScriptedModel
    orchestrators: tuple[str, str]
    person: ApiClient
    gateways: tuple[ApiClient, ApiClient]

    def every_door(self) -> list[Read]:
        """SSE and WebSocket through the proxy and at each gateway."""
        return [over(client) for client in (self.person, *self.gateways) for over in (over_sse, over_websocket)]

    async def ask_at(self, replica: int, question: str) -> str:
        """Starts a turn on one of the orchestrators; gives its id."""
        request = StartTurnRequest(message=question, mode=plan_pb2.MODE_DIRECT)
        return str((await self._call(replica, "StartTurn", request)).turn_id)

    async def cancel_at(self, replica: int, turn_id: str) -> None:
        await self._call(replica, "CancelTurn", CancelTurnRequest(turn_id=turn_id))

    async def _call(self, replica: int, method: str, request: object) -> grpc.aio.Call:
        metadata = as_service(self.fleet.data_dir / "keys", for_person=self.person.session["access_token"])
        async with channel(self.orchestrators[replica]) as opened:
            return await getattr(OrchestratorServiceStub(opened), method)(request, metadata=metadata)


@pytest.fixture(scope="module")
async def pair(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pair]:
    async with ScriptedModel() as model:
        settings = {
            **ROOMY_LIMITS,
            "LLM_MODEL": "scripted",
            "LLM_API_BASE": model.base_url,
            "EMBEDDING_MODEL": "scripted-embedder",
            "EMBEDDING_API_BASE": model.base_url,
            "EMBEDDING_DIMENSION": "384",
        }
        data = tmp_path_factory.mktemp("two-replicas")
        async with fleet(data, environment=settings, second=("gateway", "orchestrator")) as running:
            doors = (
                running.environment["GATEWAY_HTTP_LISTEN"],
                running.replicas["gateway"]["GATEWAY_HTTP_LISTEN"],
            )
            async with (
                nginx(tmp_path_factory.mktemp("nginx"), doors) as proxy,
                ApiClient(proxy) as person,
                ApiClient(f"http://{doors[0]}") as first,
                ApiClient(f"http://{doors[1]}") as second,
            ):
                await embedder_ready(running)
                await person.sign_up()
                for client in (first, second):
                    client.http.headers["authorization"] = person.http.headers["authorization"]
                await person.settled(await person.upload(MARKDOWN.file_name, MARKDOWN.content))
                orchestrators = (
                    running.environment["ORCHESTRATOR_LISTEN"],
                    running.replicas["orchestrator"]["ORCHESTRATOR_LISTEN"],
                )
                yield Pair(running, model, orchestrators, person, (first, second))


async def heard_by_all(viewers: list[Viewer]) -> None:
    """Returns when each has seen the beginning of the answer."""
    async with asyncio.timeout(120):
        while not all(viewer.seen and TurnStory(viewer.seen).text for viewer in viewers):
            await asyncio.sleep(0.01)


async def collected(read: Read, turn_id: str, after: int) -> list[SseEvent]:
    return [event async for event in read(turn_id, after)]


async def test_every_client_gets_the_bytes_of_one_that_was_never_interrupted(pair: Pair) -> None:
    slow = Reply(text=f"It is port 9001 [1]. {WORDS}", deltas=25, delay_seconds=0.05)
    pair.model.answer_with(*HELPFUL[:1], Rule(slow, purpose="answer"))
    whole: list[SseEvent] = []
    viewers: list[Viewer] = []
    async for event in pair.person.chat(MARKDOWN.question):
        whole.append(event)
        if event.event == "accepted":
            turn_id = event.json["turn_id"]
            viewers = [Viewer(read, turn_id, stint=stint) for read in pair.every_door() for stint in (None, 9)]
            viewers += [Viewer(over(pair.person), turn_id, stint=1) for over in (over_sse, over_websocket)]
    assert_whole(whole)
    assert TurnStory(whole).cited and TurnStory(whole).sources
    for viewer in viewers:
        assert await viewer.all() == whole
        assert not viewer.cut_off
    # Afterwards, behind any number, at any gateway, of any orchestrator.
    for read in pair.every_door():
        for after in (0, len(whole) // 2, len(whole)):
            assert await collected(read, turn_id, after) == whole[after:]


async def test_a_gateway_that_dies_in_mid_answer_changes_no_byte(pair: Pair) -> None:
    gate = Gate(after_deltas=50)
    held = Reply(text=f"It is port 9001 [1]. {WORDS}", deltas=100, delay_seconds=0.02, held_by=gate)
    pair.model.answer_with(*HELPFUL[:1], Rule(held, purpose="answer"))
    turn_id = await pair.ask_at(0, "Tell me about ports.")
    never_interrupted = Viewer(over_sse(pair.gateways[0]), turn_id)
    through_the_proxy = [Viewer(over(pair.person), turn_id) for _ in range(4) for over in (over_sse, over_websocket)]
    viewers = [never_interrupted, *through_the_proxy]
    await heard_by_all(viewers)
    killed = pair.fleet.kill("gateway-2", signal.SIGKILL)
    gate.open()
    whole = await never_interrupted.all()
    assert never_interrupted.cut_off == 0
    assert_whole(whole)
    for viewer in through_the_proxy:
        assert await viewer.all() == whole
    # Round robin gave the one that died half of them.
    assert sum(viewer.cut_off > 0 for viewer in through_the_proxy) >= 3
    await pair.fleet.replaced("gateway-2", killed)
    for over in (over_sse, over_websocket):
        assert await collected(over(pair.gateways[1]), turn_id, 0) == whole


async def test_an_orchestrator_that_dies_costs_only_what_had_begun_to_be_said(pair: Pair) -> None:
    spoken = Reply(text=WORDS, deltas=100, delay_seconds=0.01, failure=Failure("hang", after_deltas=30))
    silent = Reply(text=WORDS, failure=Failure("hang", after_deltas=0))
    pair.model.answer_with(
        *HELPFUL[:1],
        Rule(spoken, user="spoken of", times=1),
        Rule(silent, user="silent about", times=1),
        Rule(Reply(text="Said after all."), user="silent about"),
        Rule(Reply(text="And on we go."), user="Go on"),
    )
    pair.model.requests.clear()
    turns = [await pair.ask_at(1, question) for question in ("What is spoken of?", "What is silent about this?")]
    viewers = [[Viewer(over(pair.person), turn_id) for over in (over_sse, over_websocket)] for turn_id in turns]
    await pair.model.received(2)
    await heard_by_all(viewers[0])
    conversation_id = TurnStory(viewers[0][0].seen).conversation_id
    # At whichever replica; behind the death the lease may be over before this is asked.
    busy = await pair.person.http.post("/chat", json={"message": "你好", "conversation_id": conversation_id})
    assert (busy.status_code, busy.json()["turn_id"]) == (409, turns[0])
    killed = pair.fleet.kill("orchestrator-2", signal.SIGKILL)

    broken, broken_too = [await viewer.all() for viewer in viewers[0]]
    again, again_too = [await viewer.all() for viewer in viewers[1]]
    assert broken == broken_too and again == again_too
    assert_whole(broken)
    assert_whole(again)
    error = TurnStory(broken).only("error")
    assert (error["reason"], error["retryable"]) == ("interrupted", True)
    said = TurnStory(broken).text
    assert said and WORDS.startswith(said)
    assert TurnStory(again).text == "Said after all." and TurnStory(again).finish_reason == "stop"

    # What was said is kept, and the conversation can be used at once.
    turns_kept = (await pair.person.http.get(f"/conversations/{conversation_id}/turns")).json()["turns"]
    assert [(turn["turn_id"], turn["answer"], turn["state"]) for turn in turns_kept] == [(turns[0], said, "FAILED")]
    after = TurnStory(await pair.person.ask("Go on.", conversation_id, mode="DIRECT"))
    assert after.text == "And on we go."
    await pair.fleet.replaced("orchestrator-2", killed)


@pytest.mark.parametrize("owner", [0, 1])
async def test_stopping_at_the_other_replica_closes_the_model_request_at_once(pair: Pair, owner: int) -> None:
    hanging = Reply(text=WORDS, deltas=100, failure=Failure("hang", after_deltas=10))
    waits = []
    for _ in range(3):
        pair.model.answer_with(*HELPFUL[:1], Rule(hanging, purpose="answer"))
        pair.model.requests.clear()
        turn_id = await pair.ask_at(owner, "Go on for ever.")
        viewer = Viewer(over_websocket(pair.person), turn_id)
        request = await pair.model.received(1)
        await heard_by_all([viewer])
        began = time.monotonic()
        await pair.cancel_at(1 - owner, turn_id)
        async with asyncio.timeout(120):
            await request.ended.wait()
        assert request.outcome == "client_closed" and request.ended_at
        waits.append(request.ended_at - began)
        assert TurnStory(await viewer.all()).finish_reason == "cancelled"
    # The best of three, on a machine that may be busy: what a lost signal would take.
    assert min(waits) < LEASE_SECONDS
