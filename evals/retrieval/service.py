"""A corpus in the running product, as a person has it: uploaded over HTTP, searched over gRPC with the person's token."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import httpx

from dev.api_client import ApiClient
from evals.retrieval.coverage import covered, grams
from evals.retrieval.metrics import DEPTH
from evals.retrieval.sets import Document, Question
from superagent.retrieval.v1.retrieval_pb2 import (
    GetPassagesRequest,
    PreviewSearchRequest,
    PreviewSearchResponse,
    SearchRequest,
)
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub

_UPLOADS_AT_ONCE = 8
_PAGE = 200
_POLL_SECONDS = 0.5
# No document for so long: something is stuck.
_STALLED_SECONDS = 300.0
_SAY_SECONDS = 30.0
_RENEW_SECONDS = 60.0
_PASSAGES_AT_ONCE = 50
_SEARCH_SECONDS = 60.0

Results = list[frozenset[str]]
"""What each result covers, best first."""


class NotIngested(Exception):
    """A document that did not become READY, with the reason."""


class Person:
    """Somebody who is signed in, and stays so."""

    def __init__(self, client: ApiClient, username: str, password: str) -> None:
        self._client = client
        self._username = username
        self._password = password
        self._renew_at = 0.0
        self._renewing = asyncio.Lock()

    @classmethod
    async def joined(cls, client: ApiClient, username: str, password: str) -> Person:
        """Registers the person, or logs in who is there already."""
        person = cls(client, username, password)
        answer = await client.http.post("/auth/register", json={"username": username, "password": password})
        if answer.status_code != httpx.codes.CONFLICT:
            answer.raise_for_status()
        await person.token()
        return person

    async def token(self) -> str:
        """An access token that holds for a minute at least."""
        async with self._renewing:
            if time.monotonic() >= self._renew_at:
                await self._client.log_in(self._username, self._password)
                self._renew_at = time.monotonic() + self._client.session["expires_in"] - _RENEW_SECONDS
        return str(self._client.session["access_token"])

    async def client(self) -> ApiClient:
        """A client that carries such a token."""
        await self.token()
        return self._client


async def ingest(person: Person, documents: Sequence[Document], say: Callable[[str], None]) -> dict[str, Document]:
    """Uploads what the person does not have yet and waits until all of it is READY; the documents by their ids.

    Raises NotIngested, httpx.HTTPStatusError.
    """
    wanted = {document.file_name: document for document in documents}
    there = {row["file_name"] for row in await _own_documents(person)}
    missing = [document for name, document in wanted.items() if name not in there]
    say(f"{len(documents)} documents, {len(documents) - len(missing)} of them there already")
    gate = asyncio.Semaphore(_UPLOADS_AT_ONCE)

    async def upload(document: Document) -> None:
        async with gate:
            said = {"title": document.title, "domain_code": document.domain}
            said = {name: value for name, value in said.items() if value}
            await (await person.client()).upload(document.file_name, document.content, **said)

    await asyncio.gather(*map(upload, missing))
    return await _all_ready(person, wanted, say)


async def _all_ready(person: Person, wanted: dict[str, Document], say: Callable[[str], None]) -> dict[str, Document]:
    ready, moved_at, said_at = -1, time.monotonic(), time.monotonic()
    while True:
        rows = [row for row in await _own_documents(person) if row["file_name"] in wanted]
        for row in rows:
            if row["state"] == "FAILED":
                raise NotIngested(f"{row['file_name']}: {row['failure']['reason']}")
        done = {row["id"]: wanted[row["file_name"]] for row in rows if row["state"] == "READY"}
        if len(done) == len(wanted):
            return done
        if len(done) != ready:
            ready, moved_at = len(done), time.monotonic()
            if moved_at - said_at > _SAY_SECONDS:
                said_at = moved_at
                say(f"{ready} of {len(wanted)} documents are READY")
        elif time.monotonic() - moved_at > _STALLED_SECONDS:
            raise NotIngested(
                f"{ready} of {len(wanted)} documents are READY, and no other for {_STALLED_SECONDS:.0f} s"
            )
        await asyncio.sleep(_POLL_SECONDS)


async def _own_documents(person: Person) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        client = await person.client()
        answer = await client.http.get("/documents", params={"limit": _PAGE, "cursor": cursor})
        answer.raise_for_status()
        page = answer.json()
        rows += page["documents"]
        cursor = page["next_cursor"]
        if not cursor:
            return rows


class Searching:
    """Asks one person's documents and says which passages each result covers."""

    def __init__(self, retrieval: RetrievalServiceStub, person: Person, documents: dict[str, Document]) -> None:
        """`documents`: as `ingest` gave them."""
        self._retrieval = retrieval
        self._person = person
        self._grams = {
            key: {passage.key: grams(passage.text) for passage in document.passages}
            for key, document in documents.items()
        }
        self._covered: dict[str, frozenset[str]] = {}

    async def ask(self, question: Question) -> dict[str, Results]:
        """Results of each channel alone (before floors, for the question as typed) and of them `fused`, as answered."""
        search = SearchRequest(
            question=question.text,
            history_hint=question.history_hint,
            use_outline=question.use_outline,
            domains=question.domains,
            top_k=DEPTH,
            budget_chars=-1,
        )
        shown: PreviewSearchResponse = await self._retrieval.PreviewSearch(
            PreviewSearchRequest(search=search), metadata=await self._metadata(), timeout=_SEARCH_SECONDS
        )
        if shown.failures:
            # A figure would speak of another product than the whole one.
            raise RuntimeError(f"{shown.failures[0].channel} did not answer: {shown.failures[0].reason}")
        found: dict[str, Results] = {
            "fused": [covered(self._grams[each.document_id], each.text) for each in shown.result.evidence]
        }
        for channel, parents in _by_channel(shown).items():
            await self._look_up(parents)
            found[channel] = [self._covered[parent] for parent in parents]
        return found

    async def _look_up(self, parents: dict[str, str]) -> None:
        """Reads the whole texts of parents (id → document) that were not seen yet."""
        unknown: dict[str, list[str]] = {}
        for parent, document in parents.items():
            if parent not in self._covered:
                unknown.setdefault(document, []).append(parent)
        for document, ids in unknown.items():
            for start in range(0, len(ids), _PASSAGES_AT_ONCE):
                request = GetPassagesRequest(document_id=document, chunk_ids=ids[start : start + _PASSAGES_AT_ONCE])
                answer = await self._retrieval.GetPassages(
                    request, metadata=await self._metadata(), timeout=_SEARCH_SECONDS
                )
                for passage in answer.passages:
                    self._covered[passage.parent_id] = covered(self._grams[document], passage.text)

    async def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {await self._person.token()}"),)


def _by_channel(shown: PreviewSearchResponse) -> dict[str, dict[str, str]]:
    """Of each channel, its best parents in order, id → document, for the question as typed: the first form."""
    found: dict[str, dict[str, str]] = {}
    for hit in sorted((hit for hit in shown.hits if hit.variant == 0), key=lambda hit: hit.rank):
        parents = found.setdefault(hit.channel, {})
        if len(parents) < DEPTH:
            parents.setdefault(hit.parent_id, hit.document_id)
    return found


@asynccontextmanager
async def retrieval_at(address: str) -> AsyncIterator[RetrievalServiceStub]:
    """Retrieval's gRPC door, host:port."""
    async with grpc.aio.insecure_channel(address, options=(("grpc.enable_http_proxy", 0),)) as channel:
        yield RetrievalServiceStub(channel)
