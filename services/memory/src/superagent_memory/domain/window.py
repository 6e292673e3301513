"""What a turn sees of the turns before it (MEM-1 … MEM-3).

The three lines of defence come in this order: what the summary covers is not looked at any more; of the rest, the
newest turns stay verbatim and older ones are trimmed; whatever the first two let through, the hard window ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from superagent_memory.domain.conversations import Exchange, Kind, Strategy, ToolUse
from superagent_memory.domain.rules import Rules
from superagent_memory.domain.wording import shortened

_TRIMMED = 400
_TRIMMED_ANSWER = 160


def turns_needed(strategy: Strategy, rules: Rules) -> int:
    """How many of the newest turns outside of the summary a strategy looks at, however many there are."""
    needed = {"none": 0, "sliding_window": rules.sliding_turns, "summary": rules.window_messages // 2}
    return min(needed[strategy], rules.window_messages // 2)


def window(strategy: Strategy, uncovered: Sequence[Exchange], rules: Rules) -> tuple[Exchange, ...]:
    """The turns that go into a plan, oldest first; `uncovered` are the newest that no summary covers, oldest first."""
    needed = turns_needed(strategy, rules)
    turns = tuple(uncovered)[-needed:] if needed else ()
    if strategy == "summary":
        verbatim = whole_turns(turns[-rules.verbatim_turns :], rules.verbatim_characters)
        older = turns[: len(turns) - len(verbatim)]
        # Shared out among all of them: what no summary covers yet must not be lost from sight.
        each = min(_TRIMMED, rules.trimmed_characters // max(len(older), 1))
        turns = (*(trimmed(turn, each) for turn in older), *verbatim)
    else:
        turns = whole_turns(turns, rules.sliding_characters)
    return hard_window(turns, rules.window_messages)


def whole_turns(turns: Sequence[Exchange], characters: int) -> tuple[Exchange, ...]:
    """As many whole turns from the newest on as fit; the newest always comes, shortened to fit."""
    kept: list[Exchange] = []
    left = characters
    for turn in reversed(turns):
        if not kept:
            turn = fitted(turn, characters)
        left -= turn.characters
        if left < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def hard_window(turns: Sequence[Exchange], messages: int) -> tuple[Exchange, ...]:
    """The newest whole turns with at most `messages` messages; the newest always comes, with its newest uses of tools."""
    kept: list[Exchange] = []
    left = messages
    for turn in reversed(turns):
        if not kept and turn.messages > messages:
            most = max(messages - 2, 0) // 2
            turn = replace(turn, tools=turn.tools[len(turn.tools) - most :])
        left -= turn.messages
        if left < 0 and kept:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def trimmed(turn: Exchange, characters: int) -> Exchange:
    """An older turn in short, within `characters`. A use of a tool stays with its result or goes with it."""
    question = shortened(turn.question, characters // 2)
    left = characters - len(question)
    tools = _newest_uses(turn.tools, left // 3)
    left -= sum(tool.characters for tool in tools)
    return replace(turn, question=question, answer=shortened(turn.answer, min(left, _TRIMMED_ANSWER)), tools=tools)


def fitted(turn: Exchange, characters: int) -> Exchange:
    """A turn within `characters`: the question first, then the answer, then the newest uses of tools.

    Uses of tools get a third at least when there are any: what they found is what the next question is about.
    """
    if turn.characters <= characters:
        return turn
    question = turn.question[:characters]
    left = characters - len(question)
    for_tools = min(sum(tool.characters for tool in turn.tools), max(left // 3, left - len(turn.answer)))
    answer = turn.answer[: left - for_tools]
    return replace(turn, question=question, answer=answer, tools=_newest_uses(turn.tools, for_tools))


def seen_as(kind: Kind, turns: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Turns as a context of a kind sees them: what administrative tools told stays in administrative contexts."""
    if kind == "admin_tool":
        return tuple(turns)
    return tuple(replace(turn, tools=()) if turn.kind == "admin_tool" else turn for turn in turns)


def _newest_uses(tools: Sequence[ToolUse], characters: int) -> tuple[ToolUse, ...]:
    kept: list[ToolUse] = []
    left = characters
    for tool in reversed(tools):
        for_result = left - len(tool.name) - len(tool.arguments)
        # Half a call is none: its arguments stay whole, and something of its result with them.
        if for_result < min(len(tool.result), 1):
            break
        kept.append(replace(tool, result=tool.result[:for_result]))
        left -= kept[-1].characters
    return tuple(reversed(kept))
