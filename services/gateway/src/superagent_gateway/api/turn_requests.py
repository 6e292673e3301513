"""What a person asks, as the orchestrator takes it."""

from __future__ import annotations

from superagent.orchestrator.v1.orchestrator_pb2 import StartTurnRequest
from superagent_common.ids import new_id
from superagent_gateway.api.models.turns import ChatBody
from superagent_gateway.api.presenters.values import MODES, STRATEGIES, numbers

_MODES = numbers(MODES)
_STRATEGIES = numbers(STRATEGIES)


def start_request(body: ChatBody, idempotency_key: str | None) -> StartTurnRequest:
    """The request for a new turn."""
    return StartTurnRequest(
        message=body.message,
        conversation_id=body.conversation_id or "",
        time_zone=body.time_zone or "",
        memory_strategy=_STRATEGIES[body.memory_strategy or "UNSPECIFIED"],
        domains=body.domains or (),
        skill=body.skill or "",
        mode=_MODES[body.mode or "UNSPECIFIED"],
        # Never without: the call is tried again when the answer is lost, and must not ask twice.
        idempotency_key=idempotency_key or new_id(),
    )
