"""Language models: one port, an adapter for OpenAI-compatible endpoints, primary and backup with circuit breakers."""

from .factory import ModelSettings, build_model
from .openai_compatible import OpenAICompatibleModel, Timeouts
from .port import (
    MODEL_FAILURES,
    Degraded,
    Finished,
    FinishReason,
    LanguageModel,
    Message,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    Purpose,
    ResponseSchema,
    Role,
    TextDelta,
    ThinkingDelta,
    Tool,
    ToolCall,
    Usage,
)
from .price import Price
from .resilient import ResilientModel

__all__ = [
    "MODEL_FAILURES",
    "Degraded",
    "FinishReason",
    "Finished",
    "LanguageModel",
    "Message",
    "ModelAnswer",
    "ModelEvent",
    "ModelRequest",
    "ModelSettings",
    "OpenAICompatibleModel",
    "Price",
    "Purpose",
    "ResilientModel",
    "ResponseSchema",
    "Role",
    "TextDelta",
    "ThinkingDelta",
    "Timeouts",
    "Tool",
    "ToolCall",
    "Usage",
    "build_model",
]
