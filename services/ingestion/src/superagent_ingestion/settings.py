"""Settings of the ingestion service and its workers."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with INGESTION_."""

    model_config = SettingsConfigDict(env_prefix="INGESTION_")

    database_url: str
    redis_url: str = Field(validation_alias="REDIS_URL")
    kafka_brokers: str = Field(validation_alias="KAFKA_BROKERS")
    s3_endpoint: str = Field(validation_alias="S3_ENDPOINT")
    s3_access_key: SecretStr = Field(validation_alias="S3_ACCESS_KEY")
    s3_secret_key: SecretStr = Field(validation_alias="S3_SECRET_KEY")
    s3_bucket: str = Field(validation_alias="S3_BUCKET")
    retrieval_address: str = Field(validation_alias="RETRIEVAL_ADDRESS")
    gateway_address: str = Field(validation_alias="GATEWAY_ADDRESS")
    worker_processes: int = Field(default=2, ge=1)
    """Documents that are worked on at once: with two, one is read while the other is embedded."""
    lease_seconds: float = Field(default=15, gt=0)
    """A worker that is silent for so long has lost its job to the next."""
    sweep_seconds: float = Field(default=2, gt=0)
    """How often jobs without a worker are looked for."""
    index_timeout_seconds: float = Field(default=3600, gt=0)
    """How long indexing one document may take."""
    job_limit_seconds: float = Field(default=7200, gt=0)
    """After so long a worker process is killed, whatever it does."""
    upload_days: float = Field(default=7, gt=0)
    """Uploads that are not completed are forgotten after so long (ING-17)."""
