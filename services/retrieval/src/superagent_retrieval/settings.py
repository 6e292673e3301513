"""Settings of the retrieval service."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings
from superagent_retrieval.adapters.local_embedder.embedder import MODEL as LOCAL_MODEL
from superagent_retrieval.domain.floors import Calibration

# A password in the address would show in logs.
_SERVER = "^(https?://[^/@]+/?)?$"


class EndpointEmbedder(BaseModel):
    """An embedding model at an OpenAI-compatible endpoint; see the settings EMBEDDING_*."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1, max_length=200)
    api_base: str = Field(min_length=1)
    api_key: SecretStr | None = None
    dimension: int = Field(gt=0)
    query_prefix: str = ""
    passage_prefix: str = ""
    calibration: Calibration | None = None


class Settings(ServiceSettings):
    """Environment names begin with RETRIEVAL_; the embedder's with EMBEDDING_."""

    model_config = SettingsConfigDict(env_prefix="RETRIEVAL_")

    database_url: str
    """The service's own database, `sqlite:///path`."""
    data_dir: Path
    """Folder of the embedded indexes and of the local embedder's files."""
    qdrant_url: str = Field(default="", pattern=_SERVER, validation_alias="QDRANT_URL")
    """The gRPC door of a Qdrant server, `http://host:6334` or `https://`; empty keeps vectors in the data folder."""
    qdrant_api_key: SecretStr | None = Field(default=None, validation_alias="QDRANT_API_KEY")
    """Qdrant's API key."""
    opensearch_url: str = Field(default="", pattern=_SERVER, validation_alias="OPENSEARCH_URL")
    """An OpenSearch server, `http://host:9200` or `https://`; empty keeps the keyword index in the data folder."""
    opensearch_user: str = Field(default="", validation_alias="OPENSEARCH_USER")
    """Name for OpenSearch's basic authentication; needs OPENSEARCH_PASSWORD."""
    opensearch_password: SecretStr | None = Field(default=None, validation_alias="OPENSEARCH_PASSWORD")
    """Password for OpenSearch's basic authentication."""
    index_prefix: str = Field(default="superagent", pattern="^[a-z0-9][a-z0-9-]{0,49}$")
    """What the names of collections and indexes on those servers begin with: each installation has its own."""
    redis_url: str = Field(validation_alias="REDIS_URL")
    """Redis, `redis://host:port`."""
    gateway_address: str = Field(validation_alias="GATEWAY_ADDRESS")
    """The gateway's gRPC door (ConfigService), host:port."""
    calibration: Calibration | None = None
    """What the cosines of the chosen embedding model mean, that of EMBEDDING_MODEL or the local one, as
    `python -m evals.calibrate` prints it (JSON). Unset takes what is known of the model, else a floor of 0.45 alone."""
    vector_floor: float = Field(default=0.0, ge=-1, le=1)
    """Cosine below which a vector hit does not count, in place of the calibrated one; 0 leaves that."""
    keyword_floor: float = Field(default=0.35, ge=0, le=1)
    """Share of the best keyword score below which a keyword hit does not count."""
    fusion: Literal["weighted", "reciprocal_rank"] = "weighted"
    """How the two channels become one list: by stretched scores, or by rank alone."""
    vector_weight: float = Field(default=0.5, ge=0, le=1)
    """Weight of the vector channel with `weighted`; the keyword channel has the rest, and half of that where even its best
    passage says none of the words."""
    candidates: int = Field(default=50, ge=1, le=500)
    """Hits that each channel recalls for a form of the question; half as many for one with hints."""
    per_source: int = Field(default=2, ge=1)
    """Passages of one document before others had their turn."""
    vector_seconds: float = Field(default=5, gt=0)
    """How long a search waits for the vector channel, embedding the question included."""
    keyword_seconds: float = Field(default=5, gt=0)
    """How long a search waits for the keyword channel."""

    paraphrase: Literal["off", "model"] = "off"
    """Whether the language model of LLM_MODEL says each question in three other ways, which are searched as well."""
    paraphrase_seconds: float = Field(default=3, gt=0)
    """How long a search waits for that; then the question is searched alone."""

    rerank: Literal["off", "endpoint", "model"] = "off"
    """Who judges the best candidates again: nobody, the endpoint of RERANK_API_BASE, or the language model of LLM_MODEL."""
    rerank_candidates: int = Field(default=30, ge=2, le=200)
    """How many candidates are judged again."""
    rerank_seconds: float = Field(default=2, gt=0)
    """How long a search waits for that; then the order stays as it was. A model needs 5 or more."""
    rerank_model: str = Field(default="", validation_alias="RERANK_MODEL")
    """Name of the endpoint's model, for example `BAAI/bge-reranker-v2-m3`."""
    rerank_api_base: str = Field(default="", validation_alias="RERANK_API_BASE")
    """An endpoint that serves `/rerank` as Cohere, Jina and SiliconFlow do, up to and including its version."""
    rerank_api_key: SecretStr | None = Field(default=None, validation_alias="RERANK_API_KEY")
    """Sent as a bearer token."""

    embedding_model: str = Field(default="", validation_alias="EMBEDDING_MODEL")
    """The model to embed with; empty means the local one. Once documents are indexed with another, that one answers until
    an administrator has the index rebuilt."""
    embedding_api_base: str = Field(default="", validation_alias="EMBEDDING_API_BASE")
    """An OpenAI-compatible endpoint for embeddings, up to and including its version."""
    embedding_api_key: SecretStr | None = Field(default=None, validation_alias="EMBEDDING_API_KEY")
    """Sent as a bearer token."""
    embedding_dimension: int = Field(default=0, ge=0, validation_alias="EMBEDDING_DIMENSION")
    """Length of the endpoint's vectors."""
    embedding_query_prefix: str = Field(default="", validation_alias="EMBEDDING_QUERY_PREFIX")
    """What the model wants in front of a question; E5 models want `query: `."""
    embedding_passage_prefix: str = Field(default="", validation_alias="EMBEDDING_PASSAGE_PREFIX")
    """What the model wants in front of a passage; E5 models want `passage: `."""

    embedders: tuple[EndpointEmbedder, ...] = ()
    """Further embedding endpoints, to switch between (JSON list): each with `model`, `api_base` and `dimension`, and where
    needed `api_key` (secret), `query_prefix`, `passage_prefix`, `calibration`. The local model is always there."""

    @property
    def endpoints(self) -> tuple[EndpointEmbedder, ...]:
        """All endpoints, that of EMBEDDING_MODEL first."""
        if not self.embedding_model:
            return self.embedders
        chosen = EndpointEmbedder(
            model=self.embedding_model,
            api_base=self.embedding_api_base,
            api_key=self.embedding_api_key,
            dimension=self.embedding_dimension,
            query_prefix=self.embedding_query_prefix,
            passage_prefix=self.embedding_passage_prefix,
        )
        return (chosen, *self.embedders)

    @model_validator(mode="after")
    def _endpoint_is_complete(self) -> Self:
        if self.embedding_model and not (self.embedding_api_base and self.embedding_dimension):
            raise ValueError("EMBEDDING_MODEL needs EMBEDDING_API_BASE and EMBEDDING_DIMENSION")
        if self.rerank == "endpoint" and not (self.rerank_model and self.rerank_api_base):
            raise ValueError("RETRIEVAL_RERANK=endpoint needs RERANK_MODEL and RERANK_API_BASE")
        if self.opensearch_user and self.opensearch_password is None:
            raise ValueError("OPENSEARCH_USER needs OPENSEARCH_PASSWORD")
        names = [LOCAL_MODEL, *(endpoint.model for endpoint in self.endpoints)]
        if len(set(names)) < len(names):
            raise ValueError("RETRIEVAL_EMBEDDERS names a model twice, that of EMBEDDING_MODEL or the local one")
        return self
