"""Use cases of conversations, each for the person who calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from superagent_common.errors import InvalidInput, NotFound
from superagent_common.ids import is_id, new_id
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_memory.application.retention import Retention
from superagent_memory.domain.conversations import (
    Conversation,
    Exchange,
    Kind,
    Strategy,
    Turn,
    checked_title,
    storable,
    stored_bytes,
    title_from,
    without_nul,
)
from superagent_memory.domain.rules import DEFAULT_RULES, Rules
from superagent_memory.domain.summary import NO_SUMMARY, Summary
from superagent_memory.domain.window import seen_as, turns_needed, window
from superagent_memory.domain.wishes import shown_items
from superagent_memory.ports import ConversationStore

DEFAULT_STRATEGY: Strategy = "summary"
_QUERY_CHARACTERS = 200
_PAGE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Context:
    """What a turn may see of a conversation."""

    conversation: Conversation
    strategy: Strategy
    summary: Summary
    turns: tuple[Exchange, ...]
    long_term: tuple[str, ...]


class Memory:
    """Conversations: another person's are NotFound, exactly as unknown ones."""

    def __init__(
        self,
        store: ConversationStore,
        clock: Callable[[], int],
        rules: Rules = DEFAULT_RULES,
        retention: Retention | None = None,
    ) -> None:
        """`clock` gives microseconds since the epoch; without `retention` conversations stay."""
        self._store = store
        self._clock = clock
        self._rules = rules
        self._retention = retention
        self._turns = {name: turns_needed(name, rules) for name in get_args(Strategy)}

    async def create(
        self,
        user_id: str,
        conversation_id: str,
        title: str,
        strategy: Strategy | None,
        first_question: str = "",
        *,
        listed: bool = True,
    ) -> tuple[Conversation, tuple[str, ...]]:
        """Makes a conversation, or returns it when this user made it before, and what is remembered of the person.

        Raises NotFound for the id of another's conversation, or of a deleted one.

        Without a title the first question makes one, which a model may better.
        """
        if conversation_id and not is_id(conversation_id):
            raise InvalidInput("invalid_conversation_id", "A conversation id is a UUID.")
        now = self._clock()
        made = await self._store.create(
            Conversation(
                conversation_id or new_id(),
                user_id,
                checked_title(title) if title.strip() else title_from(first_question),
                not title.strip(),
                strategy or DEFAULT_STRATEGY,
                now,
                now,
                listed=listed,
            )
        )
        return made, shown_items(list(await self._store.long_term(user_id)))

    async def load(
        self,
        user_id: str,
        conversation_id: str,
        strategy: Strategy | None = None,
        kind: Kind = "chat",
        without_turn_id: str = "",
    ) -> Context:
        """What a turn of a kind may see. What it costs does not depend on the conversation's length."""
        found = await self._store.remembered(user_id, conversation_id, strategy, self._turns, without_turn_id)
        if found is None:
            raise unknown_conversation()
        if self._retention:
            await self._retention.renew(found.conversation)
        used = strategy or found.conversation.strategy
        return Context(
            found.conversation,
            used,
            found.summary if used == "summary" else NO_SUMMARY,
            seen_as(kind, window(used, found.newest, self._rules)),
            shown_items(list(found.long_term)),
        )

    async def append(self, user_id: str, conversation_id: str, turn: Turn, replaces_turn_id: str = "") -> None:
        """Stores a turn, in place of the last one when that is named; the same turn again changes nothing.

        Raises Conflict("not_the_last_turn") when another than the last one is named.
        """
        stored = replace(storable(turn), stored_at=self._clock())
        if not await self._store.append(user_id, conversation_id, stored, replaces_turn_id):
            raise unknown_conversation()

    async def page(
        self, user_id: str, text: str, limit: int, cursor: str, *, listed: bool = True
    ) -> tuple[Sequence[Conversation], str]:
        """Conversations that hold `text` (all when empty), listed or not, and the cursor of the next page."""
        text = without_nul(text)
        if len(text) > _QUERY_CHARACTERS:
            raise InvalidInput("query_too_long", f"A search has at most {_QUERY_CHARACTERS} characters.")
        size = page_limit(limit)
        rows = await self._store.find(user_id, text, decode_cursor(cursor), size + 1, listed=listed)
        more = encode_cursor(rows[size - 1].updated_at, rows[size - 1].conversation_id) if len(rows) > size else ""
        return rows[:size], more

    async def get(
        self, user_id: str, conversation_id: str, limit: int, cursor: str
    ) -> tuple[Conversation, Summary, Sequence[Turn], str]:
        """A conversation, its summary, a page of its turns (oldest first) and the cursor of the next page.

        A page ends early when its texts would not fit a message.
        """
        conversation, summary = await self._own(user_id, conversation_id)
        size = page_limit(limit)
        after = decode_cursor(cursor)
        rows = await self._store.turns(conversation_id, after[0] if after else 0, size + 1)
        shown = _fitting(rows[:size])
        more = encode_cursor(rows[shown - 1][0], rows[shown - 1][1].turn_id) if len(rows) > shown else ""
        return conversation, summary, [turn for _, turn in rows[:shown]], more

    async def update(
        self, user_id: str, conversation_id: str, title: str | None, strategy: Strategy | None
    ) -> Conversation:
        """Changes what is given. A title that a person gave is theirs: no model betters it."""
        given = None if title is None else checked_title(title)
        changed = await self._store.update(user_id, conversation_id, given, strategy)
        if changed is None:
            raise unknown_conversation()
        return changed

    async def delete(self, user_id: str, conversation_id: str) -> None:
        """Deletes a conversation and all it holds; what other services have of it goes soon afterwards."""
        if not await self._store.delete(user_id, conversation_id, self._clock()):
            raise unknown_conversation()

    async def _own(self, user_id: str, conversation_id: str) -> tuple[Conversation, Summary]:
        found = await self._store.get(user_id, conversation_id)
        if found is None:
            raise unknown_conversation()
        return found


def unknown_conversation() -> NotFound:
    return NotFound("unknown_conversation", "There is no such conversation.")


def _fitting(rows: Sequence[tuple[int, Turn]]) -> int:
    """How many of the rows fit a message; one always does."""
    size = 0
    for number, (_, turn) in enumerate(rows):
        size += stored_bytes(turn)
        if number and size > _PAGE_BYTES:
            return number
    return len(rows)
