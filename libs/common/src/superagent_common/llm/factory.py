"""From settings to a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self
from urllib.parse import urlsplit

from opentelemetry.trace import Tracer
from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from superagent_common.endpoint import bearer_token
from superagent_common.llm.openai_compatible import OpenAICompatibleModel, Timeouts
from superagent_common.llm.port import LanguageModel
from superagent_common.llm.price import Price
from superagent_common.llm.resilient import ResilientModel

_TIMEOUTS = Timeouts()


class ModelSettings(BaseSettings):
    """The environment's `LLM_…`; empty values count as unset. Without `LLM_MODEL` there is no model.

    The backup is another model at the same endpoint, unless it has its own `LLM_BACKUP_API_BASE`; then it has its own
    key too, and the primary's is not sent there. Prices are per million tokens. Time-outs are those of `Timeouts`.
    """

    model_config = SettingsConfigDict(
        env_prefix="LLM_", env_ignore_empty=True, frozen=True, extra="ignore", hide_input_in_errors=True
    )

    model: str | None = None
    """Name of the model that answers; unset means that no model is configured."""
    api_base: str | None = None
    """An OpenAI-compatible endpoint up to and including its version, such as https://api.openai.com/v1."""
    api_key: SecretStr | None = None
    """Sent as a bearer token."""
    price_input: float | None = Field(default=None, ge=0)
    """Price of a million input tokens, for the cost shown with each turn."""
    price_output: float | None = Field(default=None, ge=0)
    """Price of a million output tokens."""
    backup_model: str | None = None
    """Answers when the first model does not."""
    backup_api_base: str | None = None
    """The backup's endpoint when it is another one."""
    backup_api_key: SecretStr | None = None
    """The backup's key at its own endpoint; the first model's is not sent there."""
    backup_price_input: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_INPUT, for the backup."""
    backup_price_output: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_OUTPUT, for the backup."""
    small_model: str | None = None
    """A cheaper model at the first one's endpoint that plans turns; unset means the first one does."""
    small_price_input: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_INPUT, for the small model."""
    small_price_output: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_OUTPUT, for the small model."""
    connect_timeout_seconds: float = Field(default=_TIMEOUTS.connect, gt=0)
    """How long connecting may take."""
    first_token_timeout_seconds: float = Field(default=_TIMEOUTS.first_token, gt=0)
    """How long the first token may take."""
    between_tokens_timeout_seconds: float = Field(default=_TIMEOUTS.between_tokens, gt=0)
    """How long the next token may take."""
    timeout_seconds: float = Field(default=_TIMEOUTS.whole, gt=0)
    """How long a whole answer may take."""

    @field_validator("api_key", "backup_api_key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None:
            bearer_token(key)
        return key

    @field_validator("api_base", "backup_api_base")
    @classmethod
    def _is_an_endpoint(cls, url: str | None) -> str | None:
        if url is not None:
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
                raise ValueError("give a URL such as https://api.openai.com/v1, without credentials or query")
        return url

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.model is not None and self.api_base is None:
            raise ValueError("LLM_MODEL needs LLM_API_BASE, for example https://api.openai.com/v1")
        if self.backup_model is not None and self.model is None:
            raise ValueError("LLM_BACKUP_MODEL needs LLM_MODEL")
        if (self.price_input is None) != (self.price_output is None):
            raise ValueError("LLM_PRICE_INPUT and LLM_PRICE_OUTPUT belong together")
        if self.small_model is not None and self.model is None:
            raise ValueError("LLM_SMALL_MODEL needs LLM_MODEL")
        if (self.small_price_input is None) != (self.small_price_output is None):
            raise ValueError("LLM_SMALL_PRICE_INPUT and LLM_SMALL_PRICE_OUTPUT belong together")
        if (self.backup_price_input is None) != (self.backup_price_output is None):
            raise ValueError("LLM_BACKUP_PRICE_INPUT and LLM_BACKUP_PRICE_OUTPUT belong together")
        return self


def build_model(settings: ModelSettings, *, tracer: Tracer, monotonic: Callable[[], float]) -> LanguageModel | None:
    """None: no model is configured, a supported state. The caller closes the model."""
    if settings.model is None or settings.api_base is None:
        return None
    primary = _first(settings, settings.api_base, tracer)
    backup = None
    if settings.backup_model is not None:
        own_endpoint = settings.backup_api_base is not None
        backup = OpenAICompatibleModel(
            settings.backup_model,
            settings.backup_api_base or settings.api_base,
            settings.backup_api_key if own_endpoint else settings.backup_api_key or settings.api_key,
            tracer=tracer,
            price=_price(settings.backup_price_input, settings.backup_price_output),
            timeouts=_timeouts(settings),
        )
    return ResilientModel(primary, backup, monotonic=monotonic)


def build_small_model(
    settings: ModelSettings, *, tracer: Tracer, monotonic: Callable[[], float]
) -> LanguageModel | None:
    """The model for small things such as planning, with the first one as its backup; without one as `build_model`."""
    if settings.small_model is None or settings.api_base is None:
        return build_model(settings, tracer=tracer, monotonic=monotonic)
    small = OpenAICompatibleModel(
        settings.small_model,
        settings.api_base,
        settings.api_key,
        tracer=tracer,
        price=_price(settings.small_price_input, settings.small_price_output),
        timeouts=_timeouts(settings),
    )
    return ResilientModel(small, _first(settings, settings.api_base, tracer), monotonic=monotonic)


def _first(settings: ModelSettings, api_base: str, tracer: Tracer) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(
        settings.model or "",
        api_base,
        settings.api_key,
        tracer=tracer,
        price=_price(settings.price_input, settings.price_output),
        timeouts=_timeouts(settings),
    )


def _timeouts(settings: ModelSettings) -> Timeouts:
    return Timeouts(
        settings.connect_timeout_seconds,
        settings.first_token_timeout_seconds,
        settings.between_tokens_timeout_seconds,
        settings.timeout_seconds,
    )


def _price(input_per_million: float | None, output_per_million: float | None) -> Price | None:
    if input_per_million is None or output_per_million is None:
        return None
    return Price(input_per_million, output_per_million)
