"""Every provider that LiteLLM knows: for those that do not speak OpenAI's protocol.

Imported only when a configured provider needs it: the library costs seconds and some 200 MB, and many times the CPU of
plain HTTP for each event.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
from collections.abc import AsyncGenerator
from typing import Any

from opentelemetry.trace import Tracer
from pydantic import SecretStr

from superagent_common.errors import ServiceError, Timeout
from superagent_common.llm.chat_stream import ChatStreamReader, answer_of_document
from superagent_common.llm.dialect import message_document, tool_document, with_instruction
from superagent_common.llm.failures import bad_response, failure_of_status, stream_broken
from superagent_common.llm.port import ModelAnswer, ModelEvent, ModelRequest
from superagent_common.llm.price import Price
from superagent_common.llm.spans import ModelCallSpan
from superagent_common.llm.timeouts import CallDeadlines, Deadline, Timeouts

_MILLION = 1_000_000


class LiteLLMModel:
    """One model of one provider. A `LanguageModel`.

    model: `provider/name`, for example anthropic/claude-sonnet-4-5; ValueError for a provider that LiteLLM does not know.
    api_key, api_base: None for what LiteLLM finds in the provider's own environment variables.
    price: None for that of LiteLLM's own table, which comes with it.
    """

    def __init__(
        self,
        model: str,
        api_base: str | None,
        api_key: SecretStr | None,
        *,
        tracer: Tracer,
        price: Price | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.name = model
        self._litellm = _litellm()
        _check_provider(self._litellm, model)
        self._api_base = api_base
        self._api_key = api_key
        self._tracer = tracer
        self._price = price or _listed_price(self._litellm, model)
        self._timeouts = timeouts or Timeouts()
        self._schemas = self._litellm.supports_response_schema(model=model)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        deadlines = CallDeadlines(self._timeouts)
        deadline = deadlines.first_token
        reader = ChatStreamReader(self.name, self._price)
        with self._span(request, stream=True) as span:
            chunks = await self._call(request, deadline, stream=True)
            try:
                while (chunk := await self._next(chunks, deadline, reader)) is not None:
                    for event in reader.take(chunk.model_dump(exclude_none=True)):
                        span.began()
                        yield event
                    if reader.started:
                        deadline = deadlines.next_piece(deadline, reader.finished)
            finally:
                await chunks.aclose()
            ending = reader.end()
            span.finished(ending.finish_reason, ending.usage, reader.response_model)
        for told in ending.events():
            yield told

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        deadline = CallDeadlines(self._timeouts).whole
        with self._span(request, stream=False) as span:
            response = await self._call(request, deadline, stream=False)
            answer, response_model = answer_of_document(response.model_dump(exclude_none=True), self.name, self._price)
            span.finished(answer.finish_reason, answer.usage, response_model)
        return answer

    async def close(self) -> None:
        """LiteLLM keeps its connections for all models of the process, and closes them with it."""

    def _span(self, request: ModelRequest, *, stream: bool) -> ModelCallSpan:
        provider = self.name.partition("/")[0]
        return ModelCallSpan(self._tracer, request, model=self.name, stream=stream, provider=provider)

    async def _call(self, request: ModelRequest, deadline: Deadline, *, stream: bool) -> Any:
        try:
            async with asyncio.timeout_at(deadline.at):
                return await self._litellm.acompletion(**self._arguments(request, stream=stream))
        except TimeoutError:
            raise deadline.failure() from None
        except Exception as error:  # noqa: BLE001 - of any type; `from None`, as they quote prompts and keys
            raise self._failure(error) from None

    async def _next(self, chunks: Any, deadline: Deadline, reader: ChatStreamReader) -> Any:
        """The next chunk; None at the end. An answer that is whole already survives what happens after it."""
        try:
            async with asyncio.timeout_at(deadline.at):
                return await anext(chunks, None)
        except TimeoutError:
            failure: ServiceError = deadline.failure()
        except Exception as error:  # noqa: BLE001 - as above
            failure = stream_broken() if reader.started else self._failure(error)
        if reader.finished:
            return None
        raise failure

    def _arguments(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        # Lone surrogates, which UTF-8 cannot carry, become question marks.
        written = json.dumps([message_document(message) for message in request.messages], ensure_ascii=False)
        messages = json.loads(written.encode("utf-8", "replace"))
        arguments: dict[str, Any] = {
            "model": self.name,
            "messages": messages,
            "stream": stream,
            "timeout": self._timeouts.whole,
            # Tiers and breakers are ours.
            "num_retries": 0,
            "max_retries": 0,
            # What a provider does not know is left out.
            "drop_params": True,
        }
        if stream:
            arguments["stream_options"] = {"include_usage": True}
        if self._api_base:
            arguments["api_base"] = self._api_base
        if self._api_key:
            arguments["api_key"] = self._api_key.get_secret_value()
        if request.max_output_tokens is not None:
            arguments["max_tokens"] = request.max_output_tokens
        if request.temperature is not None:
            arguments["temperature"] = request.temperature
        if request.tools:
            arguments["tools"] = list(map(tool_document, request.tools))
            if request.tool_choice == "none":
                arguments["tool_choice"] = "none"
        schema = request.response_schema
        if schema is not None and self._schemas:
            described = {"name": schema.name, "schema": schema.schema, "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": described}
        elif schema is not None:
            arguments["messages"] = with_instruction(messages, json.dumps(schema.schema, ensure_ascii=False))
        return arguments

    def _failure(self, error: Exception) -> ServiceError:
        """The kind of what LiteLLM raised; its text may hold the key or a prompt and goes nowhere."""
        if isinstance(error, ServiceError):
            return error
        if isinstance(error, self._litellm.Timeout):
            return Timeout("model_timeout", "the model did not answer in time")
        status = getattr(error, "status_code", None)
        if isinstance(status, int) and 400 <= status < 600:
            headers = getattr(getattr(error, "response", None), "headers", None)
            return failure_of_status(status, headers or {}, b"")
        return bad_response(f"what LiteLLM cannot read ({type(error).__name__})")


def _litellm() -> Any:
    # Before the import: it would fetch prices from the internet.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    module: Any = importlib.import_module("litellm")
    module.suppress_debug_info = True
    module.telemetry = False
    # It logs requests it failed with.
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return module


def _check_provider(litellm: Any, model: str) -> None:
    try:
        litellm.get_llm_provider(model)
    except litellm.BadRequestError:
        message = (
            f"LiteLLM knows no provider for the model {model}; an endpoint of OpenAI's protocol needs LLM_API_BASE"
        )
        raise ValueError(message) from None


def _listed_price(litellm: Any, model: str) -> Price | None:
    try:
        info = litellm.get_model_info(model)
    except Exception:  # noqa: BLE001 - what it raises for a model it does not list is a bare Exception
        return None
    costs = info.get("input_cost_per_token"), info.get("output_cost_per_token")
    return None if None in costs else Price(costs[0] * _MILLION, costs[1] * _MILLION)
