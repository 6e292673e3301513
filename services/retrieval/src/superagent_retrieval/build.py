"""Composition root of the retrieval service."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from superagent.retrieval.v1.retrieval_pb2_grpc import add_RetrievalServiceServicer_to_server
from superagent_common.db import Database, migrate
from superagent_common.logging import Logger
from superagent_common.org_tree import OrgTree
from superagent_common.redis_client import opened_redis
from superagent_common.runtime import service_core
from superagent_common.tasks import repeating, running
from superagent_retrieval.adapters.http_embedder import HttpEmbedder
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.adapters.sql_catalogue import SqlCatalogue
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.api import ACCESS, RetrievalApi
from superagent_retrieval.application.comparing import Comparing
from superagent_retrieval.application.copying import Copying
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.indexing import Indexing
from superagent_retrieval.application.reading import Reading
from superagent_retrieval.application.searching import Searching, SearchSettings
from superagent_retrieval.domain.catalogue import ManagedDomain
from superagent_retrieval.domain.ranking import RankingSettings
from superagent_retrieval.ports import Embedder
from superagent_retrieval.settings import Settings

LOCAL_VECTOR_FLOOR, LOCAL_CROSS_SCRIPT_FLOOR = 0.78, 0.70
"""Of multilingual-e5-small in int8, whose cosines are high and narrow: at least 99.9 % of the right passages of CMRC2018,
SQuAD2 and XQuAD are above, within a language and across, and 94 % of SQuAD2's questions' wrong ones of XQuAD below."""
DEFAULT_VECTOR_FLOOR = 0.45
"""RAG-1, for models that were not calibrated."""
_OPTIMIZE_EVERY_SECONDS = 10.0


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
        vectors = await QdrantEdgeVectorIndex.open(_vector_directory(settings.data_dir, embedder), embedder.dimension)
        stack.push_async_callback(vectors.close)
        # When it fails the index answers as before; it is tried again when enough has changed.
        optimizing = repeating(
            partial(_optimize, vectors, core.log),
            _OPTIMIZE_EVERY_SECONDS,
            core.log,
            "vector_index_not_optimized",
            after_seconds=_OPTIMIZE_EVERY_SECONDS,
        )
        await stack.enter_async_context(running(optimizing))
        keywords = await TantivyKeywordIndex.open(settings.data_dir / "keywords")
        stack.push_async_callback(keywords.close)

        ranking = _ranking_settings(settings)
        searching = Searching(
            vectors,
            keywords,
            embedder,
            catalogue,
            org_tree.expand,
            partial(_managed_domains, org_tree),
            SearchSettings(ranking, channel_seconds=settings.channel_seconds),
            core.telemetry,
            core.log,
        )
        reading = Reading(vectors, catalogue, org_tree.expand, core.telemetry)
        generations = Generations(vectors, keywords, catalogue, core.telemetry)
        await generations.clear_removed()
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
            ranking.vector_floor,
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


def _ranking_settings(settings: Settings) -> RankingSettings:
    if settings.vector_floor:
        return RankingSettings(vector_floor=settings.vector_floor)
    if settings.embedding_model:
        return RankingSettings(vector_floor=DEFAULT_VECTOR_FLOOR)
    return RankingSettings(vector_floor=LOCAL_VECTOR_FLOOR, cross_script_floor=LOCAL_CROSS_SCRIPT_FLOOR)


def _vector_directory(data_dir: Path, embedder: Embedder) -> Path:
    """An index is named by model and dimension (RAG-11)."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", embedder.model)
    return data_dir / "vectors" / f"{name}-{embedder.dimension}"


async def _optimize(vectors: QdrantEdgeVectorIndex, log: Logger) -> None:
    if await vectors.optimize_when_idle():
        log.info("vector_index_optimized")
