"""Settings of the gateway."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with GATEWAY_."""

    model_config = SettingsConfigDict(env_prefix="GATEWAY_")

    http_listen: str
    """The public door: where HTTP is served, host:port."""
    database_url: str
    """The service's own database, `sqlite:///path`."""
    redis_url: str = Field(validation_alias="REDIS_URL")
    """Redis, `redis://host:port`."""
    static_dir: Path | None = None
    """Folder of the built page; unset serves the API alone."""
    admin_password_file: Path | None = None
    """Receives the first administrator's name and generated password, a line each; unset prints them once."""
    trusted_proxies: str = ""
    """Addresses whose X-Forwarded-For counts, separated by commas."""

    orchestrator_address: str = Field(validation_alias="ORCHESTRATOR_ADDRESS")
    """orchestrator's gRPC door, host:port."""
    agent_executor_address: str = Field(validation_alias="AGENT_EXECUTOR_ADDRESS")
    """agent-executor's gRPC door, host:port."""
    memory_address: str = Field(validation_alias="MEMORY_ADDRESS")
    """memory's gRPC door, host:port."""
    retrieval_address: str = Field(validation_alias="RETRIEVAL_ADDRESS")
    """retrieval's gRPC door, host:port."""
    ingestion_address: str = Field(validation_alias="INGESTION_ADDRESS")
    """ingestion's gRPC door, host:port."""
    trace_address: str = Field(validation_alias="TRACE_ADDRESS")
    """trace's gRPC door, host:port."""

    llm_model: str = Field(default="", validation_alias="LLM_MODEL")
    """The name that /about shows; the services that speak to the model read the same variable."""

    body_bytes: int = Field(default=256 * 1024, ge=1024)
    """Largest request body apart from uploaded parts and chat completions, and largest message of a WebSocket."""
    completion_bytes: int = Field(default=4 * 1024 * 1024, ge=1024)
    """Largest body of an OpenAI-compatible chat completion: its client sends the whole conversation every time."""
    part_bytes: int = Field(default=5 * 1024 * 1024, ge=1024)
    """Largest uploaded part; at least ingestion's part size."""
    body_seconds: float = Field(default=30.0, gt=0)
    """How long a body or a viewer may stand still."""
    heartbeat_seconds: float = Field(default=15.0, gt=0)
    """How often a quiet event stream says that it is alive, and a WebSocket is pinged."""
    configuration_seconds: float = Field(default=30.0, gt=0)
    """How often the configuration is read again without a signal."""

    registrations_per_10_minutes: int = Field(default=20, ge=1)
    """By address; beyond it the answer is 429."""
    logins_per_minute: int = Field(default=30, ge=1)
    """By address."""
    chats_per_minute: int = Field(default=30, ge=1)
    """By person."""
