"""What memory needs from the outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from superagent_memory.domain import Conversation, Turn


class ConversationStore(Protocol):
    """Conversations of people. What is not the user's is as good as unknown: None, or nothing changed."""

    async def create(self, conversation: Conversation) -> Conversation:
        """Stores it, or returns the stored one when this user has it already. Raises NotFound for another's id."""

    async def get(self, user_id: str, conversation_id: str) -> Conversation | None: ...

    async def get_with_newest(
        self, user_id: str, conversation_id: str, turns: int
    ) -> tuple[Conversation, Sequence[Turn]] | None:
        """The conversation and its newest turns, oldest first."""

    async def append(self, user_id: str, conversation_id: str, turn: Turn) -> bool:
        """Stores a turn once; False when the conversation is not this user's."""

    async def turns(self, conversation_id: str, after: int, limit: int) -> Sequence[tuple[int, Turn]]:
        """Turns behind a position, with their positions, oldest first."""

    async def find(self, user_id: str, text: str, before: tuple[int, str] | None, limit: int) -> Sequence[Conversation]:
        """Conversations by last activity, newest first, before a cursor; an empty `text` matches all."""

    async def update(self, conversation: Conversation) -> None:
        """Writes title and strategy."""

    async def delete(self, user_id: str, conversation_id: str) -> bool:
        """Whether there was one to delete."""
