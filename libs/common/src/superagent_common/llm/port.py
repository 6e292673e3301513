"""The one way services talk to a language model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from superagent_common.errors import Exhausted, Timeout, Unavailable

QUEUE_FULL = "model_queue_full"
"""Reason of the failure of a call that found the provider's queue full: nothing was asked of the model."""
SAID_NOTHING = "model_said_nothing"
"""Reason of the failure of a call whose answer holds neither words nor tool calls."""

Role = Literal["system", "user", "assistant", "tool"]
Purpose = Literal["answer", "plan", "question", "agent", "summary", "title", "follow_ups", "chunking", "rerank"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "other"]
TierName = Literal["primary", "backup"]

MODEL_FAILURES = (Unavailable, Exhausted, Timeout)
"""Every way a call can fail: what to catch in order to go on without the model."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool; `arguments` is the JSON text as the model wrote it, not validated."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """`tool_calls` belongs to the assistant's messages, `tool_call_id` to those of role `tool`."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """`parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ResponseSchema:
    """The answer shall be one JSON object of this schema. The endpoint may not keep to it: validate the text."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `purpose` goes to spans and to the endpoint as the header `x-superagent-purpose`.

    max_output_tokens, temperature: None leaves them to the endpoint. tool_choice `none`: the answer shall be words,
    though the tools stay in the request, as endpoints want them beside earlier tool calls; it may call one all the same.
    prompt: name and content hash of what the request was made of (`superagent_common.prompt_library`), for the span.
    """

    messages: tuple[Message, ...]
    purpose: Purpose
    tools: tuple[Tool, ...] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    response_schema: ResponseSchema | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text that UTF-8 and any database can carry: without halves of characters and NUL."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """Of the same kind of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, by `model`; `cost` in the currency of the configured prices, None without prices.

    Estimated where the endpoint does not tell.
    """

    model: str
    input_tokens: int
    output_tokens: int
    cost: float | None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """The model speaks: what the call has cost, whoever leaves it now; its words so far not counted."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Degraded:
    """Another tier than the primary answers; `reason` is that of the primary's failure."""

    tier: TierName
    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class Queued:
    """The provider is busy: the call stands at `position`, from 1, in the queue for `model`."""

    position: int
    model: str


@dataclass(frozen=True, slots=True)
class Finished:
    reason: FinishReason


ModelEvent = Queued | TextDelta | ThinkingDelta | ToolCall | Begun | Usage | Degraded | Finished
"""Order in a stream: Queued while it waits, Degraded if any, deltas, complete tool calls, Usage if it is told, Finished.

Begun comes behind the first delta or tool call, if that is shown; Usage is the last event before a failure in mid-answer.
"""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    text: str
    tool_calls: tuple[ToolCall, ...]
    usage: Usage | None
    finish_reason: FinishReason
    degraded: Degraded | None = None


class LanguageModel(Protocol):
    """A model that may be called by many tasks at once. Failures are those of `MODEL_FAILURES`."""

    @property
    def name(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Events as they come; ends after Finished or raises.

        Closing the generator cancels the call at the endpoint at once: read it inside `contextlib.aclosing`.
        Text that came before a failure has been delivered.
        """
        ...

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """The whole answer; cancelling the task cancels the call."""
        ...

    async def close(self) -> None: ...
