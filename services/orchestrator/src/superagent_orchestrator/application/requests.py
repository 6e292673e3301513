"""What may be asked, and whether a request with a known key asks for the same again."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.errors import Conflict, InvalidInput
from superagent_orchestrator.domain.planning.cleaning import clean_question
from superagent_orchestrator.ports import TurnRow

_MAX_HISTORY = 50


def check_new(request: orchestrator_pb2.StartTurnRequest) -> None:
    """As `check_request`, for what a client sent: its history goes with a new conversation only."""
    check_request(request)
    if request.history and (request.conversation_id or len(request.history) > _MAX_HISTORY):
        raise InvalidInput("invalid_history", f"A history of up to {_MAX_HISTORY} turns goes with a new conversation.")


def check_request(request: orchestrator_pb2.StartTurnRequest) -> None:
    """Cleans the question. Raises InvalidInput for what no plan can be made of."""
    request.message = clean_question(request.message)
    if request.mode in (plan_pb2.MODE_CLARIFY, plan_pb2.MODE_WORKFLOW):
        raise InvalidInput("mode_not_requestable", "This mode is not a client's to choose.")
    if request.time_zone:
        try:
            ZoneInfo(request.time_zone)
        except (ValueError, OSError, KeyError) as error:
            raise InvalidInput("unknown_time_zone", "Give an IANA time zone, for example Asia/Shanghai.") from error


def last_turn(newest: TurnRow) -> str:
    """The turn that stands last in a conversation whose newest turn is over.

    One that was to replace another and said nothing did not take its place.
    """
    record = newest.record
    if not newest.replaces_turn_id or record is None:
        return newest.turn_id
    stored = any(stage.name == "archive" and stage.state != events_pb2.STAGE_STATE_SKIPPED for stage in record.stages)
    return newest.turn_id if stored else newest.replaces_turn_id


def check_chat_repeated(known: TurnRow, request: orchestrator_pb2.StartTurnRequest, conversation_id: str) -> None:
    """Raises Conflict when `known` was asked for by another request than this one, made in `conversation_id`."""
    same_place = conversation_id in ("", known.conversation_id)
    if known.replaces_turn_id or known.replays_turn_id or not same_place or _asked(known.request) != _asked(request):
        raise _reused(known)


def check_regenerate_repeated(known: TurnRow, message: str, replaced: TurnRow) -> None:
    """As above, for asking again in the place of `replaced`, or of what that was to replace itself."""
    in_place_of = {replaced.turn_id, replaced.replaces_turn_id} - {""}
    if known.replaces_turn_id not in in_place_of or known.request.message != message:
        raise _reused(known)


def check_replay_repeated(known: TurnRow, turn_id: str) -> None:
    """As above, for running the plan of a turn again."""
    if known.replays_turn_id != turn_id:
        raise _reused(known)


def _asked(request: orchestrator_pb2.StartTurnRequest) -> orchestrator_pb2.StartTurnRequest:
    """All that was asked but where: a new conversation has got its id meanwhile."""
    asked = orchestrator_pb2.StartTurnRequest()
    asked.CopyFrom(request)
    asked.ClearField("conversation_id")
    return asked


def _reused(known: TurnRow) -> Conflict:
    return Conflict("idempotency_key_reused", "This idempotency key asked for something else.", turn_id=known.turn_id)
