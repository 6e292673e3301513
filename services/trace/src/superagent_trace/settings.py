"""Settings of the trace service."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with TRACE_."""

    model_config = SettingsConfigDict(env_prefix="TRACE_")

    database_url: str
    """The service's own database, `sqlite:///path`."""
    kafka_brokers: str = Field(validation_alias="KAFKA_BROKERS")
    """Kafka brokers, `host:port` separated by commas."""
    span_retention_days: float = Field(default=7, gt=0)
    """Spans older than this are deleted; turns stay."""
