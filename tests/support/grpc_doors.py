"""Calls at the internal gRPC doors, as a person, as a service, or as nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from superagent_common.identity import ServiceTokens, SigningKey

Metadata = tuple[tuple[str, str], ...]
NOBODY: Metadata = ()


def bearer(token: str) -> Metadata:
    """The metadata of a call with this token."""
    return (("authorization", f"Bearer {token}"),)


def as_service(keys_dir: Path, name: str = "gateway", for_person: str = "") -> Metadata:
    """The metadata of a service's call; `for_person` is the access token of the person it is made for."""
    metadata = bearer(ServiceTokens(SigningKey.load(keys_dir, name)).issue())
    return (*metadata, ("superagent-subject", for_person)) if for_person else metadata


@asynccontextmanager
async def channel(address: str) -> AsyncIterator[grpc.aio.Channel]:
    """A plain channel to host:port, without proxy."""
    async with grpc.aio.insecure_channel(address, options=(("grpc.enable_http_proxy", 0),)) as opened:
        yield opened


def reason_of(error: grpc.RpcError) -> str:
    """The reason in a failed call's ErrorInfo. Raises AssertionError without one."""
    status = rpc_status.from_call(error)
    assert status is not None, f"no status details with {error.code()}"
    info = error_details_pb2.ErrorInfo()
    assert any(detail.Unpack(info) for detail in status.details), "no ErrorInfo among the details"
    return str(info.reason)
