"""Composition root of the retrieval service."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial

from superagent.retrieval.v1.retrieval_pb2_grpc import add_RetrievalServiceServicer_to_server
from superagent_common.db import Database, migrate
from superagent_common.llm import ModelSettings, build_small_model
from superagent_common.org_tree import OrgTree
from superagent_common.redis_client import opened_redis
from superagent_common.runtime import service_core
from superagent_common.settings import load
from superagent_common.tasks import repeating, running
from superagent_common.telemetry import Telemetry
from superagent_retrieval.adapters.engines import keyword_index, vector_indexes
from superagent_retrieval.adapters.http_embedder import HttpEmbedder
from superagent_retrieval.adapters.http_reranker import HttpReranker
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command
from superagent_retrieval.adapters.model_reranker import ModelReranker
from superagent_retrieval.adapters.sql_catalogue import SqlCatalogue
from superagent_retrieval.api import ACCESS, RetrievalApi
from superagent_retrieval.application.channels import Channels, ChannelSettings
from superagent_retrieval.application.comparing import Comparing
from superagent_retrieval.application.copying import Copying
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.indexing import Indexing
from superagent_retrieval.application.reading import Reading
from superagent_retrieval.application.reranking import Reranking, RerankSettings
from superagent_retrieval.application.searching import Searching
from superagent_retrieval.domain.calibrations import known_calibration
from superagent_retrieval.domain.catalogue import ManagedDomain
from superagent_retrieval.domain.ranking import RankingSettings
from superagent_retrieval.ports import Embedder, Reranker
from superagent_retrieval.prompts import RerankPrompt
from superagent_retrieval.settings import Settings

_CLEAR_EVERY_SECONDS = 3_600.0


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

        embedder, ready = _embedder(settings)
        stack.push_async_callback(embedder.close)
        catalogue = SqlCatalogue(database)
        await catalogue.claim_embedding(embedder.model, embedder.dimension)
        indexes = vector_indexes(settings, core.log)
        stack.push_async_callback(indexes.close)
        vectors = await indexes.open(embedder.model, embedder.dimension)
        keywords = await keyword_index(settings, core.log)
        stack.push_async_callback(keywords.close)

        ranking = ranking_settings(settings, embedder.model)
        reranker = _reranker(settings, core.telemetry)
        if reranker is not None:
            stack.push_async_callback(reranker.close)
        searching = Searching(
            Channels(vectors, keywords, embedder, _channel_settings(settings), core.telemetry, core.log),
            Reranking(
                reranker, RerankSettings(settings.rerank_candidates, settings.rerank_seconds), core.telemetry, core.log
            ),
            catalogue,
            org_tree.expand,
            partial(_managed_domains, org_tree),
            ranking,
            terms_of,
        )
        reading = Reading(vectors, catalogue, org_tree.expand, core.telemetry)
        generations = Generations(vectors, keywords, catalogue, core.telemetry)
        # Nothing of a removed document answers meanwhile: a search server may be down now.
        clearing = repeating(generations.clear_removed, _CLEAR_EVERY_SECONDS, core.log, "removed_documents_not_cleared")
        await stack.enter_async_context(running(clearing))
        api = RetrievalApi(
            searching,
            reading,
            Indexing(vectors, embedder, generations, core.telemetry, core.log),
            generations,
            Copying(vectors, catalogue, generations, core.log),
            Comparing(embedder, core.telemetry),
            catalogue,
            embedder,
            ready,
            ranking,
        )
        await stack.enter_async_context(core.serve(ACCESS, partial(add_RetrievalServiceServicer_to_server, api)))
        yield


def _managed_domains(org_tree: OrgTree) -> list[ManagedDomain]:
    return [
        ManagedDomain(domain.code, domain.name, domain.description, domain.owner_org_tag) for domain in org_tree.domains
    ]


def _embedder(settings: Settings) -> tuple[Embedder, Callable[[], bool]]:
    """The configured embedder, and whether it can answer right now."""
    if settings.embedding_model:
        remote = HttpEmbedder(
            settings.embedding_model,
            settings.embedding_dimension,
            settings.embedding_api_base,
            settings.embedding_api_key,
            query_prefix=settings.embedding_query_prefix,
            passage_prefix=settings.embedding_passage_prefix,
        )
        return remote, lambda: True
    local = LocalEmbedder(child_command(bundled_weights(), settings.data_dir / "embedder"))
    local.start()
    return local, lambda: local.ready


def ranking_settings(settings: Settings, model: str) -> RankingSettings:
    """How passages found with an embedding model are ranked."""
    calibration = settings.calibration or known_calibration(model)
    if settings.vector_floor:
        # A floor across scripts that was found beside another floor says nothing beside this one.
        calibration = replace(calibration, vector_floor=settings.vector_floor, cross_script_floor=None)
    return RankingSettings(
        calibration,
        keyword_floor=settings.keyword_floor,
        fusion=settings.fusion,
        vector_weight=settings.vector_weight,
        per_source=settings.per_source,
    )


def _channel_settings(settings: Settings) -> ChannelSettings:
    return ChannelSettings(
        settings.candidates, -(-settings.candidates // 2), settings.vector_seconds, settings.keyword_seconds
    )


def _reranker(settings: Settings, telemetry: Telemetry) -> Reranker | None:
    if settings.rerank == "endpoint":
        return HttpReranker(settings.rerank_model, settings.rerank_api_base, settings.rerank_api_key)
    if settings.rerank == "model":
        model = build_small_model(load(ModelSettings), tracer=telemetry.tracer, monotonic=time.monotonic)
        if model is None:
            raise ValueError("RETRIEVAL_RERANK=model needs LLM_MODEL")
        return ModelReranker(model, RerankPrompt())
    return None
