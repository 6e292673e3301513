"""The answer without a model: the lines of the evidence that fit the question best, quoted and cited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from superagent_agent_executor.domain.citations import quoted, unmarked
from superagent_agent_executor.domain.evidence import Finding, Passage
from superagent_agent_executor.domain.nothing_found import nothing_found_for
from superagent_agent_executor.domain.plan import Language
from superagent_agent_executor.domain.texts import say

QUOTES = 3
"""Per sub-question."""
_QUOTE_CHARACTERS = 400
_HEADING_CHARACTERS = 40
# A quote is shown when it scores at least this share of the best one.
_SHARE_OF_BEST = 0.5
# What the heading above a line says counts less than the line; a lower rank of its passage takes a little away.
_HEADING_WEIGHT = 0.6
_RANK_WEIGHT = 0.2
_WORD = re.compile(r"[a-z0-9_][a-z0-9_.\-]*[a-z0-9_]|[a-z0-9]")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_SENTENCE = re.compile(r".+?(?:[。！？!?；;]+|[.](?=\s)|\Z)", re.DOTALL)
_TABLE_RULE = re.compile(r"[|\-: ]+")
_STOP = frozenset(
    "a an and are as at be by do does for from how i in is it me my of on or that the this to was what when where "  # noqa: SIM905
    "which who why will with you your 的 了 吗 呢 是 在 什么 怎么 么办 多少 哪些 如何 可以".split()
)


@dataclass(frozen=True, slots=True)
class _Quote:
    """A line that may be quoted: what is shown, and the heading it stands under."""

    text: str
    heading: str
    rank: int
    position: int
    number: int


def extractive_answer(findings: Sequence[Finding], language: Language) -> Iterator[tuple[str, int]]:
    """Pieces of the answer, each with the number it cites, 0 for none. Sub-questions without evidence say so (EXEC-3)."""
    several = len(findings) > 1
    if not several:
        yield say("extract_intro", language) + "\n\n", 0
    for finding in findings:
        if not finding.passages:
            yield nothing_found_for(finding, language) + "\n\n", 0
            continue
        if several:
            yield f"{finding.question.index}. **{unmarked(finding.question.text)}**\n\n", 0
        for text, number in best_quotes(finding.searched or finding.question.text, finding.passages):
            yield f"> {quoted(text)} [{number}]\n\n", number


def best_quotes(question: str, passages: Sequence[Passage]) -> list[tuple[str, int]]:
    """Up to three quotes with their citation numbers, in reading order of the evidence.

    A line scores by the share of the question's terms that it and the heading above it hold, each term weighted by how
    rare it is among the lines (as in inverse document frequency). At least one line of a passage is always quoted.
    """
    quotes = [quote for rank, passage in enumerate(passages) for quote in _quotes(rank, passage)]
    if not quotes:
        return []
    terms = _terms(question)
    held = [(terms & _terms(quote.text), terms & _terms(quote.heading)) for quote in quotes]
    spread = Counter(term for own, above in held for term in own | above)
    weight = {term: log(1 + len(quotes) / (1 + spread[term])) for term in terms}
    total = sum(weight.values()) or 1.0

    def score(index: int) -> float:
        own, above = held[index]
        found = sum(weight[term] for term in own) + _HEADING_WEIGHT * sum(weight[term] for term in above - own)
        return found / total - _RANK_WEIGHT * quotes[index].rank / len(passages)

    ranked = sorted(range(len(quotes)), key=lambda index: (-score(index), quotes[index].rank, quotes[index].position))
    best = score(ranked[0])
    chosen = [index for index in ranked[:QUOTES] if index == ranked[0] or score(index) >= _SHARE_OF_BEST * best > 0]
    chosen.sort(key=lambda index: (quotes[index].rank, quotes[index].position))
    shown = {_cut(quotes[index].text, terms): quotes[index].number for index in chosen}
    return list(shown.items())


def _quotes(rank: int, passage: Passage) -> Iterator[_Quote]:
    """Lines of a passage. A question takes the line behind it along, a table row its header's names."""
    heading, asked = "", ""
    header: tuple[str, ...] = ()
    headings = {passage.title, *passage.heading_path}
    for position, line in enumerate(passage.text.splitlines()):
        text = " ".join(line.split()).strip()
        if not any(character.isalnum() for character in text):
            continue
        if text.startswith("|"):
            cells = tuple(cell.strip() for cell in text.strip("|").split("|"))
            if not header:
                header = cells
                continue
            if _TABLE_RULE.fullmatch(text):
                continue
            text = "; ".join(f"{name}: {cell}" for name, cell in zip(header, cells, strict=False) if cell)
        else:
            header = ()
            text = text.lstrip("#>*- ").strip()
            if text in headings or (len(text) <= _HEADING_CHARACTERS and text[-1:].isalnum()):
                heading = text
                continue
            if text.endswith(("?", "？")):
                asked = text
                continue
        yield _Quote(f"{asked} {text}".strip(), heading, rank, position, passage.citation_id)
        asked = ""


def _cut(text: str, terms: set[str]) -> str:
    """A long line as whole sentences around the one that holds most of the terms."""
    if len(text) <= _QUOTE_CHARACTERS:
        return text
    sentences = [match[0].strip() for match in _SENTENCE.finditer(text) if match[0].strip()]
    first = max(range(len(sentences)), key=lambda index: (len(terms & _terms(sentences[index])), -index))
    kept = sentences[first][:_QUOTE_CHARACTERS]
    for sentence in sentences[first + 1 :]:
        if len(kept) + len(sentence) >= _QUOTE_CHARACTERS:
            break
        kept = f"{kept} {sentence}" if kept[-1:].isascii() else kept + sentence
    return kept


def _terms(text: str) -> set[str]:
    lowered = text.lower()
    words = {_stem(word) for word in _WORD.findall(lowered)}
    pairs = {run[i : i + 2] for run in _CJK.findall(lowered) for i in range(max(1, len(run) - 1))}
    return (words | pairs) - _STOP


def _stem(word: str) -> str:
    # Enough for matching within one passage: plural and third person.
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
