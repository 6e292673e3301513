"""The kinds of failure a service may tell others about.

A service raises a kind with a `reason` (lower_snake_case, stable, for programs) and a message (one sentence, for people).
`superagent_common.rpc` turns a kind into a gRPC status with `ErrorInfo` and back; the gateway renders it as problem+json.
Anything else that is raised leaves a service as an opaque INTERNAL.
"""

from __future__ import annotations


class ServiceError(Exception):
    """Base of all kinds. `metadata` holds small strings that a client may act on (for example a running turn's id)."""

    kind: str = "internal"

    def __init__(self, reason: str, message: str = "", **metadata: str) -> None:
        super().__init__(message or reason.replace("_", " "))
        self.reason = reason
        self.message = message or reason.replace("_", " ")
        self.metadata = metadata

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason!r}, {self.message!r})"


class InvalidInput(ServiceError):
    """The request can never succeed as it is."""

    kind = "invalid_input"


class Unauthenticated(ServiceError):
    """No identity, or one that does not verify."""

    kind = "unauthenticated"


class Forbidden(ServiceError):
    """A known identity that may not do this. For things that the caller must not know of, raise NotFound instead."""

    kind = "forbidden"


class NotFound(ServiceError):
    """Unknown, or not the caller's: the two look the same."""

    kind = "not_found"


class AlreadyExists(ServiceError):
    """What was to be created is there already."""

    kind = "already_exists"


class Conflict(ServiceError):
    """The state does not allow this now (a busy conversation, an upload already completed)."""

    kind = "conflict"


class Exhausted(ServiceError):
    """A rate, a quota or a queue is full; `retry_after_seconds` says when to come back."""

    kind = "exhausted"

    def __init__(self, reason: str, message: str = "", *, retry_after_seconds: float = 1.0, **metadata: str) -> None:
        super().__init__(reason, message, **metadata)
        self.retry_after_seconds = retry_after_seconds


class Unavailable(ServiceError):
    """Something this needs is down: trying again later may help. The only kind that is retried automatically."""

    kind = "unavailable"


class Timeout(ServiceError):
    """The deadline passed first."""

    kind = "timeout"


class Unimplemented(ServiceError):
    """A call of the contract that this version does not serve yet."""

    kind = "unimplemented"


class Internal(ServiceError):
    """A fault of ours; carries no detail across a process border."""

    kind = "internal"


def internal_error() -> Internal:
    """What is told of a fault of ours."""
    return Internal("internal_error", "Something went wrong on our side.")


def reason_of(error: BaseException) -> str:
    """What an error is called where its text must not be told: its reason, or its type."""
    return error.reason if isinstance(error, ServiceError) else type(error).__name__
