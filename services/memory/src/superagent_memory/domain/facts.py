"""Facts that must survive (MEM-5): names, numbers, decisions, identifiers, as short sentences.

Found by rules in what the person says and in what tools did; answers out of documents can be found again and are left
alone, but for what "we" decided in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from superagent_memory.domain.conversations import Exchange, ToolUse
from superagent_memory.domain.wording import sentences, shortened

FACT_CHARACTERS = 120
_ASIDE, _STATED, _VITAL = 1, 2, 3

_QUESTION = re.compile(
    r"[?？]\s*$|[吗呢么]\s*[。.!！]?$|什么|怎么|如何|多少|哪[里个些儿]|为何|为什么|是否|几[点个天月年]"
    r"|^(?:how|what|when|where|who|whom|whose|which|why|is|are|was|were|do|does|did|can|could|will|would|should|may)\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\b(?:my|our)(?: [\w'-]+){1,4} (?:is|are|was|were)\b"
    r"|\b(?:I am|I'm|we are|we're) (?:called|named|a|an|the|from|in|at|based)\b"
    r"|\bcall me\b|\bI (?:work|live|prefer|speak|manage|lead|own)\b"
    r"|我(?:的名字)?叫|叫我|我姓|我是(?!说|指|想|不|否)|我们?的[^，。；,;]{1,12}(?:是|为|叫)|我(?:负责|住在|来自|偏好|喜欢|用的是)",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:decided|agreed|settled on|chose|have chosen|going with|the decision is|let's (?:use|go with|take)"
    r"|we(?:'ll| will| shall) (?:use|take|go|keep))\b"
    r"|决定|定为|选定|敲定|商定|约定|同意用|就用|就选|改为|改成|统一用|采用",
    re.IGNORECASE,
)
_WE_DECIDED = re.compile(
    r"\b(?:we|you)(?: have|'ve)? (?:decided|agreed|chose|chosen|settled)\b"
    r"|(?:我们|咱们|你们?)[^，。；]{0,6}(?:决定|选定|商定|约定|定为)",
    re.IGNORECASE,
)
_WISH = re.compile(r"记住|记下来|别忘|remember|keep in mind|don't forget|note that", re.IGNORECASE)
_FIGURE = re.compile(
    r"\d{2,}|\d\s*(?:%|％|[$€¥£]|元|块|万|亿|天|年|月|日|号|点|人|台|个|周|小时|分钟|kg|km|GB|TB|days?|weeks?|months?|years?|people|users?|hours?)"
    r"|[$€¥£]\s*\d|[一二两三四五六七八九十百千]+(?:万|亿|元|天|年|个月|周|小时|人)",
    re.IGNORECASE,
)
IDENTIFIER = re.compile(
    r"(?<![\w@./-])(?=[\w.@/-]*\d)(?=[\w.@/-]*[A-Za-z_@-])[A-Za-z0-9][\w.@/-]{2,79}\w|(?<![\w.])\d{5,}(?![\w.])|[\w.+-]+@[\w-]+\.[\w.]+"
)
_NAME_KEY = re.compile(r"\bmy name is\b|\bcall me\b|我(?:的名字)?叫|叫我|我的名字是", re.IGNORECASE)
_ABOUT = re.compile(
    r"^(?:ok|okay|so|and|now|actually|well)?,?\s*((?:my|our|the) [\w '-]{1,40}?) (?:is|are|was|were)\b", re.IGNORECASE
)
_ABOUT_ZH = re.compile(
    r"((?:我们?|咱们|本次|这个|该)?的?[\u3400-\u9fffA-Za-z]{2,10}?)(?:现在|改)?(?:是|为|叫|定为|改为|改成)"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """`weight`: 3 who somebody is, what was decided or asked to be kept; 2 stated figures and failures; 1 asides."""

    text: str
    weight: int

    @property
    def characters(self) -> int:
        """With the line break that parts it from the next one."""
        return len(self.text) + 1


def facts_of(turns: Iterable[Exchange]) -> list[Fact]:
    """The facts of some turns, in their order."""
    return [fact for turn in turns for fact in _facts_of_turn(turn)]


def model_fact(text: str) -> Fact:
    """A fact that a model listed."""
    return Fact(shortened(text, FACT_CHARACTERS), _STATED)


def kept_facts(old: Sequence[Fact], new: Sequence[Fact], characters: int) -> tuple[Fact, ...]:
    """Old and new facts within `characters`, oldest first.

    What says no more than another is dropped, and what is said anew of the same thing takes the old one's place. When
    there are too many, those of the least weight go first: of asides the oldest, of others the ones in the middle, as a
    conversation hangs on how it began and on where it stands.
    """
    kept: list[Fact] = list(old)
    for fact in new:
        _add(kept, fact)
    while sum(fact.characters for fact in kept) > characters:
        least = min(fact.weight for fact in kept)
        lightest = [at for at, fact in enumerate(kept) if fact.weight == least]
        del kept[lightest[0 if least == _ASIDE else len(lightest) // 2]]
    return tuple(kept)


def _facts_of_turn(turn: Exchange) -> Iterable[Fact]:
    for sentence in sentences(turn.question):
        if fact := _said(sentence):
            yield fact
    for tool in turn.tools:
        if fact := _done(tool):
            yield fact
    for sentence in sentences(turn.answer):
        if _WE_DECIDED.search(sentence) and not _QUESTION.search(sentence):
            yield Fact(shortened(sentence, FACT_CHARACTERS), _VITAL)


def _said(sentence: str) -> Fact | None:
    asks = _QUESTION.search(sentence) is not None
    if not asks and (found := _WHO.search(sentence) or _DECIDED.search(sentence) or _WISH.search(sentence)):
        return Fact(_around(sentence, found.start(), found.end()), _VITAL)
    if not asks and (found := _FIGURE.search(sentence)):
        return Fact(_around(sentence, found.start(), found.end()), _STATED)
    if found := IDENTIFIER.search(sentence):
        return Fact(_around(sentence, found.start(), found.end()), _ASIDE if asks else _STATED)
    return None


def _done(tool: ToolUse) -> Fact | None:
    if not tool.ok:
        said = f"{tool.name} {shortened(tool.arguments, 50)} failed: {tool.result}"
        return Fact(shortened(said, FACT_CHARACTERS), _STATED)
    found = dict.fromkeys(
        match.group() for match in IDENTIFIER.finditer(f"{tool.arguments[:500]} {tool.result[:1000]}")
    )
    return Fact(shortened(f"{tool.name}: {', '.join(found)}", FACT_CHARACTERS), _ASIDE) if found else None


def _around(sentence: str, start: int, end: int) -> str:
    """The part of a long sentence around what makes it a fact."""
    if len(sentence) <= FACT_CHARACTERS:
        return sentence
    begin = max(0, min(start - 20, end + 60 - FACT_CHARACTERS + 40))
    return shortened(("…" if begin else "") + sentence[begin:], FACT_CHARACTERS)


def _add(kept: list[Fact], fact: Fact) -> None:
    text, about = _plain(fact.text), _key(fact.text)
    if not text:
        return
    for at, old in enumerate(kept):
        if text in _plain(old.text):
            return
        if _plain(old.text) in text or (about and about == _key(old.text)):
            # It moves to the end: what was said last is true.
            del kept[at]
            fact = Fact(fact.text, max(fact.weight, old.weight))
            break
    kept.append(fact)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _key(text: str) -> str:
    """What a fact is about, when that can be told: a later one about the same replaces it."""
    if _NAME_KEY.search(text):
        return "name"
    if found := _ABOUT.match(text):
        return found.group(1).lower()
    if found := _ABOUT_ZH.match(text):
        return found.group(1)
    return ""
