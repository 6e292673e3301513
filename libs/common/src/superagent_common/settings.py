"""Settings: one frozen model per service, read from the environment, refused with a line a person understands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

LogLevel = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(str.upper)]


class ServiceSettings(BaseSettings):
    """What every service is told. A subclass sets `env_prefix` (for example `MEMORY_`); names with an alias have none.

    `listen` and `metrics_listen` are `host:port`; an empty `metrics_listen` serves no metrics, an empty
    `otlp_endpoint` exports no spans.
    """

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True)

    listen: str
    metrics_listen: str = ""
    reflection: bool = True
    keys_dir: Path = Field(validation_alias="KEYS_DIR")
    otlp_endpoint: str = Field(default="", validation_alias="OTLP_ENDPOINT")
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1, validation_alias="TRACE_SAMPLE_RATIO")
    log_level: LogLevel = Field(default="INFO", validation_alias="LOG_LEVEL")
    stop_grace_seconds: float = Field(default=3.0, ge=0, validation_alias="STOP_GRACE_SECONDS")


S = TypeVar("S", bound=BaseSettings)


def load(settings: type[S]) -> S:
    """Reads the settings, or prints one line per fault and exits with 1."""
    try:
        return settings()
    except ValidationError as error:
        prefix = settings.model_config.get("env_prefix", "")
        for fault in error.errors(include_input=False, include_url=False):
            name = str(fault["loc"][0]) if fault["loc"] else "settings"
            name = name if name.isupper() else (prefix + name).upper()
            sys.stderr.write(f"{name}: {fault['msg']}\n")
        raise SystemExit(1) from None
