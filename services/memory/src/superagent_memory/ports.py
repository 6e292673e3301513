"""What memory needs from the outside."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from superagent_memory.domain.conversations import Conversation, Exchange, Strategy, Turn
from superagent_memory.domain.summary import Draft, Material, Summary
from superagent_memory.domain.wishes import Item


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a turn's context is made of; `newest` are turns outside of the summary, oldest first."""

    conversation: Conversation
    summary: Summary
    newest: Sequence[Exchange]
    long_term: Sequence[str] = ()
    """The person's items, newest first; empty unless they allow it."""


class ConversationStore(Protocol):
    """Conversations of people. What is not the user's is as good as unknown: None, or nothing changed."""

    async def create(self, conversation: Conversation) -> Conversation:
        """Stores it, or returns the stored one when this user has it already.

        Raises NotFound for another's id, and for one that was deleted and is not free yet.
        """

    async def get(self, user_id: str, conversation_id: str) -> tuple[Conversation, Summary] | None: ...

    async def remembered(
        self,
        user_id: str,
        conversation_id: str,
        strategy: Strategy | None,
        turns: Mapping[Strategy, int],
        without_turn_id: str,
    ) -> Remembered | None:
        """The newest turns but one, as many as the strategy (the conversation's own with None) looks at.

        With `summary` only those that the summary does not cover.
        """

    async def long_term(self, user_id: str) -> Sequence[str]:
        """As in `Remembered`."""

    async def append(self, user_id: str, conversation_id: str, turn: Turn, replaces_turn_id: str) -> bool:
        """Stores a turn once; False when the conversation is not this user's.

        Raises Conflict("not_the_last_turn") when it shall replace another than the last one. A summary that covers the
        replaced turn is forgotten.
        """

    async def touch(self, conversation_id: str, at: int) -> None:
        """Renews a conversation's last activity."""

    async def turns(self, conversation_id: str, after: int, limit: int) -> Sequence[tuple[int, Turn]]:
        """Turns behind a position, with their positions, oldest first."""

    async def find(
        self, user_id: str, text: str, before: tuple[int, str] | None, limit: int, *, listed: bool = True
    ) -> Sequence[Conversation]:
        """Conversations by last activity, newest first, before a cursor; an empty `text` matches all.

        Either those that are listed, or the others.
        """

    async def update(
        self, user_id: str, conversation_id: str, title: str | None, strategy: Strategy | None
    ) -> Conversation | None:
        """Writes what is given, the title as a person's own, and nothing else: others may be writing, too."""

    async def delete(self, user_id: str, conversation_id: str, at: int) -> bool:
        """Deletes a conversation and, in the same transaction, tells those who have something of it.

        Whether there was one to delete. Its id is not free until `free_ids` passes `at`.
        """

    async def delete_inactive(self, before: int, limit: int, at: int) -> int:
        """Deletes, as `delete` does, some conversations without activity since a time; how many."""

    async def free_ids(self, before: int) -> None:
        """Lets ids be used again that were deleted before a time."""


class SummaryStore(Protocol):
    """Summaries, and which conversations are to be looked after."""

    async def take(self, now: int, until: int) -> str | None:
        """A conversation that is due, leased to the caller until a time; None when there is none."""

    async def settle(self, conversation_id: str, until: int, again_at: int) -> bool:
        """Ends a lease, or with `again_at` renews it; False when it is not the caller's any more."""

    async def state(self, conversation_id: str) -> tuple[Conversation, Summary] | None: ...

    async def oldest(self, conversation_id: str, after: int, limit: int) -> Sequence[Exchange]:
        """Turns behind a position, oldest first, each shortened to what a step looks at."""

    async def save(self, conversation: Conversation, summary: Summary, revision: int | None) -> bool:
        """Keeps a summary when the kept one has this revision, or in any case with None.

        False when it has not, when the conversation is gone, be it that another has its id now, or when it has fewer turns
        than the summary covers.
        """

    async def better_title(self, conversation: Conversation, title: str | None) -> None:
        """Ends the draft of a title, with a better one unless None, if it still is one and of the same conversation."""


class PersonStore(Protocol):
    """What is remembered of people."""

    async def enabled(self, user_id: str) -> bool: ...

    async def enable(self, user_id: str, enabled: bool, at: int) -> None: ...

    async def items(self, user_id: str) -> Sequence[Item]:
        """Newest first."""

    async def add(self, item: Item) -> None:
        """Adds an item, or makes an equal one the newest; the oldest beyond 100 make room."""

    async def forget(self, user_id: str, item_id: str) -> bool:
        """Forgets an item, or all with an empty id; whether there was any."""


class Writer(Protocol):
    """A language model that writes summaries and titles."""

    def summarise(self, material: Material) -> AsyncGenerator[str | Draft, None]:
        """The summary's text in pieces as it is written, and last a draft without fault.

        Without a draft at the end the model was away, or wrote nothing of use three times; pieces may have come anyway.
        """
        ...

    async def title(self, question: str, answer: str) -> str | None:
        """A title, or None when the model is away or writes none of use."""
