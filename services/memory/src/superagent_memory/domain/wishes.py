"""What a person wants remembered across conversations (MEM-8)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from superagent_common.errors import InvalidInput
from superagent_memory.domain.conversations import without_nul
from superagent_memory.domain.wording import shortened

ITEM_CHARACTERS = 300
ITEMS = 100
"""Kept of one person; the oldest make room."""
CONTEXT_CHARACTERS = 2_000
"""Of all items together in a plan; the newest come first."""

_WISH = re.compile(
    r"^\s*(?:(?:please|and|also|hey|ok|okay|hi|hello),?\s+)*(?:always )?(?:remember|keep in mind|don't forget|do not forget|note)"
    r"(?: for (?:later|the future))?,?(?: that|:)\s*(?P<en>.{2,})"
    r"|^\s*(?:请你?|麻烦你?|帮我|以后请?|你要)*\s*(?:记住|记下来?|别忘了?|不要忘记)(?:一下)?(?:了)?[:：，,]?\s*(?P<zh>.{2,})",
    re.IGNORECASE | re.DOTALL,
)
_ASKS = re.compile(r"[?？]\s*$|[吗么]\s*$")


@dataclass(frozen=True, slots=True)
class Item:
    """Something remembered of a person; `conversation_id` is empty for what was added outside of one."""

    item_id: str
    user_id: str
    text: str
    conversation_id: str
    created_at: int


def wish_of(question: str) -> str | None:
    """What a question asks to be remembered: "请记住…", "remember that …"; None when it does not."""
    line = without_nul(question.split("\n\n", 1)[0][:2_000])
    if _ASKS.search(line):
        return None
    found = _WISH.match(line)
    if found is None:
        return None
    return shortened(found.group("en") or found.group("zh"), ITEM_CHARACTERS)


def checked_item(text: str) -> str:
    """An item as a person may add it. Raises InvalidInput."""
    line = " ".join(without_nul(text).split())
    if not 1 <= len(line) <= ITEM_CHARACTERS:
        raise InvalidInput("invalid_memory_item", f"What is to be remembered has 1 to {ITEM_CHARACTERS} characters.")
    return line


def shown_items(newest_first: list[str]) -> tuple[str, ...]:
    """The newest items that fit a plan, oldest first."""
    kept: list[str] = []
    left = CONTEXT_CHARACTERS
    for text in newest_first:
        left -= len(text)
        if left < 0:
            break
        kept.append(text)
    return tuple(reversed(kept))
