"""Language models: one port, an adapter for OpenAI-compatible endpoints, primary and backup with circuit breakers."""

from superagent_common.llm.factory import ModelSettings, build_model, build_small_model
from superagent_common.llm.openai_compatible import OpenAICompatibleModel, Timeouts
from superagent_common.llm.port import (
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
from superagent_common.llm.price import Price
from superagent_common.llm.resilient import ResilientModel

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
    "build_small_model",
]
