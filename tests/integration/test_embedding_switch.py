"""The embedding model of a whole fleet is switched while people search, upload, hide and delete, and retrieval dies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.ids import new_id
from tests.conftest import SECOND_DIMENSION, SECOND_MODEL
from tests.integration.test_bad_input import assert_problem
from tests.support.knowledge import manual
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel

FIRST_MODEL = "scripted-embedder"


@pytest.fixture
async def keeper(fleet_without_model: Fleet, second_embedder: ScriptedModel) -> AsyncIterator[ApiClient]:
    """An administrator; the fleet has its model again afterwards."""
    first = fleet_without_model.administrator
    assert first is not None
    async with ApiClient(fleet_without_model.base_url) as client:
        await client.log_in(first.username, first.password)
        yield client
        second_embedder.answer_with()
        await rebuild(client, FIRST_MODEL)
        await switched(client, FIRST_MODEL)


async def rebuild(keeper: ApiClient, model: str) -> dict[str, Any]:
    answer = await keeper.http.post("/retrieval/rebuild", json={"embedding_model": model})
    assert answer.status_code == 202, answer.text
    return answer.json()  # type: ignore[no-any-return]


async def status(person: ApiClient) -> dict[str, Any]:
    answer = await person.http.get("/retrieval/status")
    return answer.json() if answer.status_code == 200 else {"embedding_model": "", "rebuild": None}


async def switched(person: ApiClient, model: str) -> None:
    async with asyncio.timeout(120):
        while (shown := await status(person))["embedding_model"] != model or shown["rebuild"]:
            await asyncio.sleep(0.05)


async def held_up(person: ApiClient) -> dict[str, Any]:
    """The run, when all but one document is held by the new index."""
    async with asyncio.timeout(120):
        while True:
            run = (await status(person))["rebuild"]
            if run and run["waiting_reason"] and run["documents_done"] == run["documents_total"] - 1:
                return run  # type: ignore[no-any-return]
            await asyncio.sleep(0.05)


def asked_for(embedder: ScriptedModel, word: str) -> int:
    """Requests for vectors of texts with this word."""
    return sum(word in json.dumps(request.to_json()) for request in embedder.requests)


async def ready(person: ApiClient, word: str, **said: object) -> str:
    document_id = await person.upload("manual.md", manual(word), **said)
    assert (await person.settled(document_id))["state"] == "READY"
    return document_id


async def ask(person: ApiClient, word: str) -> httpx.Response:
    # Other tests' documents may be public, too.
    body = {"question": f"Which valve does step 5 of {word} turn?", "top_k": 50}
    return await person.http.post("/retrieval/search", json=body)


class Searches:
    """One person who searches all the time: what is there is found, and what is gone is not, by both channels."""

    def __init__(self, person: ApiClient, there: set[str]) -> None:
        self.person, self.there, self.gone = person, there, set[str]()
        self.away = False
        self.answered = 0

    async def once(self, word: str) -> None:
        gone, away = word in self.gone, self.away
        found = await ask(self.person, word)
        if away or self.away:
            return
        assert found.status_code == 200, found.text
        answer = found.json()
        self.answered += 1
        assert answer["retrieval_mode"] in ("HYBRID", "NONE"), answer["retrieval_mode"]
        shown = any(word in passage["text"] for passage in answer["evidence"])
        assert shown if word in self.there else not (shown and gone), word

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        over = asyncio.Event()

        async def search() -> None:
            while not over.is_set():
                for word in [*self.there, *self.gone]:
                    await self.once(word)
                    await asyncio.sleep(0.02)

        searching = asyncio.create_task(search())
        try:
            yield
        finally:
            over.set()
            await searching


async def test_everybody_finds_what_is_there_and_nothing_else_while_the_model_is_switched(
    fleet_without_model: Fleet,
    keeper: ApiClient,
    anna_and_ben: tuple[ApiClient, ApiClient],
    second_embedder: ScriptedModel,
) -> None:
    anna, ben = anna_and_ben
    stays, hidden, deleted, late, stubborn = (f"gizmo{new_id().replace('-', '')}" for _ in range(5))
    second_embedder.answer_with(
        Rule(Reply(failure=Failure("status", status=400)), body=stubborn, endpoint="embeddings")
    )
    documents = {word: await ready(anna, word, is_public=True) for word in (stays, hidden, deleted)}
    await ready(anna, stubborn)
    searches = Searches(ben, {stays, hidden, deleted})
    async with searches.going_on():
        run = await rebuild(keeper, SECOND_MODEL)
        assert (await rebuild(keeper, SECOND_MODEL), run["done"]) == (run, False)
        progress = await held_up(ben)
        assert (progress["run_id"], progress["embedding_dimension"]) == (run["run_id"], SECOND_DIMENSION)
        assert progress["waiting_reason"] == "embedder_failed" and progress["retry_at"] > progress["started_at"]
        shown = await status(ben)
        assert (shown["embedding_model"], shown["configured_model"], shown["rebuild_due"]) == (
            FIRST_MODEL,
            FIRST_MODEL,
            False,
        )

        # The new index holds these already.
        for word in (hidden, deleted):
            searches.there.discard(word)
        (await anna.http.patch(f"/documents/{documents[hidden]}", json={"is_public": False})).raise_for_status()
        (await anna.http.delete(f"/documents/{documents[deleted]}")).raise_for_status()
        searches.gone |= {hidden, deleted}
        await ready(anna, late, is_public=True)
        searches.there.add(late)

        second_embedder.answer_with()
        searches.away = True
        pid = fleet_without_model.kill("retrieval")
        await fleet_without_model.replaced("retrieval", pid)
        while (await ben.http.post("/retrieval/search", json={"question": stays})).status_code != 200:
            await asyncio.sleep(0.05)
        searches.away = False
        assert (await rebuild(keeper, SECOND_MODEL))["run_id"] == run["run_id"]
        await switched(ben, SECOND_MODEL)
        before = searches.answered
        while searches.answered < before + 12:
            await asyncio.sleep(0.02)
    # What the killed process had done was kept, and questions go to the new model now.
    passages = [request for request in second_embedder.requests if len(request.body["input"]) > 1]
    assert not any(stays in json.dumps(request.to_json()) for request in passages)
    assert asked_for(second_embedder, stubborn) and asked_for(second_embedder, late)
    assert await finds(anna, hidden) and await finds(anna, stubborn)
    assert not await finds(anna, deleted) and not await finds(ben, stubborn)
    folder = fleet_without_model.data_dir / "retrieval" / "vectors"
    async with asyncio.timeout(120):
        # The index that answered before is removed in the background.
        while [each.name for each in folder.iterdir()] != [f"{SECOND_MODEL}-{SECOND_DIMENSION}"]:
            await asyncio.sleep(0.05)


async def finds(person: ApiClient, word: str) -> bool:
    return any(word in passage["text"] for passage in (await ask(person, word)).json()["evidence"])


async def test_only_administrators_switch_and_only_to_what_the_settings_name(
    keeper: ApiClient, person_without_model: ApiClient
) -> None:
    assert_problem(await person_without_model.http.post("/retrieval/rebuild", json={}), 403, "administrators_only")
    unknown = await keeper.http.post("/retrieval/rebuild", json={"embedding_model": "unheard-of"})
    assert_problem(unknown, 400, "unknown_embedding_model")
    assert (await rebuild(keeper, ""))["done"] is True
    shown = await status(person_without_model)
    assert (shown["embedding_models"], shown["degraded"]) == (
        [FIRST_MODEL, "multilingual-e5-small-int8", SECOND_MODEL],
        None,
    )
