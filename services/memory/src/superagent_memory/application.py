"""Use cases of conversations, each for the person who calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from superagent_common.errors import InvalidInput, NotFound
from superagent_common.ids import is_id, new_id
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_memory.domain import Conversation, Strategy, Turn, checked_title, title_from, turns_needed, window
from superagent_memory.ports import ConversationStore

DEFAULT_STRATEGY: Strategy = "summary"
_QUERY_CHARACTERS = 200


class Memory:
    """Conversations: another person's are NotFound, exactly as unknown ones."""

    def __init__(self, store: ConversationStore, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._store = store
        self._clock = clock

    async def create(self, user_id: str, conversation_id: str, title: str, strategy: Strategy | None) -> Conversation:
        """Makes a conversation, or returns it when this user made it before."""
        if conversation_id and not is_id(conversation_id):
            raise InvalidInput("invalid_conversation_id", "A conversation id is a UUID.")
        now = self._clock()
        return await self._store.create(
            Conversation(
                conversation_id or new_id(), user_id, title_from(title), strategy or DEFAULT_STRATEGY, now, now
            )
        )

    async def load(
        self, user_id: str, conversation_id: str, strategy: Strategy | None
    ) -> tuple[Conversation, Strategy, tuple[Turn, ...]]:
        """What a turn may see: the conversation, the strategy used, and the verbatim turns, oldest first."""
        found = await self._store.get_with_newest(user_id, conversation_id, turns_needed(strategy or "sliding_window"))
        if found is None:
            raise _unknown()
        conversation, newest = found
        used = strategy or conversation.strategy
        return conversation, used, window(used, newest)

    async def append(self, user_id: str, conversation_id: str, turn: Turn) -> None:
        """Stores a turn; the same turn again changes nothing."""
        if not await self._store.append(user_id, conversation_id, replace(turn, stored_at=self._clock())):
            raise _unknown()

    async def page(self, user_id: str, text: str, limit: int, cursor: str) -> tuple[Sequence[Conversation], str]:
        """Conversations that hold `text` (all when empty) and the cursor of the next page."""
        if len(text) > _QUERY_CHARACTERS:
            raise InvalidInput("query_too_long", f"A search has at most {_QUERY_CHARACTERS} characters.")
        size = page_limit(limit)
        rows = await self._store.find(user_id, text, decode_cursor(cursor), size + 1)
        more = encode_cursor(rows[size - 1].updated_at, rows[size - 1].conversation_id) if len(rows) > size else ""
        return rows[:size], more

    async def get(
        self, user_id: str, conversation_id: str, limit: int, cursor: str
    ) -> tuple[Conversation, Sequence[Turn], str]:
        """A conversation, a page of its turns (oldest first) and the cursor of the next page."""
        conversation = await self._own(user_id, conversation_id)
        size = page_limit(limit)
        after = decode_cursor(cursor)
        rows = await self._store.turns(conversation_id, after[0] if after else 0, size + 1)
        more = encode_cursor(rows[size - 1][0], rows[size - 1][1].turn_id) if len(rows) > size else ""
        return conversation, [turn for _, turn in rows[:size]], more

    async def update(
        self, user_id: str, conversation_id: str, title: str | None, strategy: Strategy | None
    ) -> Conversation:
        """Changes what is given."""
        conversation = await self._own(user_id, conversation_id)
        changed = replace(
            conversation,
            title=conversation.title if title is None else checked_title(title),
            strategy=strategy or conversation.strategy,
        )
        await self._store.update(changed)
        return changed

    async def delete(self, user_id: str, conversation_id: str) -> None:
        """Deletes a conversation and all it holds."""
        if not await self._store.delete(user_id, conversation_id):
            raise _unknown()

    async def _own(self, user_id: str, conversation_id: str) -> Conversation:
        conversation = await self._store.get(user_id, conversation_id)
        if conversation is None:
            raise _unknown()
        return conversation


def _unknown() -> NotFound:
    return NotFound("unknown_conversation", "There is no such conversation.")
