"""Settings of the agent-executor service."""

from __future__ import annotations

from pydantic import DirectoryPath, Field
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with AGENT_EXECUTOR_. The model's own settings are `superagent_common.llm.ModelSettings`."""

    model_config = SettingsConfigDict(env_prefix="AGENT_EXECUTOR_")

    retrieval_address: str = Field(validation_alias="RETRIEVAL_ADDRESS")
    """retrieval's gRPC door, host:port."""
    search_timeout_seconds: float = Field(default=15.0, gt=0)
    """How long one search may take before the turn goes on without it."""
    skills_dir: DirectoryPath | None = None
    """Folder with skills (`**/SKILL.md`) beside the shipped ones, or in place of those of the same name."""
    skills_check_seconds: float = Field(default=2.0, gt=0)
    """How often that folder is looked at for changes."""
    prompts_dir: DirectoryPath | None = None
    """Folder with prompts and tool descriptions (`rag.md`, `tools/calculate.md` …) in place of the shipped ones."""
    prompts_check_seconds: float = Field(default=2.0, gt=0)
    """How often that folder is looked at for changes."""
