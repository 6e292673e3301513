"""Settings: one frozen model per service, read from the environment, refused with a line a person understands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

LogLevel = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(str.upper)]


class ServiceSettings(BaseSettings):
    """What every service is told. A subclass sets `env_prefix` (for example `MEMORY_`); names with an alias have none."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True)

    listen: str
    """Where the service's gRPC door listens, host:port."""
    metrics_listen: str = ""
    """Where Prometheus reads `/metrics`, host:port; unset serves none."""
    reflection: bool = True
    """Whether the gRPC door describes itself to tools such as grpcurl."""
    keys_dir: Path = Field(validation_alias="KEYS_DIR")
    """Folder of the key set that all services share."""
    otlp_endpoint: str = Field(default="", validation_alias="OTLP_ENDPOINT")
    """Where spans go, host:port of an OTLP gRPC receiver; unset exports none."""
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1, validation_alias="TRACE_SAMPLE_RATIO")
    """Share of turns that are traced."""
    log_level: LogLevel = Field(default="INFO", validation_alias="LOG_LEVEL")
    """How much is logged."""
    stop_grace_seconds: float = Field(default=3.0, ge=0, validation_alias="STOP_GRACE_SECONDS")
    """How long running requests may go on when the service is told to stop."""


S = TypeVar("S", bound=BaseSettings)


def load(settings: type[S]) -> S:
    """Reads the settings, or prints one line per fault and exits with 1."""
    prefix = settings.model_config.get("env_prefix", "")
    try:
        return settings()
    except SettingsError as error:
        # Of a list or object that is no JSON only its field is told, in quotes.
        field = (str(error).split('"')[1:2] or ["settings"])[0]
        sys.stderr.write(f"{(prefix + field).upper()}: Input should be valid JSON\n")
        raise SystemExit(1) from None
    except ValidationError as error:
        for fault in error.errors(include_input=False, include_url=False):
            name = str(fault["loc"][0]) if fault["loc"] else "settings"
            name = name if name.isupper() else (prefix + name).upper()
            sys.stderr.write(f"{name}: {fault['msg']}\n")
        raise SystemExit(1) from None
