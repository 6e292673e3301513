"""Language models: one port, an adapter for OpenAI-compatible endpoints, primary and backup with circuit breakers."""

from superagent_common.llm.factory import Models, ModelSettings, build_model, build_models, build_small_model
from superagent_common.llm.metered import MeteredModel, estimated_tokens
from superagent_common.llm.openai_compatible import OpenAICompatibleModel
from superagent_common.llm.port import (
    MODEL_FAILURES,
    QUEUE_FULL,
    SAID_NOTHING,
    Begun,
    Degraded,
    Finished,
    FinishReason,
    LanguageModel,
    Message,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    Purpose,
    Queued,
    ResponseSchema,
    Role,
    TextDelta,
    ThinkingDelta,
    Tool,
    ToolCall,
    Usage,
)
from superagent_common.llm.price import Price
from superagent_common.llm.provider_gate import ProviderGate, ProviderLimits
from superagent_common.llm.queued import QueuedModel
from superagent_common.llm.resilient import ResilientModel
from superagent_common.llm.spending import ModelSpending, Spent
from superagent_common.llm.timeouts import Timeouts

__all__ = [
    "MODEL_FAILURES",
    "QUEUE_FULL",
    "SAID_NOTHING",
    "Begun",
    "Degraded",
    "FinishReason",
    "Finished",
    "LanguageModel",
    "Message",
    "MeteredModel",
    "ModelAnswer",
    "ModelEvent",
    "ModelRequest",
    "ModelSettings",
    "ModelSpending",
    "Models",
    "OpenAICompatibleModel",
    "Price",
    "ProviderGate",
    "ProviderLimits",
    "Purpose",
    "Queued",
    "QueuedModel",
    "ResilientModel",
    "ResponseSchema",
    "Role",
    "Spent",
    "TextDelta",
    "ThinkingDelta",
    "Timeouts",
    "Tool",
    "ToolCall",
    "Usage",
    "build_model",
    "build_models",
    "build_small_model",
    "estimated_tokens",
]
