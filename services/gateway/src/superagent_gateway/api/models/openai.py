"""The body of `POST /v1/chat/completions`: what is used of it, and what must not be passed over in silence."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from superagent_gateway.api.models.base import Body, Code

# A bound of any size makes the validator refuse lone surrogates; how long a question may be is the orchestrator's rule.
_Text = Annotated[str, Field(max_length=2**20)]

_Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
MESSAGES = 20_000
"""Of a request; only the newest turns are looked at."""


class ContentPart(Body):
    type: Code
    text: _Text | None = None
    refusal: _Text | None = None


class ChatMessage(Body):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: _Text | list[ContentPart] | None = None
    tool_calls: list[Any] | None = None
    function_call: Any = None
    audio: Any = None


class StreamOptions(Body):
    include_usage: bool = False


class Metadata(Body):
    conversation_id: Code | None = None


class ChatCompletionBody(Body):
    model: Code
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MESSAGES)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    metadata: Metadata | None = None
    max_tokens: _Tokens | None = None
    max_completion_tokens: _Tokens | None = None
    n: int | None = None
    tools: Any = None
    functions: Any = None
    tool_choice: Any = None
    function_call: Any = None
    response_format: Any = None
    logprobs: Any = None
    top_logprobs: Any = None
    logit_bias: Any = None
    modalities: Any = None
    audio: Any = None
    stop: Any = None
    web_search_options: Any = None
