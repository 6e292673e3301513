"""Turns that are over, as events: what a person wants remembered, and what is to be done for the conversation."""

from __future__ import annotations

from collections.abc import Callable

from superagent.orchestrator.v1.events_pb2 import STAGE_STATE_FAILED, TurnCompleted
from superagent_common.bus import Event
from superagent_common.clock import SECOND
from superagent_common.db import Connection
from superagent_common.ids import new_id
from superagent_memory.adapters.sql_person import add_item, remembered_since
from superagent_memory.adapters.sql_summaries import make_due, state_in
from superagent_memory.application import Folding
from superagent_memory.domain.conversations import wants_title
from superagent_memory.domain.wishes import Item, wish_of

_LATE = 15 * SECOND
"""After this the orchestrator, which tries every five seconds, has handed over what memory could not take."""


class CompletedTurns:
    """Handles `superagent.turn.completed.v1`. The work itself is left to whoever takes the conversation next."""

    def __init__(
        self, folding: Folding, wake_soon: Callable[[], None], clock: Callable[[], int], *, writes_titles: bool
    ) -> None:
        self._folding = folding
        self._wake_soon = wake_soon
        self._clock = clock
        self._writes_titles = writes_titles

    async def handle(self, connection: Connection, event: Event[TurnCompleted]) -> None:
        """Costs two reads unless there is something to do."""
        record = event.message.turn
        found = await state_in(connection, record.conversation_id)
        # Deleted since, or another person's by a producer's fault.
        if found is None or found[0].user_id != record.user_id:
            return
        conversation, summary = found
        if wish := wish_of(record.plan.original_question):
            since = await remembered_since(connection, record.user_id)
            # What was said before it was allowed is not meant.
            if since is not None and record.started_at.ToMicroseconds() >= since:
                item = Item(new_id(), record.user_id, wish, conversation.conversation_id, self._clock())
                await add_item(connection, item)
        if any(stage.name == "archive" and stage.state == STAGE_STATE_FAILED for stage in record.stages):
            # Memory was away when the turn ended, and gets it only after its event.
            await make_due(connection, conversation.conversation_id, self._clock() + _LATE)
            return
        titled = self._writes_titles and wants_title(conversation)
        if titled or self._folding.is_due(conversation, summary):
            await make_due(connection, conversation.conversation_id, self._clock())
            self._wake_soon()
