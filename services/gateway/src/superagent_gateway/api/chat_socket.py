"""The WebSocket of a person's turns: commands in, numbered events out, several turns over one connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

from opentelemetry.trace import SpanKind
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from superagent.orchestrator.v1 import orchestrator_pb2
from superagent_common.errors import Exhausted, Forbidden, InvalidInput, ServiceError, Unauthenticated, internal_error
from superagent_common.identity import Identity
from superagent_common.identity.context import set_identity
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry, fail
from superagent_gateway.api.models.socket import (
    COMMANDS,
    Auth,
    ChatRegenerate,
    ChatResume,
    ChatSend,
    ChatStop,
    Command,
    Ping,
)
from superagent_gateway.api.persons import Door, bearer_token
from superagent_gateway.api.presenters.events import message
from superagent_gateway.api.problems import fields_of, problem_members, problem_of
from superagent_gateway.api.turn_feed import follow_turn
from superagent_gateway.api.turn_requests import start_request
from superagent_gateway.application.limits import EdgeLimits

MAX_TURNS = 32
"""Turns that one connection may follow at once."""
_NOT_AUTHENTICATED = 4401
_AUTH_SECONDS = 10.0


class ChatSockets:
    """The ASGI application of `WS /api/v1/ws`.

    A token comes with the handshake's Authorization header, or from a browser as the first message; never in the URL, which
    proxies write down. Nothing here rests on cookies, so that a foreign page cannot use a person's session.
    """

    def __init__(
        self,
        orchestrator: Any,
        limits: EdgeLimits,
        door: Door,
        telemetry: Telemetry,
        log: Logger,
        *,
        heartbeat_seconds: float,
        auth_seconds: float = _AUTH_SECONDS,
    ) -> None:
        """`orchestrator` is a stub of OrchestratorService. Who may no longer read is found with each heartbeat."""
        self.orchestrator = orchestrator
        self.limits = limits
        self.door = door
        self.telemetry = telemetry
        self.log = log
        self.heartbeat_seconds = heartbeat_seconds
        self.auth_seconds = auth_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        identity: Identity | None = None
        set_identity(None)
        if authorization := socket.headers.get("authorization"):
            try:
                identity = self.door.identity(bearer_token(authorization))
            except ServiceError as error:
                await socket.send_denial_response(problem_of(error))
                return
        await socket.accept()
        await _Connection(self, socket).serve(identity)


class _Connection:
    """One client. What it is sent waits for the connection, so that a slow reader holds up its own turns' calls only."""

    def __init__(self, sockets: ChatSockets, socket: WebSocket) -> None:
        self._sockets = sockets
        self._socket = socket
        self._identity: Identity | None = None
        self._anonymous_until = asyncio.get_running_loop().time() + sockets.auth_seconds
        self._following: dict[str, asyncio.Task[None]] = {}

    async def serve(self, identity: Identity | None) -> None:
        """Serves until either side ends the connection; the turns go on."""
        shut_out = ""
        try:
            if identity:
                await self._admit(identity, None)
            while True:
                await self._obey(await self._next())
        except WebSocketDisconnect:
            pass
        except Unauthenticated as error:
            shut_out = error.reason
        finally:
            following = tuple(self._following.values())
            for task in following:
                task.cancel()
            await asyncio.gather(*following, return_exceptions=True)
        if shut_out:
            await self._socket.close(_NOT_AUTHENTICATED, shut_out)

    async def _next(self) -> Mapping[str, Any]:
        """The next message. Raises Unauthenticated when nobody says who they are, or may not be here any more."""
        loop = asyncio.get_running_loop()
        while True:
            until = loop.time() + self._sockets.heartbeat_seconds if self._identity else self._anonymous_until
            try:
                async with asyncio.timeout_at(until):
                    received = await self._socket.receive()
            except TimeoutError:
                if self._identity is None:
                    raise Unauthenticated("token_missing", "No token came.") from None
                self._sockets.door.still_counts(self._identity)
            else:
                if received["type"] == "websocket.disconnect":
                    raise WebSocketDisconnect(received.get("code", 1000))
                if self._identity:
                    self._sockets.door.still_counts(self._identity)
                return received

    async def _obey(self, received: Mapping[str, Any]) -> None:
        try:
            command: Command | InvalidInput = _command(received)
        except InvalidInput as error:
            command = error
        name = "unknown" if isinstance(command, InvalidInput) else command.type
        # Problems are told inside the span: they name its trace.
        with self._sockets.telemetry.span(f"WS {name}", SpanKind.SERVER) as span:
            if isinstance(command, InvalidInput):
                await self._tell("problem", None, **problem_members(command))
                return
            try:
                await self._do(command)
            except WebSocketDisconnect:
                raise
            except Exception as error:
                if not isinstance(error, ServiceError):
                    self._sockets.log.error("command_failed", exc_info=error)
                    error = internal_error()
                fail(span, error)
                await self._tell("problem", command, **problem_members(error))

    async def _do(self, command: Command) -> None:
        if isinstance(command, Ping):
            await self._tell("pong", command)
            return
        if isinstance(command, Auth):
            await self._admit(self._sockets.door.identity(command.token), command)
            return
        if self._identity is None:
            raise Unauthenticated("token_missing", 'Say first who you are: {"type": "auth", "token": …}.')
        # A token that has run out still watches, but asks for nothing more.
        set_identity(self._sockets.door.identity(self._identity.subject_token))
        orchestrator = self._sockets.orchestrator
        match command:
            case ChatSend():
                self._check_room()
                await self._sockets.limits.chat(self._user_id)
                await self._started(
                    await orchestrator.StartTurn(start_request(command, command.idempotency_key)), command
                )
            case ChatRegenerate():
                self._check_room()
                await self._sockets.limits.chat(self._user_id)
                request = orchestrator_pb2.RegenerateTurnRequest(
                    turn_id=command.turn_id,
                    message=command.message,
                    idempotency_key=command.idempotency_key or new_id(),
                )
                await self._started(await orchestrator.RegenerateTurn(request), command)
            case ChatStop():
                await orchestrator.CancelTurn(orchestrator_pb2.CancelTurnRequest(turn_id=command.turn_id))
                await self._tell("stopping", command, turn_id=command.turn_id)
            case ChatResume():
                if command.turn_id not in self._following:
                    self._check_room()
                await self._follow(command.turn_id, command.after, command)

    @property
    def _user_id(self) -> str:
        assert self._identity is not None and self._identity.principal is not None
        return self._identity.principal.user_id

    async def _admit(self, identity: Identity, command: Auth | None) -> None:
        assert identity.principal is not None
        if self._identity and identity.principal.user_id != self._user_id:
            raise Forbidden("another_person", "A connection is one person's; open another.")
        self._identity = identity
        await self._tell("ready", command, user_id=self._user_id, expires_at=identity.subject_expires_at)

    def _check_room(self) -> None:
        if len(self._following) >= MAX_TURNS:
            raise Exhausted("too_many_turns", f"A connection follows {MAX_TURNS} turns at most.")

    async def _started(self, started: Any, command: Command) -> None:
        named = {"turn_id": started.turn_id, "conversation_id": started.conversation_id}
        await self._tell("started", command, **named)
        await self._follow(started.turn_id, 0, command, is_new=True)

    async def _follow(self, turn_id: str, after: int, command: Command, *, is_new: bool = False) -> None:
        """Passes on a turn's events behind a number, from now on only these."""
        if before := self._following.pop(turn_id, None):
            before.cancel()
            await asyncio.gather(before, return_exceptions=True)
        task = asyncio.create_task(self._pass_on(turn_id, after, command, is_new))
        self._following[turn_id] = task
        task.add_done_callback(lambda ended: self._forget(turn_id, ended))

    def _forget(self, turn_id: str, ended: asyncio.Task[None]) -> None:
        if self._following.get(turn_id) is ended:
            del self._following[turn_id]

    async def _pass_on(self, turn_id: str, after: int, command: Command, is_new: bool) -> None:
        seen = False
        try:
            feed = follow_turn(self._sockets.orchestrator, turn_id, after, is_new=is_new)
            async with aclosing(feed) as events:
                async for event in events:
                    seen = True
                    await self._socket.send_text(message(event))
            if not seen:
                await self._tell("over", command, turn_id=turn_id, after=after)
        except WebSocketDisconnect:
            pass  # the connection's own loop finds out as well
        except ServiceError as error:
            await self._fail(turn_id, command, error)
        except Exception as error:
            self._sockets.log.error("turn_not_followed", turn_id=turn_id, exc_info=error)
            await self._fail(turn_id, command, internal_error())

    async def _fail(self, turn_id: str, command: Command, error: ServiceError) -> None:
        try:
            await self._tell("problem", command, **{**problem_members(error), "turn_id": turn_id})
        except WebSocketDisconnect:
            pass

    async def _tell(self, kind: str, command: Command | None, **fields: Any) -> None:
        name = {"request_id": command.request_id} if command and command.request_id is not None else {}
        text = json.dumps({"type": kind, **name, **fields}, ensure_ascii=False, separators=(",", ":"))
        await self._socket.send_text(text)


def _command(received: Mapping[str, Any]) -> Command:
    """Raises InvalidInput for what is no command."""
    text = received.get("text")
    if text is None:
        raise InvalidInput("text_only", "Messages are JSON objects as text.")
    try:
        return COMMANDS.validate_json(text)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
    if any(fault["type"] == "json_invalid" for fault in faults):
        raise InvalidInput("malformed_json", "The message is not well-formed JSON.")
    named = "; ".join(f"{fault['field']}: {fault['problem']}" for fault in fields_of(faults))
    raise InvalidInput("invalid_message", f"The message is none that is known here. {named}")
