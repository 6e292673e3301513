"""From settings to a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, Self
from urllib.parse import urlsplit

from opentelemetry.trace import Tracer
from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from superagent_common.endpoint import bearer_token
from superagent_common.errors import Unauthenticated
from superagent_common.identity import current_identity
from superagent_common.llm.metered import MeteredModel
from superagent_common.llm.openai_compatible import OpenAICompatibleModel
from superagent_common.llm.port import LanguageModel
from superagent_common.llm.price import Price
from superagent_common.llm.provider_gate import ProviderGate, ProviderLimits
from superagent_common.llm.queued import QueuedModel
from superagent_common.llm.resilient import ResilientModel
from superagent_common.llm.spending import Spent, nobody_counts
from superagent_common.llm.timeouts import Timeouts

_TIMEOUTS = Timeouts()
_LIMITS = ProviderLimits()

Provider = Literal["openai_compatible", "litellm"]


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
    provider: Provider | None = None
    """`openai_compatible` speaks OpenAI's protocol with LLM_API_BASE; `litellm` needs the extra of that name and takes
    models as provider/name, such as anthropic/claude-sonnet-4-5. Unset: `litellm` for such a name without LLM_API_BASE."""
    api_key: SecretStr | None = None
    """Sent as a bearer token; LiteLLM also takes it from the provider's own variable, such as ANTHROPIC_API_KEY."""
    price_input: float | None = Field(default=None, ge=0)
    """Price of a million input tokens, for the cost shown with each turn."""
    price_output: float | None = Field(default=None, ge=0)
    """Price of a million output tokens."""
    backup_model: str | None = None
    """Answers when the first model does not."""
    backup_api_base: str | None = None
    """The backup's endpoint when it is another one."""
    backup_provider: Provider | None = None
    """As LLM_PROVIDER, for the backup; unset: as the first one's, unless the backup has an endpoint of its own."""
    backup_api_key: SecretStr | None = None
    """The backup's key at its own endpoint; the first model's is not sent there."""
    backup_price_input: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_INPUT, for the backup."""
    backup_price_output: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_OUTPUT, for the backup."""
    small_model: str | None = None
    """A cheaper model at the first one's endpoint that plans, completes questions, suggests and summarises; unset means
    that the first one does."""
    small_price_input: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_INPUT, for the small model."""
    small_price_output: float | None = Field(default=None, ge=0)
    """As LLM_PRICE_OUTPUT, for the small model."""
    max_concurrent: int = Field(default=_LIMITS.concurrent, ge=1)
    """How many calls one service has under way at one provider at a time."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """How many calls a minute one service makes to one provider; unset does not limit."""
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """How many tokens a minute one service uses at one provider; unset does not limit."""
    queue_length: int = Field(default=_LIMITS.queue_length, ge=0)
    """How many calls of one service may wait for one provider; those beyond are refused."""
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
        if self.model is not None and self.api_base is None and self.first_provider == "openai_compatible":
            raise ValueError(
                "LLM_MODEL needs LLM_API_BASE, for example https://api.openai.com/v1, "
                "or its provider in front for LiteLLM, as in anthropic/claude-sonnet-4-5"
            )
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
        if self.backup_model is not None and self.second_provider == "openai_compatible" and not self.backup_base:
            raise ValueError("LLM_BACKUP_MODEL needs LLM_BACKUP_API_BASE: the first model has no endpoint to share")
        wanted = self.model and self.first_provider, self.backup_model and self.second_provider
        if "litellm" in wanted and find_spec("litellm") is None:
            raise ValueError("this model needs LiteLLM, an extra: pip install 'superagent[litellm]'")
        return self

    @property
    def first_provider(self) -> Provider:
        """Who speaks to the first model."""
        if self.provider is not None:
            return self.provider
        named = self.model is not None and "/" in self.model.strip("/")
        return "litellm" if named and self.api_base is None else "openai_compatible"

    @property
    def second_provider(self) -> Provider:
        """Who speaks to the backup."""
        if self.backup_provider is not None:
            return self.backup_provider
        return "openai_compatible" if self.backup_api_base is not None else self.first_provider

    @property
    def backup_base(self) -> str | None:
        """The backup's endpoint; None where LiteLLM knows it."""
        shares = self.second_provider == self.first_provider
        return self.backup_api_base or (self.api_base if shares else None)


@dataclass(frozen=True, slots=True)
class Models:
    """Which model does what (EXEC-6): `small` does what is asked on the way to an answer. Both None: none is configured."""

    answering: LanguageModel | None
    small: LanguageModel | None

    async def close(self) -> None:
        if self.small is not None and self.small is not self.answering:
            await self.small.close()
        if self.answering is not None:
            await self.answering.close()


def build_models(
    settings: ModelSettings, *, tracer: Tracer, monotonic: Callable[[], float], spent: Spent = nobody_counts
) -> Models:
    """Both, behind the same gate for each provider. The caller closes them."""
    making = _Making(settings, tracer, monotonic, spent)
    answering = making.answering()
    return Models(answering, answering if settings.small_model is None else making.small())


def build_model(settings: ModelSettings, *, tracer: Tracer, monotonic: Callable[[], float]) -> LanguageModel | None:
    """The one that answers. None: no model is configured, a supported state. The caller closes the model."""
    return _Making(settings, tracer, monotonic, nobody_counts).answering()


def build_small_model(
    settings: ModelSettings, *, tracer: Tracer, monotonic: Callable[[], float], spent: Spent = nobody_counts
) -> LanguageModel | None:
    """The model for small things such as planning, with the first one as its backup; without one as `build_model`."""
    return _Making(settings, tracer, monotonic, spent).small()


class _Making:
    """Models of the same settings share what is of their provider."""

    def __init__(self, settings: ModelSettings, tracer: Tracer, monotonic: Callable[[], float], spent: Spent) -> None:
        self._spent = spent
        self._settings = settings
        self._tracer = tracer
        self._monotonic = monotonic
        self._gates: dict[str, ProviderGate] = {}

    def answering(self) -> LanguageModel | None:
        first = self._first(self._settings.model, self._settings.price_input, self._settings.price_output)
        return first and ResilientModel(first, self._backup(), monotonic=self._monotonic)

    def small(self) -> LanguageModel | None:
        settings = self._settings
        small = self._first(settings.small_model, settings.small_price_input, settings.small_price_output)
        if small is None:
            return self.answering()
        first = self._first(settings.model, settings.price_input, settings.price_output)
        return ResilientModel(small, first, monotonic=self._monotonic)

    def _first(self, model: str | None, price_input: float | None, price_output: float | None) -> LanguageModel | None:
        settings = self._settings
        price = _price(price_input, price_output)
        if model is None:
            return None
        return self._model(model, settings.first_provider, settings.api_base, settings.api_key, price)

    def _backup(self) -> LanguageModel | None:
        settings = self._settings
        if settings.backup_model is None:
            return None
        base = settings.backup_base
        own = settings.backup_api_base is not None or settings.second_provider != settings.first_provider
        key = settings.backup_api_key if own else settings.backup_api_key or settings.api_key
        price = _price(settings.backup_price_input, settings.backup_price_output)
        return self._model(settings.backup_model, settings.second_provider, base, key, price)

    def _model(
        self, name: str, provider: Provider, base: str | None, key: SecretStr | None, price: Price | None
    ) -> LanguageModel:
        timeouts = _timeouts(self._settings)
        if provider == "litellm":
            # Costly to import, and an extra.
            from superagent_common.llm.lite_llm import LiteLLMModel

            model: LanguageModel = LiteLLMModel(name, base, key, tracer=self._tracer, price=price, timeouts=timeouts)
            return self._queued(model, base or name.partition("/")[0], price)
        assert base is not None, "the settings see to it"
        model = OpenAICompatibleModel(name, base, key, tracer=self._tracer, price=price, timeouts=timeouts)
        return self._queued(model, base, price)

    def _queued(self, model: LanguageModel, place: str, price: Price | None) -> LanguageModel:
        """`place`: the provider, or its endpoint's URL."""
        settings = self._settings
        limits = ProviderLimits(
            settings.max_concurrent, settings.requests_per_minute, settings.tokens_per_minute, settings.queue_length
        )
        gate = self._gates.setdefault(urlsplit(place).netloc or place, ProviderGate(limits, self._monotonic))
        return QueuedModel(MeteredModel(model, price, self._spent), gate, _person, self._tracer)


def _person() -> str:
    """Whose call is being served; empty outside of one."""
    try:
        principal = current_identity().principal
    except Unauthenticated:
        return ""
    return principal.user_id if principal else ""


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
