"""Why a conversation takes no turn now."""

from __future__ import annotations

from superagent_common.errors import Conflict


def busy(turn_id: str) -> Conflict:
    """Its turn `turn_id` still runs."""
    return Conflict("conversation_busy", "The last question is still being answered.", turn_id=turn_id)


def not_the_last_turn(turn_id: str) -> Conflict:
    """Only the last turn can be replaced, which is `turn_id`."""
    return Conflict("not_the_last_turn", "Only the last answer can be replaced.", turn_id=turn_id)
