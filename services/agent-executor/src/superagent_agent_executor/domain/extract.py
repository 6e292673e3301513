"""The answer without a model: what of the evidence fits the question best, quoted and cited."""

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
from superagent_agent_executor.domain.quotable import QUOTE_WIDTH, Quotable, quotables, width
from superagent_agent_executor.domain.terms import terms
from superagent_agent_executor.domain.texts import say

QUOTES = 3
"""Per sub-question."""
# A quote is shown beside the best one when it scores at least this share of it,
_SHARE_OF_BEST = 0.6
# and the best one holds at least this share of what was asked; otherwise more quotes only add noise.
_SURE = 0.3
# What the heading above a line says counts less than the line; a lower rank of its passage takes a little away.
_HEADING_WEIGHT = 0.6
_RANK_WEIGHT = 0.2
_SENTENCE = re.compile(r".+?(?:[。！？!?；;]+[」』”’）)]*|[.](?:\[\d{1,3}\])*(?=\s)|\Z)", re.DOTALL)
_CLAUSE_ENDS = "，,、；; "


@dataclass(frozen=True, slots=True)
class _Quote:
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
    """One to three quotes with their citation numbers: the best first, the others in reading order of the evidence.

    A quote scores by the share of the question's terms that it and the heading above it hold, each term weighted by how
    rare it is among the quotes (as in inverse document frequency).
    """
    asked = terms(question)
    quotes = [
        _Quote(_cut(each.text, asked), each.heading, rank, position, passage.citation_id)
        for rank, passage in enumerate(passages)
        for position, each in enumerate(_quotables(passage))
    ]
    if not quotes:
        return []
    held = [(asked & terms(quote.text), asked & terms(quote.heading)) for quote in quotes]
    spread = Counter(term for own, above in held for term in own | above)
    weight = {term: log(1 + len(quotes) / (1 + spread[term])) for term in asked}
    total = sum(weight.values()) or 1.0

    def score(index: int) -> float:
        own, above = held[index]
        found = sum(weight[term] for term in own) + _HEADING_WEIGHT * sum(weight[term] for term in above - own)
        return found / total - _RANK_WEIGHT * quotes[index].rank / len(passages)

    ranked = sorted(range(len(quotes)), key=lambda index: (-score(index), quotes[index].rank, quotes[index].position))
    first, best = ranked[0], score(ranked[0])
    others = [index for index in ranked[1:QUOTES] if best >= _SURE and score(index) >= _SHARE_OF_BEST * best]
    others.sort(key=lambda index: (quotes[index].rank, quotes[index].position))
    shown = {quotes[index].text: quotes[index].number for index in (first, *others)}
    return list(shown.items())


def _quotables(passage: Passage) -> list[Quotable]:
    """What can be quoted of it; a passage that is nothing but headings is quoted as it is."""
    return list(quotables(passage)) or ([Quotable(passage.snippet, "")] if passage.snippet.strip() else [])


def _cut(text: str, asked: set[str]) -> str:
    """A long quote as whole sentences, from the one that holds most of the terms on."""
    if width(text) <= QUOTE_WIDTH:
        return text
    sentences = [match[0].strip() for match in _SENTENCE.finditer(text) if match[0].strip()]
    first = max(range(len(sentences)), key=lambda index: (len(asked & terms(sentences[index])), -index))
    kept = _shortened(sentences[first])
    for sentence in sentences[first + 1 :]:
        longer = f"{kept} {sentence}" if kept[-1].isascii() else kept + sentence
        if width(longer) > QUOTE_WIDTH:
            break
        kept = longer
    return kept


def _shortened(sentence: str) -> str:
    """A sentence that is too long for a quote, to the end of a clause."""
    if width(sentence) <= QUOTE_WIDTH:
        return sentence
    end = QUOTE_WIDTH if sentence.isascii() else QUOTE_WIDTH // 2
    clause = max(sentence.rfind(mark, end // 2, end) for mark in _CLAUSE_ENDS)
    return sentence[: clause if clause > 0 else end].rstrip(_CLAUSE_ENDS) + "…"
