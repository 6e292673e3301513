"""What may be asked, and whether a request with a known key asks for the same again."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.errors import Conflict, InvalidInput
from superagent_orchestrator.domain.planning.cleaning import clean_question
from superagent_orchestrator.ports import TurnRow

_MAX_HISTORY = 50
_MAX_HISTORY_BYTES = 200_000
_MAX_DOMAINS = 100
_MAX_CODE = 200


def check_new(request: orchestrator_pb2.StartTurnRequest) -> None:
    """As `check_request`, for what a client sent: its history goes with a new conversation only, and all has a bound."""
    check_request(request)
    check_key(request.idempotency_key)
    if request.mode not in plan_pb2.Mode.values():
        raise InvalidInput("unknown_mode", "There is no such mode.")
    if request.memory_strategy not in plan_pb2.MemoryStrategy.values():
        raise InvalidInput("unknown_memory_strategy", "There is no such memory strategy.")
    if len(request.domains) > _MAX_DOMAINS or max(map(len, request.domains), default=0) > _MAX_CODE:
        raise InvalidInput(
            "invalid_domains", f"Up to {_MAX_DOMAINS} domains, with codes of up to {_MAX_CODE} characters."
        )
    if len(request.skill) > _MAX_CODE:
        raise InvalidInput("unknown_skill", "There is no such skill.")
    size = sum(turn.ByteSize() for turn in request.history)
    if request.history and (
        request.conversation_id or len(request.history) > _MAX_HISTORY or size > _MAX_HISTORY_BYTES
    ):
        raise InvalidInput(
            "invalid_history",
            f"A history of up to {_MAX_HISTORY} turns and {_MAX_HISTORY_BYTES} bytes goes with a new conversation.",
        )


def check_key(idempotency_key: str) -> None:
    """Raises InvalidInput for a key that is none: it is looked up in every database as it stands."""
    if len(idempotency_key) > _MAX_CODE or not (idempotency_key == "" or idempotency_key.isprintable()):
        raise InvalidInput("invalid_idempotency_key", f"A key has up to {_MAX_CODE} characters that can be seen.")


def check_request(request: orchestrator_pb2.StartTurnRequest) -> None:
    """Cleans the question. Raises InvalidInput for what no plan can be made of."""
    request.message = clean_question(request.message)
    if request.mode in (plan_pb2.MODE_CLARIFY, plan_pb2.MODE_WORKFLOW):
        raise InvalidInput("mode_not_requestable", "This mode is not a client's to choose.")
    if request.max_output_tokens < 0:
        raise InvalidInput("invalid_max_output_tokens", "An answer has at least one token.")
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
