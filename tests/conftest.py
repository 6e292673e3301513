"""The fleets that the tests here share, each started once, and people who use them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet, fleet
from superagent_common.ids import new_id
from tests.support.http_origin import Origin, serving
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel

ROOMY_LIMITS = {
    "GATEWAY_REGISTRATIONS_PER_10_MINUTES": "1000000",
    "GATEWAY_LOGINS_PER_MINUTE": "1000000",
    "GATEWAY_CHATS_PER_MINUTE": "1000000",
    "AGENT_EXECUTOR_SEARCH_TIMEOUT_SECONDS": "120",
    "LLM_CONNECT_TIMEOUT_SECONDS": "60",
    # What holds an answer, or hangs, is let go by its test.
    "LLM_FIRST_TOKEN_TIMEOUT_SECONDS": "600",
    "LLM_BETWEEN_TOKENS_TIMEOUT_SECONDS": "600",
    "LLM_TIMEOUT_SECONDS": "1200",
    "ORCHESTRATOR_PLANNING_SECONDS": "20",
    "ORCHESTRATOR_LISTING_SECONDS": "60",
    "RETRIEVAL_VECTOR_SECONDS": "60",
    "RETRIEVAL_KEYWORD_SECONDS": "60",
    "RETRIEVAL_PARAPHRASE_SECONDS": "60",
    "RETRIEVAL_RERANK_SECONDS": "60",
}
"""Tests sign up and ask more often than one person would, and a busy machine changes nothing of what a fleet answers."""
SECOND_MODEL, SECOND_DIMENSION = "second-embedder", 96
PRICE_INPUT, PRICE_OUTPUT = 2.0, 8.0
"""Per million tokens, of the primary model."""
HELPFUL = (
    Rule(Reply(text='{"questions": ["What else is there?", "Who decides?", "Since when?"]}'), purpose="follow_ups"),
    Rule(Reply(text="That is what the documents say [1]."), purpose="answer"),
)
"""What the model says unless a test scripts it."""

People = Callable[[], Awaitable[ApiClient]]


@pytest.fixture(scope="session")
async def fleet_model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as serving:
        yield serving


@pytest.fixture
def model(fleet_model: ScriptedModel) -> ScriptedModel:
    """The model of `fleet_with_model`, helpful and without memory of earlier tests' requests."""
    fleet_model.answer_with(*HELPFUL)
    return fleet_model


@pytest.fixture(scope="session")
async def web() -> AsyncIterator[Origin]:
    """A web server at an address of its own, the only inner one that `fleet_with_model` fetches documents from."""
    async with serving("127.0.0.7") as origin:
        yield origin


@pytest.fixture(scope="session")
async def fleet_with_model(
    tmp_path_factory: pytest.TempPathFactory, fleet_model: ScriptedModel, web: Origin
) -> AsyncIterator[Fleet]:
    """Grouped as by default, with the local embedder, a scripted model and another as its backup."""
    settings = {
        **ROOMY_LIMITS,
        "LLM_MODEL": "scripted",
        "LLM_API_BASE": fleet_model.base_url,
        "LLM_PRICE_INPUT": str(PRICE_INPUT),
        "LLM_PRICE_OUTPUT": str(PRICE_OUTPUT),
        "LLM_BACKUP_MODEL": "scripted-backup",
        "INGESTION_IMPORT_NETWORKS": "127.0.0.7/32",
        "INGESTION_IMPORT_PORTS": f"80,443,{web.port}",
        "INGESTION_MODEL_CHUNKING": "true",
    }
    async with fleet(tmp_path_factory.mktemp("with-model"), environment=settings) as running:
        await embedder_ready(running)
        yield running


@pytest.fixture(scope="session")
async def endpoint_embedder() -> AsyncIterator[ScriptedModel]:
    """The embedding endpoint of `fleet_without_model`; its vectors are near for texts that share characters."""
    async with ScriptedModel() as serving:
        yield serving


@pytest.fixture(scope="session")
async def second_embedder() -> AsyncIterator[ScriptedModel]:
    """Another one that `fleet_without_model` may switch to, with shorter vectors."""
    async with ScriptedModel(dimensions=SECOND_DIMENSION) as serving:
        yield serving


@pytest.fixture(scope="session")
async def fleet_without_model(
    tmp_path_factory: pytest.TempPathFactory, endpoint_embedder: ScriptedModel, second_embedder: ScriptedModel
) -> AsyncIterator[Fleet]:
    """Grouped, no language model, embeddings from an endpoint. Tests may kill its processes and wait until it is whole."""
    settings = {
        **ROOMY_LIMITS,
        "EMBEDDING_MODEL": "scripted-embedder",
        "EMBEDDING_API_BASE": endpoint_embedder.base_url,
        "EMBEDDING_DIMENSION": "384",
        "RETRIEVAL_EMBEDDERS": json.dumps(
            [{"model": SECOND_MODEL, "api_base": second_embedder.base_url, "dimension": SECOND_DIMENSION}]
        ),
        # What a killed worker left is looked for more often than by default.
        "INGESTION_SWEEP_SECONDS": "0.5",
    }
    async with fleet(tmp_path_factory.mktemp("without-model"), environment=settings) as running:
        await embedder_ready(running)
        yield running


async def embedder_ready(running: Fleet) -> None:
    """Waits until the embedder answers, which a fresh data folder prepares in the background."""
    async with ApiClient(running.base_url) as somebody, asyncio.timeout(180):
        await somebody.sign_up()
        while True:
            if (await somebody.http.get("/retrieval/status")).json()["embedder_healthy"]:
                return
            await asyncio.sleep(0.1)


@pytest.fixture(scope="session")
async def administrator(fleet_with_model: Fleet) -> AsyncIterator[ApiClient]:
    first = fleet_with_model.administrator
    assert first is not None
    async with ApiClient(fleet_with_model.base_url) as client:
        yield await client.log_in(first.username, first.password)


@pytest.fixture(scope="session")
async def anybody(fleet_with_model: Fleet) -> AsyncIterator[ApiClient]:
    """One person of `fleet_with_model` for all tests that change nothing and look at nothing of theirs."""
    async with ApiClient(fleet_with_model.base_url) as client:
        yield await client.sign_up()


@pytest.fixture(scope="session")
async def reader(fleet_with_model: Fleet) -> AsyncIterator[ApiClient]:
    """One person of `fleet_with_model` who has the sample in Markdown, for tests that only ask."""
    async with ApiClient(fleet_with_model.base_url) as client:
        await client.sign_up()
        document_id = await client.upload(MARKDOWN.file_name, MARKDOWN.content)
        assert (await client.settled(document_id))["state"] == "READY"
        yield client


@pytest.fixture
async def people(fleet_with_model: Fleet, model: ScriptedModel) -> AsyncIterator[People]:
    """Signs up another person of `fleet_with_model` with each call."""
    async with AsyncExitStack() as stack:

        async def join() -> ApiClient:
            client = await stack.enter_async_context(ApiClient(fleet_with_model.base_url))
            return await client.sign_up()

        yield join


@pytest.fixture
async def person(people: People) -> ApiClient:
    """Somebody new, without documents, on `fleet_with_model`."""
    return await people()


@pytest.fixture
async def person_without_model(fleet_without_model: Fleet) -> AsyncIterator[ApiClient]:
    """Somebody new, without documents, on `fleet_without_model`."""
    async with ApiClient(fleet_without_model.base_url) as client:
        yield await client.sign_up()


@pytest.fixture
def word() -> str:
    """One that nothing else in the fleet has."""
    return f"gizmo{new_id().replace('-', '')}"


@pytest.fixture
async def anna_and_ben(fleet_without_model: Fleet) -> AsyncIterator[tuple[ApiClient, ApiClient]]:
    """Two people without anything."""
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(ApiClient(fleet_without_model.base_url)) for _ in range(2)]
        yield await people[0].sign_up(), await people[1].sign_up()
