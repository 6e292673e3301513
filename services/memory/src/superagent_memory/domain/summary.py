"""The running summary (MEM-2, MEM-4, MEM-5): what is folded, by whom, and whether a model's text may be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superagent_memory.domain.conversations import Exchange, Kind
from superagent_memory.domain.facts import Fact, facts_of, kept_facts, model_fact
from superagent_memory.domain.rules import Rules
from superagent_memory.domain.wording import content_words, numbers, sentences, shortened

QUESTION_CHARACTERS, ANSWER_CHARACTERS = 500, 900
"""What a step looks at of each turn."""
_ARGUMENTS_CHARACTERS, _RESULT_CHARACTERS, _USES = 200, 200, 8
_LINE_QUESTION, _LINE_ANSWER, _LINE_TOOL = 70, 90, 80
_SHARED = 0.2
_MODEL_FACTS = 12


@dataclass(frozen=True, slots=True)
class Summary:
    """What a conversation's oldest turns were folded into. `revision` counts its versions; 0: there is none."""

    text: str = ""
    facts: tuple[Fact, ...] = ()
    turns_covered: int = 0
    messages_covered: int = 0
    updated_at: int = 0
    revision: int = 0

    @property
    def characters(self) -> int:
        return len(self.text) + sum(fact.characters for fact in self.facts)


NO_SUMMARY = Summary()


@dataclass(frozen=True, slots=True)
class Draft:
    """What a model made of a step: prose, and facts it found besides."""

    text: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """What one step works on; its size does not depend on the conversation's length."""

    kind: Kind
    text: str
    """The summary so far."""
    facts: tuple[str, ...]
    """The facts that are kept in any case."""
    turns: tuple[str, ...]
    """The turns to fold, oldest first, shortened."""
    characters: int
    """What the new prose may have."""

    @property
    def source(self) -> str:
        return "\n".join((self.text, *self.facts, *self.turns))


def is_due(turns: int, messages: int, rules: Rules) -> bool:
    """Whether turns outside of the summary are to be folded: beyond 16 messages, but for the newest four turns."""
    return messages > rules.summarise_beyond_messages and turns > rules.verbatim_turns


def to_fold(turns_total: int, summary: Summary, rules: Rules) -> int:
    """How many turns wait to be folded."""
    return max(turns_total - summary.turns_covered - rules.verbatim_turns, 0)


def facts_after(summary: Summary, turns: Sequence[Exchange], rules: Rules) -> tuple[Fact, ...]:
    """The facts so far and those of the turns."""
    return kept_facts(summary.facts, facts_of(turns), rules.facts_characters)


def material_of(summary: Summary, facts: Sequence[Fact], turns: Sequence[Exchange], rules: Rules) -> Material:
    """What a model is shown of a step."""
    return Material(
        _strongest({turn.kind for turn in turns}),
        summary.text,
        tuple(fact.text for fact in facts),
        tuple(_told(turn) for turn in turns),
        rules.summary_characters - sum(fact.characters for fact in facts),
    )


def fault_of(draft: Draft, material: Material) -> str | None:
    """Why a model's text cannot be kept: `empty`, `too_long`, `off_topic`, `invented_number`; None when it can."""
    words = content_words(draft.text)
    if not draft.text.strip() or not words:
        return "empty"
    if len(draft.text) > material.characters:
        return "too_long"
    if len(words & content_words(material.source)) < _SHARED * len(words):
        return "off_topic"
    if numbers(draft.text) - numbers(material.source):
        return "invented_number"
    return None


def folded(
    summary: Summary,
    facts: Sequence[Fact],
    turns: Sequence[Exchange],
    draft: Draft | None,
    material: Material,
    rules: Rules,
) -> Summary:
    """The summary after a step, by a model's draft without fault or else by the rules; `revision` and time unchanged."""
    text = draft.text.strip() if draft else extract(summary.text, turns, material.characters)
    room = min(rules.facts_characters, rules.summary_characters - len(text))
    return Summary(
        text,
        kept_facts(facts, _sound_facts(draft, material), max(room, sum(fact.characters for fact in facts))),
        summary.turns_covered + len(turns),
        summary.messages_covered + sum(turn.messages for turn in turns),
        summary.updated_at,
        summary.revision,
    )


def extract(text: str, turns: Sequence[Exchange], characters: int) -> str:
    """The summary that needs no model: a line for each turn, the newest that fit, older ones out of `text`."""
    lines = [line for line in text.splitlines() if line.strip()] + [_line(turn) for turn in turns]
    kept: list[str] = []
    left = characters
    for line in reversed(lines):
        # A model's summary is one long line: its last sentences that fit are better than none of it.
        for piece in [line] if len(line) <= left else reversed(sentences(line)):
            left -= len(piece) + 1
            if left < -1:
                return "\n".join(reversed(kept))
            kept.append(piece)
    return "\n".join(reversed(kept))


def _line(turn: Exchange) -> str:
    first = next(iter(sentences(turn.answer)), "")
    line = f"- {shortened(turn.question, _LINE_QUESTION)}"
    for tool in turn.tools[-3:]:
        told = tool.result if tool.ok else f"failed, {tool.result}"
        line += f" [{shortened(f'{tool.name} {tool.arguments}: {told}', _LINE_TOOL)}]"
    return f"{line} → {shortened(first, _LINE_ANSWER)}" if first else line


def _told(turn: Exchange) -> str:
    lines = [f"Q: {shortened(turn.question, QUESTION_CHARACTERS)}"]
    for tool in turn.tools[-_USES:]:
        told = "ok" if tool.ok else "failed"
        arguments = shortened(tool.arguments, _ARGUMENTS_CHARACTERS)
        lines.append(f"{tool.name} {arguments} -> {told}: {shortened(tool.result, _RESULT_CHARACTERS)}")
    lines.append(f"A: {shortened(turn.answer, ANSWER_CHARACTERS)}")
    return "\n".join(lines)


def _sound_facts(draft: Draft | None, material: Material) -> list[Fact]:
    """A model's facts without those that are not in what it was shown."""
    if draft is None:
        return []
    known, figures = content_words(material.source), numbers(material.source)
    return [
        model_fact(text)
        for text in draft.facts[:_MODEL_FACTS]
        if not numbers(text) - figures and len((words := content_words(text)) & known) >= _SHARED * len(words)
    ]


def _strongest(kinds: set[Kind]) -> Kind:
    order: tuple[Kind, ...] = ("admin_tool", "tool", "chat")
    return next(kind for kind in order if kind in kinds)
