"""Settings of the gateway."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with GATEWAY_; addresses (host:port) and REDIS_URL have no prefix.

    `http_listen` (host:port) is the public door, `listen` the internal gRPC one. `admin_password_file` receives the
    first administrator's name and generated password, a line each; without it they are printed once. `trusted_proxies`
    are the addresses whose X-Forwarded-For counts, separated by commas. `part_bytes` must be at least ingestion's part size.
    `llm_model` is the name that /about shows; the services that speak to the model read the same variable.
    """

    model_config = SettingsConfigDict(env_prefix="GATEWAY_")

    http_listen: str
    database_url: str
    redis_url: str = Field(validation_alias="REDIS_URL")
    static_dir: Path | None = None
    admin_password_file: Path | None = None
    trusted_proxies: str = ""

    orchestrator_address: str = Field(validation_alias="ORCHESTRATOR_ADDRESS")
    agent_executor_address: str = Field(validation_alias="AGENT_EXECUTOR_ADDRESS")
    memory_address: str = Field(validation_alias="MEMORY_ADDRESS")
    retrieval_address: str = Field(validation_alias="RETRIEVAL_ADDRESS")
    ingestion_address: str = Field(validation_alias="INGESTION_ADDRESS")
    trace_address: str = Field(validation_alias="TRACE_ADDRESS")

    llm_model: str = Field(default="", validation_alias="LLM_MODEL")

    body_bytes: int = Field(default=256 * 1024, ge=1024)
    part_bytes: int = Field(default=5 * 1024 * 1024, ge=1024)
    body_seconds: float = Field(default=30.0, gt=0)
    heartbeat_seconds: float = Field(default=15.0, gt=0)
    configuration_seconds: float = Field(default=30.0, gt=0)

    registrations_per_10_minutes: int = Field(default=20, ge=1)
    logins_per_minute: int = Field(default=30, ge=1)
    chats_per_minute: int = Field(default=30, ge=1)
