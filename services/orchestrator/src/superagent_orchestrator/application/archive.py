"""Puts turns into their conversations: what memory cannot take now is kept, and given to it when it answers again."""

from __future__ import annotations

from superagent.memory.v1 import memory_pb2
from superagent_common.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    ServiceError,
    Timeout,
    Unavailable,
)
from superagent_common.identity import Identity, acting_as, current_principal
from superagent_common.logging import Logger
from superagent_orchestrator.ports import Conversations, UnstoredTurn, UnstoredTurns

# What memory says no to. Whatever else it fails with says nothing of the turn, which waits then.
_REFUSALS = (InvalidInput, NotFound, Forbidden, Conflict, AlreadyExists)


class Archive:
    """What has been said, on its way to memory."""

    def __init__(self, conversations: Conversations, unstored: UnstoredTurns, logger: Logger) -> None:
        self._conversations = conversations
        self._unstored = unstored
        self._logger = logger

    async def add(self, request: memory_pb2.AppendTurnRequest) -> str:
        """Stores a turn for the person in the current identity; empty, or why it is kept for later.

        Raises what memory refuses the turn with.
        """
        try:
            await self._conversations.append(request)
        except _REFUSALS:
            raise
        except ServiceError as error:
            await self._unstored.keep(UnstoredTurn(request, current_principal()))
            self._logger.warning("turn_kept_for_memory", turn_id=request.turn.turn_id, reason=error.reason)
            return error.reason
        return ""

    async def catch_up(self, conversation_id: str = "") -> None:
        """Gives memory what waits for it, of one conversation or of all.

        Raises Unavailable while memory does not answer, or cannot take what one conversation lacks.
        """
        failing: set[str] = set()
        # Asked each time: another replica may have kept something a moment ago.
        for turn in await self._unstored.waiting(conversation_id):
            # The order of a conversation's turns holds; one that cannot be stored keeps no other conversation waiting.
            if turn.request.conversation_id not in failing and not await self._stored(turn):
                failing.add(turn.request.conversation_id)
        if conversation_id in failing:
            raise Unavailable("turn_not_stored", "The last answer could not be stored yet.")

    async def _stored(self, turn: UnstoredTurn) -> bool:
        turn_id = turn.request.turn.turn_id
        try:
            with acting_as(Identity(turn.principal)):
                await self._conversations.append(turn.request)
        except (Unavailable, Timeout):
            raise
        except _REFUSALS as error:
            # Its conversation was deleted meanwhile, for example: memory will not have it later either.
            self._logger.error("turn_refused_by_memory", turn_id=turn_id, reason=error.reason)
        except ServiceError as error:
            self._logger.error("turn_not_given_to_memory", turn_id=turn_id, reason=error.reason)
            return False
        else:
            self._logger.info("turn_given_to_memory", turn_id=turn_id)
        await self._unstored.forget(turn_id)
        return True
