"""Error kinds as gRPC statuses with `ErrorInfo`, and back."""

from __future__ import annotations

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from superagent_common.errors import (
    AlreadyExists,
    Conflict,
    Exhausted,
    Forbidden,
    Internal,
    InvalidInput,
    NotFound,
    ServiceError,
    Timeout,
    Unauthenticated,
    Unavailable,
    Unimplemented,
    internal_error,
)

_DOMAIN = "superagent"
_RETRY_AFTER = "retry_after_seconds"
_CODES: dict[type[ServiceError], grpc.StatusCode] = {
    InvalidInput: grpc.StatusCode.INVALID_ARGUMENT,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    Forbidden: grpc.StatusCode.PERMISSION_DENIED,
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    Conflict: grpc.StatusCode.ABORTED,
    Exhausted: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
    Timeout: grpc.StatusCode.DEADLINE_EXCEEDED,
    Unimplemented: grpc.StatusCode.UNIMPLEMENTED,
    Internal: grpc.StatusCode.INTERNAL,
}
_BROKEN_UNDER_WRITE = "Internal error from Core"
"""grpc.aio's details of INTERNAL when a request stream's write meets a connection that has just broken."""
# A server that stops cancels what it is serving.
_KINDS = {**{code: kind for kind, code in _CODES.items()}, grpc.StatusCode.CANCELLED: Unavailable}
_DEFAULT_REASONS = {
    grpc.StatusCode.UNAVAILABLE: "service_unavailable",
    grpc.StatusCode.CANCELLED: "service_stopping",
    grpc.StatusCode.DEADLINE_EXCEEDED: "deadline_exceeded",
    grpc.StatusCode.UNIMPLEMENTED: "not_served",
}


def code_of(error: BaseException) -> grpc.StatusCode:
    """The status code an error leaves a service with."""
    return next((code for kind, code in _CODES.items() if isinstance(error, kind)), grpc.StatusCode.INTERNAL)


def status_of(error: BaseException) -> grpc.Status:
    """The whole status; anything that is not a ServiceError becomes an opaque INTERNAL."""
    if not isinstance(error, ServiceError):
        error = internal_error()
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain=_DOMAIN, metadata=error.metadata)
    if isinstance(error, Exhausted):
        info.metadata[_RETRY_AFTER] = f"{error.retry_after_seconds:g}"
    detail = any_pb2.Any()
    detail.Pack(info)
    return rpc_status.to_status(
        status_pb2.Status(code=code_of(error).value[0], message=error.message, details=[detail])
    )


def error_from_rpc(error: grpc.RpcError) -> ServiceError:
    """Rebuilds the kind from what a call failed with."""
    code = error.code()
    if code is grpc.StatusCode.INTERNAL and error.details() == _BROKEN_UNDER_WRITE:
        code = grpc.StatusCode.UNAVAILABLE
    kind: type[ServiceError] = _KINDS.get(code, Internal)
    reason, message, metadata = _DEFAULT_REASONS.get(code, "internal_error"), "", {}
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            status = status_pb2.Status.FromString(value)
            message = status.message
            for detail in status.details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    reason, metadata = info.reason, dict(info.metadata)
    if kind is Exhausted:
        return Exhausted(reason, message, retry_after_seconds=float(metadata.pop(_RETRY_AFTER, "1")), **metadata)
    return kind(reason, message, **metadata)


def unimplemented(what: str) -> Unimplemented:
    """The error of a call that the contract has and this version does not serve yet."""
    return Unimplemented("not_implemented", f"{what} is not served by this version.")
