"""What a client may say over the WebSocket."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from superagent_gateway.api.models.base import Body, Code
from superagent_gateway.api.models.turns import ChatBody

_LAST = 2**63 - 1


class _Command(Body):
    request_id: Code | None = None
    """The client's own name of the command; what answers it carries the same."""


class Auth(_Command):
    type: Literal["auth"]
    token: Annotated[str, Field(max_length=16_384)]


class ChatSend(ChatBody, _Command):
    type: Literal["chat.send"]
    idempotency_key: Code | None = None


class ChatRegenerate(_Command):
    type: Literal["chat.regenerate"]
    turn_id: Code
    # As in ChatBody: how long a question may be is the orchestrator's rule.
    message: Annotated[str, Field(max_length=2**20)] = ""
    idempotency_key: Code | None = None


class ChatStop(_Command):
    type: Literal["chat.stop"]
    turn_id: Code


class ChatResume(_Command):
    type: Literal["chat.resume"]
    turn_id: Code
    after: Annotated[int, Field(ge=0, le=_LAST)] = 0


class Ping(_Command):
    type: Literal["ping"]


Command = Auth | ChatSend | ChatRegenerate | ChatStop | ChatResume | Ping
COMMANDS: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="type")])
