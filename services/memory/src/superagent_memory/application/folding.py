"""Folding older turns into the running summary (MEM-2, MEM-10)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from superagent_memory.application.conversations import unknown_conversation
from superagent_memory.domain.conversations import Conversation, Exchange
from superagent_memory.domain.rules import DEFAULT_RULES, Rules
from superagent_memory.domain.summary import (
    NO_SUMMARY,
    Draft,
    Summary,
    facts_after,
    folded,
    is_due,
    material_of,
    to_fold,
)
from superagent_memory.ports import ConversationStore, SummaryStore, Writer

_PASSES = 5


class Folding:
    """Steps of at most six turns: what one reads and sends to a model does not depend on the conversation's length."""

    def __init__(
        self,
        conversations: ConversationStore,
        summaries: SummaryStore,
        writer: Writer | None,
        clock: Callable[[], int],
        rules: Rules = DEFAULT_RULES,
        told: Callable[[str], None] = lambda by: None,
    ) -> None:
        """Without a writer the rules write; `told` hears for each step who wrote: `model` or `rules`."""
        self._conversations = conversations
        self._summaries = summaries
        self._writer = writer
        self._clock = clock
        self._rules = rules
        self._told = told

    def is_due(self, conversation: Conversation, summary: Summary) -> bool:
        """Whether a conversation's older turns shall be folded now."""
        return conversation.strategy == "summary" and is_due(
            conversation.turns_total - summary.turns_covered,
            conversation.messages_total - summary.messages_covered,
            self._rules,
        )

    async def step(self, conversation: Conversation, summary: Summary) -> Summary | None:
        """Folds and keeps the next turns; None when there are none, or when somebody else was faster."""
        waiting = to_fold(conversation.turns_total, summary, self._rules)
        turns = await self._next(conversation.conversation_id, summary, waiting)
        if not turns:
            return None
        after = summary
        async with aclosing(self._folded(summary, turns, waiting)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Summary):
                    after = piece
        if not await self._summaries.save(conversation, after, summary.revision):
            return None
        return replace(after, revision=summary.revision + 1)

    async def compress(self, user_id: str, conversation_id: str, rebuild: bool) -> AsyncGenerator[str | Summary, None]:
        """Folds everything but the newest four turns, yielding the last step's text as it is written, then the summary.

        With `rebuild` it begins anew with the first turn. The summary is what counts: where a model wrote nothing of
        use, it differs from the pieces.
        """
        for _ in range(_PASSES):
            found = await self._conversations.get(user_id, conversation_id)
            if found is None:
                raise unknown_conversation()
            conversation, kept = found
            summary = replace(NO_SUMMARY, revision=kept.revision) if rebuild else kept
            while waiting := to_fold(conversation.turns_total, summary, self._rules):
                turns = await self._next(conversation_id, summary, waiting)
                if not turns:
                    break
                last = waiting <= len(turns)
                async with aclosing(self._folded(summary, turns, waiting)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Summary):
                            summary = piece
                        elif last:
                            yield piece
            if summary == kept:
                yield kept
                return
            if await self._summaries.save(conversation, summary, None if rebuild else kept.revision):
                yield replace(summary, revision=kept.revision + 1)
                return
        raise unknown_conversation()

    async def _next(self, conversation_id: str, summary: Summary, waiting: int) -> Sequence[Exchange]:
        return await self._summaries.oldest(
            conversation_id, summary.turns_covered, min(waiting, self._rules.fold_turns)
        )

    async def _folded(
        self, summary: Summary, turns: Sequence[Exchange], waiting: int
    ) -> AsyncGenerator[str | Summary, None]:
        # The rules wait for nothing, and a thousand of their steps would hold up whoever else is served here.
        await asyncio.sleep(0)
        facts = facts_after(summary, turns, self._rules)
        material = material_of(summary, facts, turns, self._rules)
        draft: Draft | None = None
        shown = False
        if self._writer and waiting <= self._rules.model_fold_turns:
            async with aclosing(self._writer.summarise(material)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Draft):
                        draft = piece
                    else:
                        shown = True
                        yield piece
        self._told("model" if draft else "rules")
        after = folded(summary, facts, turns, draft, material, self._rules)
        if not shown:
            yield after.text
        yield replace(after, updated_at=self._clock())
