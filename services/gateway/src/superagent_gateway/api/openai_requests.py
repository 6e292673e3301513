"""A chat completion's request as a turn: its last message is the question, the others are the history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from superagent.orchestrator.v1.orchestrator_pb2 import StartTurnRequest
from superagent.orchestrator.v1.plan_pb2 import MODE_DIRECT, MODE_RAG_CHAT, MODE_REACT_AGENT, MODE_UNSPECIFIED, PastTurn
from superagent_common.errors import InvalidInput, NotFound
from superagent_common.ids import new_id
from superagent_gateway.api.models.openai import ChatCompletionBody, ChatMessage

MODELS = {
    "super-agent": MODE_UNSPECIFIED,
    "super-agent:rag": MODE_RAG_CHAT,
    "super-agent:agent": MODE_REACT_AGENT,
    "super-agent:direct": MODE_DIRECT,
}
"""Names of models, each a mode; the first leaves it to the planner."""
HISTORY_TURNS = 6
"""As many turns as a memory's sliding window."""
HISTORY_CHARACTERS = 16_000
"""Questions and answers of the history together."""

# What would change the answer and is not done here, with what may be said all the same.
_REFUSED: dict[str, Callable[[Any], bool]] = {
    "n": lambda value: value == 1,
    "tools": lambda value: value == [],
    "functions": lambda value: value == [],
    "tool_choice": lambda value: value in ("none", "auto"),
    "function_call": lambda value: value in ("none", "auto"),
    "response_format": lambda value: isinstance(value, dict) and value.get("type") == "text",
    "logprobs": lambda value: value is False,
    "top_logprobs": lambda value: value == 0,
    "logit_bias": lambda value: value == {},
    "modalities": lambda value: value == ["text"],
    "audio": lambda value: False,
    "stop": lambda value: value == [],
    "web_search_options": lambda value: False,
}

_TEXT_PARTS = ("text", "refusal")


def completion_request(body: ChatCompletionBody, idempotency_key: str | None) -> StartTurnRequest:
    """The turn that is asked for. Raises InvalidInput with the `param` at fault, NotFound for an unknown model."""
    mode = MODELS.get(body.model)
    if mode is None:
        raise NotFound("model_not_found", f"There is no such model; there are {', '.join(MODELS)}.", param="model")
    for name, is_harmless in _REFUSED.items():
        value = getattr(body, name)
        if value is not None and not is_harmless(value):
            raise InvalidInput("unsupported_parameter", f"`{name}` is not supported here.", param=name)
    question, history = _said(body.messages)
    conversation_id = (body.metadata and body.metadata.conversation_id) or ""
    return StartTurnRequest(
        message=question,
        conversation_id=conversation_id,
        mode=mode,
        # An own conversation has a memory, which says more than a client's copy of it.
        history=[] if conversation_id else _newest(history),
        # Its client keeps it: one in the list for every completion would bury the person's own.
        unlisted=not conversation_id,
        max_output_tokens=body.max_completion_tokens or body.max_tokens or 0,
        idempotency_key=idempotency_key or new_id(),
    )


def _said(messages: Sequence[ChatMessage]) -> tuple[str, list[PastTurn]]:
    """The question, and the turns before it, oldest first. Instructions of the client's own system messages have no effect."""
    turns: list[PastTurn] = []
    waiting: list[str] = []
    for number, message in enumerate(messages):
        param = f"messages[{number}]"
        if message.role in ("tool", "function") or message.tool_calls or message.function_call is not None:
            raise InvalidInput(
                "unsupported_parameter", "Calls of a client's tools are not supported here.", param=param
            )
        text = _text(message, param)
        if message.role == "user":
            waiting.append(text)
        elif message.role == "assistant" and waiting:
            turns.append(PastTurn(question="\n\n".join(waiting), answer=text))
            waiting = []
        elif message.role == "assistant" and turns:
            turns[-1].answer += f"\n\n{text}"
    if not waiting:
        raise InvalidInput("no_question", "The last message must be the user's.", param="messages")
    return "\n\n".join(waiting), turns


def _text(message: ChatMessage, param: str) -> str:
    if message.audio is not None:
        raise _only_text(f"{param}.audio")
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    texts = [part.refusal if part.type == "refusal" else part.text for part in message.content]
    if any(text is None or part.type not in _TEXT_PARTS for part, text in zip(message.content, texts, strict=True)):
        raise _only_text(f"{param}.content")
    return "\n".join(filter(None, texts))


def _only_text(param: str) -> InvalidInput:
    return InvalidInput("unsupported_parameter", "Only text is understood here.", param=param)


def _newest(turns: list[PastTurn]) -> list[PastTurn]:
    """The newest turns that fit; none is cut."""
    left = HISTORY_CHARACTERS
    kept: list[PastTurn] = []
    for turn in reversed(turns[-HISTORY_TURNS:]):
        left -= len(turn.question) + len(turn.answer)
        if left < 0:
            break
        kept.append(turn)
    return kept[::-1]
