"""Settings of the orchestrator service."""

from __future__ import annotations

from typing import Literal

from pydantic import DirectoryPath, Field
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with ORCHESTRATOR_."""

    model_config = SettingsConfigDict(env_prefix="ORCHESTRATOR_")

    database_url: str
    """The service's own database, `sqlite:///path`."""
    redis_url: str = Field(validation_alias="REDIS_URL")
    """Redis, `redis://host:port`."""
    kafka_brokers: str = Field(validation_alias="KAFKA_BROKERS")
    """Kafka brokers, `host:port` separated by commas."""
    memory_address: str = Field(validation_alias="MEMORY_ADDRESS")
    """memory's gRPC door, host:port."""
    agent_executor_address: str = Field(validation_alias="AGENT_EXECUTOR_ADDRESS")
    """agent-executor's gRPC door, host:port."""
    retrieval_address: str = Field(validation_alias="RETRIEVAL_ADDRESS")
    """retrieval's gRPC door, host:port."""
    event_retention_hours: float = Field(default=24, gt=0)
    """How long a turn's events can be resumed."""
    catalogue_seconds: float = Field(default=30, ge=0)
    """How long a person's list of knowledge domains is kept; a changed document forgets it at once."""
    skills_seconds: float = Field(default=30, ge=0)
    """How long the executor's list of skills is kept."""
    listing_seconds: float = Field(default=3, gt=0)
    """How long either list may take to come; then it is planned without."""
    planner: Literal["auto", "rules"] = "auto"
    """Who plans: `auto` asks a model when one is configured and the rules are not sure, `rules` never does."""
    prompts_dir: DirectoryPath | None = None
    """Folder with prompts (`plan.md`, `repair.md`) in place of the shipped ones."""
    prompts_check_seconds: float = Field(default=2.0, gt=0)
    """How often that folder is looked at for changes."""
    planning_seconds: float = Field(default=8, gt=0)
    """How long a model may plan, repair included, before the rules do."""
