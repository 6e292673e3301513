"""Calls travel over real gRPC: identity, error kinds, deadlines, traces."""

import asyncio
import base64
import gc
import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from superagent.memory.v1 import memory_pb2 as pb
from superagent.memory.v1.memory_pb2_grpc import (
    MemoryServiceServicer,
    MemoryServiceStub,
    add_MemoryServiceServicer_to_server,
)
from superagent.orchestrator.v1 import orchestrator_pb2 as turns
from superagent.orchestrator.v1.orchestrator_pb2_grpc import (
    OrchestratorServiceServicer,
    OrchestratorServiceStub,
    add_OrchestratorServiceServicer_to_server,
)
from superagent_common.errors import (
    Exhausted,
    Forbidden,
    Internal,
    NotFound,
    Timeout,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)
from superagent_common.identity import (
    Identity,
    KeySet,
    Principal,
    ServiceTokens,
    SigningKey,
    TokenVerifier,
    UserTokens,
    acting_as,
    current_identity,
    current_principal,
    ensure_keys,
)
from superagent_common.logging import get_logger
from superagent_common.rpc import Channel
from superagent_common.rpc.server import CallInterceptor, serve
from superagent_common.telemetry import Telemetry

ANNA = Principal("0197-anna", "anna", ("user",), ("sales",))
MEMORY = "/superagent.memory.v1.MemoryService/"
TURNS = "/superagent.orchestrator.v1.OrchestratorService/"


class Memory(MemoryServiceServicer):
    """Answers with who called; fails as the conversation id asks."""

    failures = 0

    async def LoadContext(self, request, context):
        return pb.LoadContextResponse(turns_total=len(current_identity().service))

    async def GetConversation(self, request, context):
        match request.conversation_id:
            case "missing":
                raise NotFound("unknown_conversation", "There is no such conversation.", hint="x")
            case "busy":
                raise Exhausted("too_many", "Come back later.", retry_after_seconds=7.5)
            case "bug":
                raise RuntimeError("secret text of a fault")
            case "slow":
                await asyncio.sleep(60)
            case "flaky":
                self.failures += 1
                if self.failures < 3:
                    raise Unavailable("warming_up")
        return pb.GetConversationResponse(conversation=pb.Conversation(title=current_principal().username))


class Turns(OrchestratorServiceServicer):
    def __init__(self, closed: asyncio.Event) -> None:
        self._closed = closed

    async def StreamTurn(self, request, context):
        try:
            yield turns.StreamTurnResponse()
            while request.after_sequence:
                yield turns.StreamTurnResponse()
        finally:
            self._closed.set()
        raise NotFound("unknown_turn", "There is no such turn.")


class Rig:
    def __init__(
        self, folder: Path, address: str, spans: InMemorySpanExporter, telemetry: Telemetry, closed: asyncio.Event
    ) -> None:
        self.folder = folder
        self.closed = closed
        self.address = address
        self.spans = spans
        self.telemetry = telemetry
        self.channel = Channel(address, telemetry, ServiceTokens(SigningKey.load(folder, "orchestrator")))
        self.memory = MemoryServiceStub(self.channel)
        self.turns = OrchestratorServiceStub(self.channel)
        self.users = UserTokens(SigningKey.load(folder, "gateway-user"))

    async def raw(self, token: str | None, method: str = "GetConversation") -> grpc.StatusCode:
        """The status of a call made with the plain library, as another team would make it."""
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub = MemoryServiceStub(channel)
            request = {"GetConversation": pb.GetConversationRequest(), "LoadContext": pb.LoadContextRequest()}[method]
            metadata = (("authorization", f"Bearer {token}"),) if token is not None else ()
            try:
                await getattr(stub, method)(request, metadata=metadata)
            except grpc.RpcError as error:
                return error.code()
            return grpc.StatusCode.OK


@asynccontextmanager
async def rig(folder: Path) -> AsyncIterator[Rig]:
    ensure_keys(folder)
    spans = InMemorySpanExporter()
    telemetry = Telemetry("memory", exporter=spans)
    closed = asyncio.Event()

    add_servicers = (
        partial(add_MemoryServiceServicer_to_server, Memory()),
        partial(add_OrchestratorServiceServicer_to_server, Turns(closed)),
    )

    access = {
        MEMORY + "LoadContext": "service",
        MEMORY + "GetConversation": "user",
        TURNS + "StreamTurn": "user",
        TURNS + "GetPlan": "user",
    }
    interceptor = CallInterceptor(telemetry, TokenVerifier(KeySet.load(folder)), access, get_logger("memory"))
    address = f"unix:{folder}/rpc.sock"
    async with serve(address, interceptor, add_servicers, reflection=True, grace_seconds=0.1):
        made = Rig(folder, address, spans, telemetry, closed)
        yield made
        await made.channel.close()
    await telemetry.close()


@pytest.fixture
async def fleet(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rig(tmp_path) as made:
        yield made


def identity(fleet: Rig) -> Identity:
    return TokenVerifier(KeySet.load(fleet.folder)).verify(fleet.users.issue(ANNA, 1))


async def test_a_call_carries_the_persons_own_token(fleet: Rig) -> None:
    with acting_as(identity(fleet)):
        answer = await fleet.memory.GetConversation(pb.GetConversationRequest())
        served_for = await fleet.memory.LoadContext(pb.LoadContextRequest())
    assert answer.conversation.title == "anna"
    assert served_for.turns_total == len("orchestrator")


async def test_without_a_living_token_the_call_acts_for_the_person(fleet: Rig) -> None:
    with acting_as(Identity(ANNA)):
        answer = await fleet.memory.GetConversation(pb.GetConversationRequest())
    assert answer.conversation.title == "anna"


async def test_a_service_for_nobody_may_not_make_a_persons_call(fleet: Rig) -> None:
    with pytest.raises(Unauthenticated):
        await fleet.memory.GetConversation(pb.GetConversationRequest())


async def test_kinds_survive_the_wire(fleet: Rig) -> None:
    with acting_as(Identity(ANNA)):
        with pytest.raises(NotFound) as missing:
            await fleet.memory.GetConversation(pb.GetConversationRequest(conversation_id="missing"))
        with pytest.raises(Exhausted) as busy:
            await fleet.memory.GetConversation(pb.GetConversationRequest(conversation_id="busy"))
        with pytest.raises(Internal) as bug:
            await fleet.memory.GetConversation(pb.GetConversationRequest(conversation_id="bug"))
        with pytest.raises(Timeout):
            await fleet.memory.GetConversation(pb.GetConversationRequest(conversation_id="slow"), timeout=0.05)
        with pytest.raises(Unimplemented):
            await fleet.turns.GetPlan(turns.GetPlanRequest())
    assert (missing.value.reason, missing.value.metadata) == ("unknown_conversation", {"hint": "x"})
    assert missing.value.message == "There is no such conversation."
    assert busy.value.retry_after_seconds == 7.5
    assert "secret" not in repr(bug.value)


async def test_streams_fail_as_kinds_after_what_they_gave(fleet: Rig) -> None:
    received = 0
    with acting_as(Identity(ANNA)), pytest.raises(NotFound):
        async for _ in fleet.turns.StreamTurn(turns.StreamTurnRequest()):
            received += 1
    assert received == 1


async def test_a_stream_that_its_caller_leaves_ends_quietly(fleet: Rig, caplog: pytest.LogCaptureFixture) -> None:
    with acting_as(Identity(ANNA)):
        async with aclosing(fleet.turns.StreamTurn(turns.StreamTurnRequest(after_sequence=1))) as events:
            await anext(events)
    await fleet.closed.wait()
    gc.collect()
    await asyncio.sleep(0)
    assert [record.message for record in caplog.records if record.name.startswith("opentelemetry")] == []


async def test_unavailable_is_tried_again(fleet: Rig) -> None:
    with acting_as(Identity(ANNA)):
        answer = await fleet.memory.GetConversation(pb.GetConversationRequest(conversation_id="flaky"))
    assert answer.conversation.title == "anna"


async def test_an_undeclared_method_is_open_to_nobody(fleet: Rig) -> None:
    with acting_as(Identity(ANNA)), pytest.raises(Forbidden):
        await fleet.memory.ListConversations(pb.ListConversationsRequest())


async def test_tokens_that_do_not_verify_are_refused(fleet: Rig) -> None:
    good = fleet.users.issue(ANNA, 1)
    claims = jwt.decode(good, options={"verify_signature": False})
    header = {"kid": "gateway-user"}
    stranger = Ed25519PrivateKey.generate()
    own = SigningKey.load(fleet.folder, "gateway-user").key
    service_key = SigningKey.load(fleet.folder, "memory").key

    def none_token() -> str:
        parts = [json.dumps(part).encode() for part in ({"alg": "none", "kid": "gateway-user"}, claims)]
        return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."

    assert await fleet.raw(good) is grpc.StatusCode.OK
    assert await fleet.raw(good, "LoadContext") is grpc.StatusCode.PERMISSION_DENIED
    bad = {
        "missing": None,
        "empty": "",
        "garbage": "abc.def.ghi",
        "alg none": none_token(),
        "wrong key": jwt.encode(claims, stranger, "EdDSA", header),
        "unknown kid": jwt.encode(claims, own, "EdDSA", {"kid": "nobody"}),
        "expired": jwt.encode({**claims, "exp": int(time.time()) - 1}, own, "EdDSA", header),
        "foreign audience": jwt.encode({**claims, "aud": "elsewhere"}, own, "EdDSA", header),
        "no expiry": jwt.encode({k: v for k, v in claims.items() if k != "exp"}, own, "EdDSA", header),
        "a service making itself a person": jwt.encode(claims, service_key, "EdDSA", {"kid": "memory"}),
        "hmac with the public key": jwt.encode(claims, "x" * 64, "HS256", header),
    }
    for name, token in bad.items():
        assert await fleet.raw(token) is grpc.StatusCode.UNAUTHENTICATED, name


async def test_one_trace_spans_client_and_server(fleet: Rig) -> None:
    with fleet.telemetry.span("turn") as root, acting_as(Identity(ANNA)):
        await fleet.memory.GetConversation(pb.GetConversationRequest())
    await fleet.telemetry.close()
    spans = {span.kind.name: span for span in fleet.spans.get_finished_spans()}
    assert spans["CLIENT"].parent.span_id == root.get_span_context().span_id
    assert spans["SERVER"].parent.span_id == spans["CLIENT"].context.span_id
    assert spans["SERVER"].context.trace_id == root.get_span_context().trace_id
