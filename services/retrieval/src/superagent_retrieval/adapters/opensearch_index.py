"""The keyword index on an OpenSearch server: terms from `keyword_analysis`, in fields that split at white space.

The server keeps a write before it answers; searches see it from the next refresh on, which comes only when asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from opensearchpy import AsyncOpenSearch, NotFoundError, SerializationError, TransportError
from opensearchpy.exceptions import ConnectionError as NoConnection

from superagent_common.errors import Unavailable
from superagent_retrieval.adapters.keyword_analysis import analyse_query
from superagent_retrieval.adapters.keyword_entries import changeable, entry
from superagent_retrieval.adapters.opensearch_fields import FIELDS, INDEX, Json
from superagent_retrieval.adapters.patience import patiently
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.records import DocumentAttributes, KeywordHit, ParentText, SearchFilters

# Against a match in the text; the embedded index has the same.
_HEADING_BOOST = 0.5
# A request of 500 parents with 2,200 characters has 1 to 4 MB.
_BATCH = 500
# What the server gives at most in one answer.
_MOST_HITS = 10_000

T = TypeVar("T")


class OpenSearchKeywordIndex:
    """A KeywordIndex in one index of a server, which is made when it is not there. The client is closed with it.

    Failures are Unavailable: `keyword_index_down` (the server cannot be reached or is overloaded), `keyword_index_failed`
    (it answered that it cannot).
    """

    def __init__(self, client: AsyncOpenSearch, index: str) -> None:
        self._client = client
        self._index = index
        self._there = False
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Makes the index unless it is there. Whatever else is called does so, too."""
        async with self._preparing:
            if not self._there:
                await _answer(self._make)
                self._there = True

    async def upsert(self, parents: Sequence[ParentText]) -> None:
        for first in range(0, len(parents), _BATCH):
            lines: list[Json] = []
            for parent in parents[first : first + _BATCH]:
                lines += [{"index": {"_id": parent.parent_id}}, entry(parent)]
            await self._bulk(lines)

    async def search(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        terms = analyse_query(query)
        clauses = [_term("text", word) for word in terms.words]
        clauses += [_term("heading", word, _HEADING_BOOST) for word in terms.words]
        clauses += [_term("characters", character) for character in terms.characters]
        return await self._found(clauses, scope, filters, limit)

    async def headings(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        clauses = [_term("heading", word) for word in analyse_query(query).words]
        return await self._found(clauses, scope, filters, limit)

    async def update_document(self, document_id: str, title: str, attributes: DocumentAttributes) -> None:
        await self.refresh()
        async for entries in self._entries(document_id):
            lines: list[Json] = []
            for found in entries:
                changed = changeable(title, found["_source"]["heading_path"], attributes)
                lines += [{"update": {"_id": found["_id"]}}, {"doc": changed}]
            await self._bulk(lines)

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        condition: Json = {"filter": [_any_of("document_id", [document_id])]}
        if keep_generation is not None:
            condition["must_not"] = [_any_of("generation", [keep_generation])]
        return await self._delete(condition)

    async def delete_generation(self, document_id: str, generation: str) -> None:
        await self._delete(_of_generation(document_id, generation))

    async def count(self, document_id: str, generation: str) -> int:
        body = {"query": {"bool": _of_generation(document_id, generation)}}
        answer = await self._ask(lambda: self._client.count(index=self._index, body=body))
        return int(answer["count"])

    async def refresh(self) -> None:
        await self._patiently(lambda: self._client.indices.refresh(index=self._index))

    async def close(self) -> None:
        try:
            await self.refresh()
        finally:
            await self._client.close()

    async def _make(self) -> None:
        if not await self._client.indices.exists(index=self._index):
            # 400 says that another process made it meanwhile.
            await self._client.indices.create(index=self._index, body=INDEX, params={"ignore": 400})
        fields = (await self._client.indices.get_mapping(index=self._index))[self._index]["mappings"]["properties"]
        if fields.keys() != FIELDS.keys():
            raise ValueError(f"the index {self._index} has not the fields of this version")

    async def _found(
        self, clauses: list[Json], scope: AccessScope, filters: SearchFilters, limit: int
    ) -> list[KeywordHit]:
        if not clauses or limit < 1:
            return []
        narrowing = (
            ("access", scope.labels()),
            ("domain", filters.domains),
            ("business_category", filters.business_categories),
            ("tag", filters.tags),
            ("language", filters.languages),
            ("document_id", filters.document_ids),
        )
        body = {
            "size": min(limit, _MOST_HITS),
            "query": {
                "bool": {
                    "should": clauses,
                    "minimum_should_match": 1,
                    "filter": [_any_of(field, values) for field, values in narrowing if values],
                }
            },
            "sort": [{"_score": "desc"}, {"parent_id": "asc"}],
            "_source": False,
            "docvalue_fields": ["document_id", "generation"],
            "track_total_hits": False,
        }
        # Words count as often as they are in all shards, and the same person asks the same copy of them, so that equal
        # questions have equal scores. An answer without one of the shards is none.
        params = {
            "search_type": "dfs_query_then_fetch",
            "preference": f"person {scope.user_id}",
            "allow_partial_search_results": "false",
        }
        answer = await self._ask(lambda: self._client.search(index=self._index, body=body, params=params))
        return [
            KeywordHit(hit["_id"], hit["fields"]["document_id"][0], hit["fields"]["generation"][0], hit["_score"])
            for hit in answer["hits"]["hits"]
        ]

    async def _entries(self, document_id: str) -> AsyncIterator[list[Json]]:
        """All entries of a document with their headings, page by page."""
        body: Json = {
            "size": _BATCH,
            "query": {"bool": {"filter": [_any_of("document_id", [document_id])]}},
            "sort": [{"parent_id": "asc"}],
            "_source": ["heading_path"],
        }
        while True:
            page = await self._patiently(lambda: self._client.search(index=self._index, body=body))
            entries = page["hits"]["hits"]
            if entries:
                yield entries
            if len(entries) < _BATCH:
                return
            body["search_after"] = entries[-1]["sort"]

    async def _bulk(self, lines: list[Json]) -> None:
        async def write() -> None:
            answer = await self._ask(lambda: self._client.bulk(index=self._index, body=lines))
            for item in answer["items"] if answer["errors"] else ():
                (done,) = item.values()
                # An update of what somebody removed meanwhile has nothing to do.
                if "error" in done and not (done["status"] == 404 and "update" in item):
                    raise _failure(done["status"])

        await patiently(write)

    async def _delete(self, condition: Json) -> bool:
        async def delete() -> int:
            # It finds what the last refresh has shown.
            await self._ask(lambda: self._client.indices.refresh(index=self._index))
            answer = await self._ask(
                lambda: self._client.delete_by_query(
                    index=self._index,
                    body={"query": {"bool": condition}},
                    # What is written again meanwhile was not meant. Shown at once, as a try that was not heard of may
                    # leave nothing for the next one, and so nobody who calls for a refresh.
                    params={"conflicts": "proceed", "refresh": "true"},
                )
            )
            if answer["failures"]:
                raise _failure(max(failure["status"] for failure in answer["failures"]))
            return int(answer["deleted"])

        return await patiently(delete) > 0

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        return await patiently(lambda: self._ask(call))

    async def _ask(self, call: Callable[[], Awaitable[T]]) -> T:
        if not self._there:
            await self.prepare()
        try:
            return await _answer(call)
        except _Missing:
            # Somebody removed the index: the next call makes it again.
            self._there = False
            raise


class _Missing(Unavailable):
    """There is no such index."""


async def _answer(call: Callable[[], Awaitable[T]]) -> T:
    """What the server answers; its failures as Unavailable, without its text, which may quote what was sent."""
    try:
        return await call()
    except NoConnection as error:
        message = f"The keyword index does not answer ({type(error).__name__})."
        raise Unavailable("keyword_index_down", message) from None
    except NotFoundError:
        raise _Missing("keyword_index_failed", "The keyword index is not there.") from None
    except SerializationError:
        raise Unavailable("keyword_index_failed", "The keyword index answered something that is no JSON.") from None
    except TransportError as error:
        raise _failure(error.status_code) from error


def _failure(status: int | str) -> Unavailable:
    down = isinstance(status, int) and (status == 429 or status >= 500)
    return Unavailable(
        "keyword_index_down" if down else "keyword_index_failed", f"The keyword index answered {status}."
    )


def _term(field: str, term: str, boost: float = 1.0) -> Json:
    return {"term": {field: {"value": term, "boost": boost}}}


def _any_of(field: str, values: Iterable[str]) -> Json:
    return {"terms": {field: list(values)}}


def _of_generation(document_id: str, generation: str) -> Json:
    return {"filter": [_any_of("document_id", [document_id]), _any_of("generation", [generation])]}
