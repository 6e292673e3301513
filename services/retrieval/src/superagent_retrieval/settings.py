"""Settings of the retrieval service."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with RETRIEVAL_; the embedder's with EMBEDDING_."""

    model_config = SettingsConfigDict(env_prefix="RETRIEVAL_")

    database_url: str
    """The service's own database, `sqlite:///path`."""
    data_dir: Path
    """Folder of the embedded indexes and of the local embedder's files."""
    redis_url: str = Field(validation_alias="REDIS_URL")
    """Redis, `redis://host:port`."""
    gateway_address: str = Field(validation_alias="GATEWAY_ADDRESS")
    """The gateway's gRPC door (ConfigService), host:port."""
    vector_floor: float = Field(default=0.0, ge=-1, le=1)
    """Cosine below which a vector hit does not count; 0 takes what the local model was calibrated to, else 0.45."""
    channel_seconds: float = Field(default=5, gt=0)
    """How long one search may wait for one channel."""

    embedding_model: str = Field(default="", validation_alias="EMBEDDING_MODEL")
    """Empty means the local model."""
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

    @model_validator(mode="after")
    def _endpoint_is_complete(self) -> Self:
        if self.embedding_model and not (self.embedding_api_base and self.embedding_dimension):
            raise ValueError("EMBEDDING_MODEL needs EMBEDDING_API_BASE and EMBEDDING_DIMENSION")
        return self
