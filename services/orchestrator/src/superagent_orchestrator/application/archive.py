"""Puts turns into their conversations: what memory cannot take now is kept, and given to it when it answers again."""

from __future__ import annotations

from superagent.memory.v1 import memory_pb2
from superagent_common.errors import ServiceError, Timeout, Unavailable
from superagent_common.identity import Identity, acting_as, current_principal
from superagent_common.logging import Logger
from superagent_orchestrator.ports import Conversations, UnstoredTurn, UnstoredTurns


class Archive:
    """What has been said, on its way to memory."""

    def __init__(self, conversations: Conversations, unstored: UnstoredTurns, logger: Logger) -> None:
        self._conversations = conversations
        self._unstored = unstored
        self._logger = logger
        # Whether something may wait; a replica learns of what others keep when it looks the next time.
        self._waiting = True

    async def add(self, request: memory_pb2.AppendTurnRequest) -> str:
        """Stores a turn for the person in the current identity; empty, or why it is kept for later.

        Raises what memory refuses the turn with.
        """
        try:
            await self._conversations.append(request)
        except (Unavailable, Timeout) as error:
            await self._unstored.keep(UnstoredTurn(request, current_principal()))
            self._waiting = True
            self._logger.warning("turn_kept_for_memory", turn_id=request.turn.turn_id, reason=error.reason)
            return error.reason
        return ""

    async def catch_up(self, conversation_id: str = "") -> None:
        """Gives memory what waits for it, of one conversation or of all. Raises Unavailable while it does not answer."""
        if not (conversation_id and not self._waiting):
            waiting = await self._unstored.waiting(conversation_id)
            for turn in waiting:
                await self._store(turn)
            if not conversation_id:
                self._waiting = bool(waiting)

    async def _store(self, turn: UnstoredTurn) -> None:
        turn_id = turn.request.turn.turn_id
        try:
            with acting_as(Identity(turn.principal)):
                await self._conversations.append(turn.request)
        except (Unavailable, Timeout):
            raise
        except ServiceError as error:
            # Its conversation was deleted meanwhile, for example: memory will not have it later either.
            self._logger.error("turn_refused_by_memory", turn_id=turn_id, reason=error.reason)
        else:
            self._logger.info("turn_given_to_memory", turn_id=turn_id)
        await self._unstored.forget(turn_id)
