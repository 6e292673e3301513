"""Calls of the contract that are not served yet say so; none is faked, and every other one is served."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from dev.api_client import ApiClient
from dev.fleet import Fleet
from dev.grouping import variable
from superagent.agent_executor.v1 import agent_executor_pb2
from superagent.common.v1 import common_pb2
from superagent.gateway.v1 import gateway_pb2
from superagent.ingestion.v1 import ingestion_pb2
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import orchestrator_pb2
from superagent.retrieval.v1 import retrieval_pb2
from superagent.trace.v1 import trace_pb2
from tests.support.grpc_doors import as_service, bearer, channel, reason_of

CONTRACTS = {
    "gateway": gateway_pb2,
    "orchestrator": orchestrator_pb2,
    "agent-executor": agent_executor_pb2,
    "retrieval": retrieval_pb2,
    "ingestion": ingestion_pb2,
    "memory": memory_pb2,
    "trace": trace_pb2,
}
CONSUMERS_OF_EVENTS = ("orchestrator", "ingestion", "memory", "trace")
NOT_SERVED_YET = {
    "ResumeTurn",
    "ListAgents",
    "ListMcpServers",
}


def methods() -> list[tuple[str, MethodDescriptor]]:
    """(service of the fleet, method) of the whole contract."""
    found: list[tuple[str, ServiceDescriptor]] = [
        (name, service) for name, module in CONTRACTS.items() for service in module.DESCRIPTOR.services_by_name.values()
    ]
    dead_letters = common_pb2.DESCRIPTOR.services_by_name["DeadLetterService"]
    found += [(name, dead_letters) for name in CONSUMERS_OF_EVENTS]
    return [(name, method) for name, service in found for method in service.methods]


async def call(opened: grpc.aio.Channel, method: MethodDescriptor, metadata: Any) -> None:
    """Calls with an empty request and reads the first answer."""
    request = message_factory.GetMessageClass(method.input_type)()
    answer = message_factory.GetMessageClass(method.output_type)
    path = f"/{method.containing_service.full_name}/{method.name}"
    codec = {"request_serializer": type(request).SerializeToString, "response_deserializer": answer.FromString}

    async def requests() -> Any:
        yield request

    match method.client_streaming, method.server_streaming:
        case False, False:
            await opened.unary_unary(path, **codec)(request, metadata=metadata, timeout=120)
        case True, False:
            await opened.stream_unary(path, **codec)(requests(), metadata=metadata, timeout=120)
        case _:
            await anext(aiter(opened.unary_stream(path, **codec)(request, metadata=metadata, timeout=3)), None)


@pytest.mark.parametrize(
    ("service", "method"), methods(), ids=lambda value: value if isinstance(value, str) else value.name
)
async def test_a_call_is_served_or_says_that_it_is_not(
    fleet_with_model: Fleet, administrator: ApiClient, service: str, method: MethodDescriptor
) -> None:
    token = administrator.http.headers["authorization"].removeprefix("Bearer ")
    keys = fleet_with_model.data_dir / "keys"
    code, reason = grpc.StatusCode.OK, ""
    async with channel(fleet_with_model.environment[variable(service, "ADDRESS")]) as opened:
        try:
            await call(opened, method, as_service(keys, for_person=token))
        except grpc.aio.AioRpcError as error:
            code = error.code()
            # Who watches and sees nothing happen is cut off by its own deadline.
            reason = "" if code == grpc.StatusCode.DEADLINE_EXCEEDED else reason_of(error)
    if method.name in NOT_SERVED_YET:
        assert (code, reason) == (grpc.StatusCode.UNIMPLEMENTED, "not_implemented")
    else:
        # An empty request may be refused, with a reason of its own; it is never a fault of ours.
        assert code not in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN), reason


async def test_who_may_call_is_judged_first(fleet_with_model: Fleet, anybody: ApiClient) -> None:
    """Before whether it is served, and before the request is looked at."""
    methods_by_name = retrieval_pb2.DESCRIPTOR.services_by_name["RetrievalService"].methods_by_name
    token = anybody.http.headers["authorization"].removeprefix("Bearer ")
    async with channel(fleet_with_model.environment["RETRIEVAL_ADDRESS"]) as opened:
        for method, metadata, expected in (
            ("RebuildIndex", (), grpc.StatusCode.UNAUTHENTICATED),
            ("CopyDocument", bearer(token), grpc.StatusCode.PERMISSION_DENIED),
            ("CompareNeighbours", bearer(token), grpc.StatusCode.PERMISSION_DENIED),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call(opened, methods_by_name[method], metadata)
            assert refused.value.code() == expected
