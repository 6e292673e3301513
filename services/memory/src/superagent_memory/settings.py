"""Settings of the memory service."""

from __future__ import annotations

from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings


class Settings(ServiceSettings):
    """Environment names begin with MEMORY_."""

    model_config = SettingsConfigDict(env_prefix="MEMORY_")

    database_url: str
    """The service's own database, `sqlite:///path`."""
