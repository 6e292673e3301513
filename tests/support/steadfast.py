"""A client that does not give up: each step of an upload is sent again until the fleet takes it."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import Any

import httpx

from dev.api_client import ApiClient

File = tuple[str, bytes]
"""Name and content."""

_PAUSE_SECONDS = 0.2
_PASSING = frozenset((503, 504))


async def insist(person: ApiClient, method: str, path: str, seconds: float = 300.0, **request: Any) -> httpx.Response:
    """Sends a request until the answer is neither "not now" nor missing. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                answer = await person.http.request(method, path, **request)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code not in _PASSING:
                return answer
            await asyncio.sleep(_PAUSE_SECONDS)


async def upload_steadfastly(person: ApiClient, file_name: str, content: bytes) -> str:
    """Uploads a file of one part whatever dies meanwhile, and gives the id of its document."""
    wanted = {"file_name": file_name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    key = {"idempotency-key": secrets.token_hex(8)}
    upload = await insist(person, "POST", "/uploads", json=wanted, headers=key)
    assert upload.status_code == 201, upload.text
    address = f"/uploads/{upload.json()['upload_id']}"
    part = await insist(person, "PUT", f"{address}/parts/0", content=content)
    assert part.status_code == 200, part.text
    completed = await insist(person, "POST", f"{address}/complete")
    assert completed.status_code == 202, completed.text
    return str(completed.json()["document_id"])


async def settled_steadfastly(person: ApiClient, document_id: str, seconds: float = 300.0) -> dict[str, Any]:
    """Waits until a document is READY or FAILED, whatever dies meanwhile. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while True:
            document = (await insist(person, "GET", f"/documents/{document_id}")).json()
            if document["state"] in ("READY", "FAILED"):
                return document  # type: ignore[no-any-return]
            await asyncio.sleep(_PAUSE_SECONDS)
