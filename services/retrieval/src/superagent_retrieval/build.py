"""Composition root of the retrieval service."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from superagent.retrieval.v1.retrieval_pb2_grpc import add_RetrievalServiceServicer_to_server
from superagent_common.db import Database, migrate
from superagent_common.llm import ModelSettings, ModelSpending, Spent, build_small_model
from superagent_common.org_tree import OrgTree
from superagent_common.redis_client import opened_redis
from superagent_common.runtime import service_core
from superagent_common.settings import load
from superagent_common.tasks import repeating, running
from superagent_common.telemetry import Telemetry
from superagent_retrieval.adapters.configured_embedders import ConfiguredEmbedder, ConfiguredEmbedders
from superagent_retrieval.adapters.engines import keyword_index, vector_indexes
from superagent_retrieval.adapters.http_embedder import HttpEmbedder
from superagent_retrieval.adapters.http_reranker import HttpReranker
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.adapters.local_embedder.embedder import (
    DIMENSION,
    MODEL,
    LocalEmbedder,
    bundled_weights,
    child_command,
)
from superagent_retrieval.adapters.model_paraphraser import ModelParaphraser
from superagent_retrieval.adapters.model_reranker import ModelReranker
from superagent_retrieval.adapters.sql_catalogue import SqlCatalogue
from superagent_retrieval.adapters.sql_index_catalogue import SqlIndexCatalogue
from superagent_retrieval.api import ACCESS, RetrievalApi
from superagent_retrieval.application.carrying import Carrying
from superagent_retrieval.application.channels import Channels, ChannelSettings
from superagent_retrieval.application.comparing import Comparing
from superagent_retrieval.application.copying import Copying
from superagent_retrieval.application.following import FOLLOW_SECONDS, Following
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.indexing import Indexing
from superagent_retrieval.application.paraphrasing import Paraphrasing
from superagent_retrieval.application.reading import Reading
from superagent_retrieval.application.rebuilding import Rebuilding
from superagent_retrieval.application.reranking import Reranking, RerankSettings
from superagent_retrieval.application.searching import Searching
from superagent_retrieval.application.spaces import Space, Spaces
from superagent_retrieval.application.status import Status
from superagent_retrieval.domain.calibrations import known_calibration
from superagent_retrieval.domain.catalogue import ManagedDomain
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.domain.ranking import RankingSettings
from superagent_retrieval.ports import Embedder, Paraphraser, Reranker
from superagent_retrieval.prompts import ParaphrasePrompt, RerankPrompt
from superagent_retrieval.settings import EndpointEmbedder, Settings

_CLEAR_EVERY_SECONDS = 3_600.0
# Replicas follow a switch within some seconds.
_GRACE_SECONDS = 6 * FOLLOW_SECONDS


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves retrieval until the block ends."""
    await migrate(settings.database_url, "superagent_retrieval")
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(service_core("retrieval", settings))
        database = await stack.enter_async_context(Database.opened(settings.database_url, tracer=core.telemetry.tracer))
        redis = await stack.enter_async_context(opened_redis(settings.redis_url))
        org_tree = OrgTree(core.channel(settings.gateway_address), redis, core.log, core.verifier.refuse_below)
        await stack.enter_async_context(org_tree.following())

        catalogue, index_catalogue = SqlCatalogue(database), SqlIndexCatalogue(database)
        embedders = _embedders(settings)
        indexes = vector_indexes(settings, core.log)
        stack.push_async_callback(indexes.close)
        answering = (await index_catalogue.claim(embedders.default)).answering.index
        spaces = Spaces(await Space.opened(answering, embedders, indexes))
        keywords = await keyword_index(settings, core.log)
        stack.push_async_callback(keywords.close)

        carrying = Carrying(catalogue, core.telemetry)
        following = Following(spaces, indexes, embedders, index_catalogue, core.log)
        generations = Generations(spaces, keywords, catalogue, carrying, following.follow, core.telemetry)
        rebuilding = Rebuilding(
            spaces,
            indexes,
            embedders,
            catalogue,
            index_catalogue,
            generations,
            carrying,
            following,
            core.log,
            # No other process opens an embedded engine.
            grace_seconds=_GRACE_SECONDS if settings.qdrant_url else 0.0,
        )
        stack.push_async_callback(rebuilding.close)
        stack.push_async_callback(following.close)
        await rebuilding.resume()
        followed = repeating(following.follow, FOLLOW_SECONDS, core.log, "indexes_not_followed")
        await stack.enter_async_context(running(followed))
        # Nothing of a removed document answers meanwhile: a search server may be down now.
        clearing = repeating(generations.clear_removed, _CLEAR_EVERY_SECONDS, core.log, "removed_documents_not_cleared")
        await stack.enter_async_context(running(clearing))

        spent = ModelSpending(core.telemetry.registry)
        reranker = _reranker(settings, core.telemetry, spent)
        if reranker is not None:
            stack.push_async_callback(reranker.close)
        paraphraser = _paraphraser(settings, core.telemetry, spent)
        if paraphraser is not None:
            stack.push_async_callback(paraphraser.close)
        searching = Searching(
            spaces,
            Channels(keywords, _channel_settings(settings), core.telemetry, core.log),
            Paraphrasing(paraphraser, settings.paraphrase_seconds, core.telemetry, core.log),
            Reranking(
                reranker, RerankSettings(settings.rerank_candidates, settings.rerank_seconds), core.telemetry, core.log
            ),
            catalogue,
            org_tree.expand,
            partial(_managed_domains, org_tree),
            _ranking_settings(settings),
            terms_of,
        )
        api = RetrievalApi(
            searching,
            Reading(spaces, catalogue, org_tree.expand, core.telemetry),
            Indexing(generations, core.telemetry, core.log),
            generations,
            Copying(spaces, catalogue, generations, core.log),
            Comparing(spaces, core.telemetry),
            Status(spaces, embedders, catalogue, rebuilding),
            rebuilding,
        )
        await stack.enter_async_context(core.serve(ACCESS, partial(add_RetrievalServiceServicer_to_server, api)))
        yield


def _managed_domains(org_tree: OrgTree) -> list[ManagedDomain]:
    return [
        ManagedDomain(domain.code, domain.name, domain.description, domain.owner_org_tag) for domain in org_tree.domains
    ]


def _embedders(settings: Settings) -> ConfiguredEmbedders:
    """All that can be used; the first one is the one to use."""
    configured = [
        ConfiguredEmbedder(
            IndexName(endpoint.model, endpoint.dimension),
            partial(_http_embedder, endpoint),
            endpoint.calibration or known_calibration(endpoint.model),
        )
        for endpoint in settings.endpoints
    ]
    local = ConfiguredEmbedder(
        IndexName(MODEL, DIMENSION), partial(_local_embedder, settings.data_dir), known_calibration(MODEL)
    )
    configured.insert(1 if settings.embedding_model else 0, local)
    calibration = settings.calibration or configured[0].calibration
    if settings.vector_floor:
        # A floor across scripts that was found beside another floor says nothing beside this one.
        calibration = replace(calibration, vector_floor=settings.vector_floor, cross_script_floor=None)
    return ConfiguredEmbedders([replace(configured[0], calibration=calibration), *configured[1:]])


def _http_embedder(endpoint: EndpointEmbedder) -> Embedder:
    return HttpEmbedder(
        endpoint.model,
        endpoint.dimension,
        endpoint.api_base,
        endpoint.api_key,
        query_prefix=endpoint.query_prefix,
        passage_prefix=endpoint.passage_prefix,
    )


def _local_embedder(data_dir: Path) -> Embedder:
    local = LocalEmbedder(child_command(bundled_weights(), data_dir / "embedder"))
    local.start()
    return local


def _ranking_settings(settings: Settings) -> Callable[[Calibration], RankingSettings]:
    """How passages are ranked that were found with a model whose cosines mean this."""
    return partial(
        RankingSettings,
        keyword_floor=settings.keyword_floor,
        fusion=settings.fusion,
        vector_weight=settings.vector_weight,
        per_source=settings.per_source,
    )


def _channel_settings(settings: Settings) -> ChannelSettings:
    return ChannelSettings(
        settings.candidates, -(-settings.candidates // 2), settings.vector_seconds, settings.keyword_seconds
    )


def _paraphraser(settings: Settings, telemetry: Telemetry, spent: Spent) -> Paraphraser | None:
    if settings.paraphrase == "off":
        return None
    model = build_small_model(load(ModelSettings), tracer=telemetry.tracer, monotonic=time.monotonic, spent=spent)
    if model is None:
        raise ValueError("RETRIEVAL_PARAPHRASE=model needs LLM_MODEL")
    return ModelParaphraser(model, ParaphrasePrompt())


def _reranker(settings: Settings, telemetry: Telemetry, spent: Spent) -> Reranker | None:
    if settings.rerank == "endpoint":
        return HttpReranker(settings.rerank_model, settings.rerank_api_base, settings.rerank_api_key)
    if settings.rerank == "model":
        model = build_small_model(load(ModelSettings), tracer=telemetry.tracer, monotonic=time.monotonic, spent=spent)
        if model is None:
            raise ValueError("RETRIEVAL_RERANK=model needs LLM_MODEL")
        return ModelReranker(model, RerankPrompt())
    return None
