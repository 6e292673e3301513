"""A small client of the HTTP API: what the demo, the fleet's tests and the benches speak through."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event of a stream, `data` as it was sent."""

    id: int
    event: str
    data: str

    @property
    def json(self) -> dict[str, Any]:
        """`data`, parsed."""
        return json.loads(self.data)  # type: ignore[no-any-return]


class ApiClient:
    """One person's session; every call raises httpx.HTTPStatusError for an answer that is an error."""

    def __init__(self, base_url: str, *, timeout_seconds: float = 120.0) -> None:
        """`base_url` is the gateway's, without /api/v1."""
        self.http = httpx.AsyncClient(
            base_url=base_url.rstrip("/") + "/api/v1", timeout=timeout_seconds, trust_env=False
        )
        self.user: dict[str, Any] = {}
        self.session: dict[str, Any] = {}
        """What the last log-in answered: `access_token`, `refresh_token`, `expires_in`, `user`."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.aclose()

    async def sign_up(self, username: str | None = None, password: str | None = None) -> Self:
        """Registers somebody (a random name unless given) and logs in."""
        username = username or f"user-{secrets.token_hex(6)}"
        password = password or secrets.token_urlsafe(12)
        (await self.http.post("/auth/register", json={"username": username, "password": password})).raise_for_status()
        return await self.log_in(username, password)

    async def log_in(self, username: str, password: str) -> Self:
        """Logs in; later calls carry the token."""
        answer = await self.http.post("/auth/login", json={"username": username, "password": password})
        answer.raise_for_status()
        self.session = answer.json()
        self.user = self.session["user"]
        self.http.headers["authorization"] = f"Bearer {self.session['access_token']}"
        return self

    async def upload(self, file_name: str, content: bytes, **metadata: Any) -> str:
        """Uploads a file, in parts unless the person has the same content already, and gives the document's id."""
        wanted = {"file_name": file_name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        answer = await self.http.post("/uploads", json={**wanted, **metadata})
        answer.raise_for_status()
        upload = answer.json()
        if upload["instant"]:
            return str(upload["document_id"])
        for number in range(upload["parts_total"]):
            part = content[number * upload["part_size"] : (number + 1) * upload["part_size"]]
            digest = base64.b64encode(hashlib.sha256(part).digest()).decode()
            sent = await self.http.put(
                f"/uploads/{upload['upload_id']}/parts/{number}",
                content=part,
                headers={"content-digest": f"sha-256=:{digest}:"},
            )
            sent.raise_for_status()
        completed = await self.http.post(f"/uploads/{upload['upload_id']}/complete")
        completed.raise_for_status()
        return str(completed.json()["document_id"])

    async def upload_file(self, path: Path, **metadata: Any) -> str:
        """Uploads a file of this machine."""
        return await self.upload(path.name, await asyncio.to_thread(path.read_bytes), **metadata)

    async def document(self, document_id: str) -> dict[str, Any]:
        answer = await self.http.get(f"/documents/{document_id}")
        answer.raise_for_status()
        return answer.json()  # type: ignore[no-any-return]

    async def settled(self, document_id: str, seconds: float = 240.0) -> dict[str, Any]:
        """Waits until a document is READY or FAILED. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while True:
                document = await self.document(document_id)
                if document["state"] in ("READY", "FAILED"):
                    return document
                await asyncio.sleep(_POLL_SECONDS)

    async def chat(self, message: str, conversation_id: str | None = None, **options: Any) -> AsyncIterator[SseEvent]:
        """Events of a new turn as they come."""
        body = {"message": message, **options}
        if conversation_id:
            body["conversation_id"] = conversation_id
        async for event in self.stream("/chat", body):
            yield event

    async def stream(self, path: str, body: dict[str, Any]) -> AsyncIterator[SseEvent]:
        """Events of what a POST begins, as they come."""
        async with self.http.stream("POST", path, json=body) as answer:
            async for event in _events(answer):
                yield event

    async def turn_events(self, turn_id: str, after: int = 0) -> AsyncIterator[SseEvent]:
        """Events of a turn behind a number."""
        headers = {"last-event-id": str(after)} if after else {}
        async with self.http.stream("GET", f"/turns/{turn_id}/events", headers=headers) as answer:
            async for event in _events(answer):
                yield event

    async def ask(self, message: str, conversation_id: str | None = None, **options: Any) -> list[SseEvent]:
        """All events of a new turn."""
        return [event async for event in self.chat(message, conversation_id, **options)]

    async def trace(self, turn_id: str) -> dict[str, Any]:
        answer = await self.http.get(f"/traces/turns/{turn_id}")
        answer.raise_for_status()
        return answer.json()  # type: ignore[no-any-return]


def answer_text(events: list[SseEvent]) -> str:
    """The answer that a turn's deltas make."""
    return "".join(event.json["text"] for event in events if event.event == "delta")


async def _events(answer: httpx.Response) -> AsyncIterator[SseEvent]:
    if answer.is_error:
        await answer.aread()
        answer.raise_for_status()
    fields: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if not line:
            if "data" in fields:
                yield SseEvent(int(fields.get("id", "0")), fields.get("event", "message"), fields["data"])
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
