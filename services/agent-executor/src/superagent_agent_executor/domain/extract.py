"""The answer without a model: the sentences of the evidence that fit the question best, quoted and cited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from superagent_agent_executor.domain.evidence import Finding, Passage
from superagent_agent_executor.domain.plan import Language
from superagent_agent_executor.domain.texts import say

SENTENCES = 3
"""Quoted per sub-question."""
_SENTENCE_CHARACTERS = 400
_RANK_WEIGHT = 0.15
_SENTENCE = re.compile(r"[^。!?!?;;\n.]+(?:[.](?=\S)[^。!?!?;;\n.]*)*[。!?!?;;.]*")
_WORD = re.compile(r"[a-z0-9_][a-z0-9_.\-]*[a-z0-9_]|[a-z0-9]")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_STOP = frozenset(
    "a an and are as at be by do does for from how i in is it me my of on or that the this to was what when where "  # noqa: SIM905
    "which who why will with you your 的 了 吗 呢 是 在".split()
)


def extractive_answer(findings: Sequence[Finding], language: Language) -> Iterator[str]:
    """Pieces of the answer, a line or so each. Sub-questions without evidence say so (EXEC-3)."""
    several = len(findings) > 1
    if not several:
        yield say("extract_intro", language) + "\n\n"
    for finding in findings:
        if several:
            yield f"{finding.question.index}. **{finding.question.text}**\n\n"
        if not finding.passages:
            yield say("no_evidence", language) + "\n\n"
            continue
        for sentence, number in best_sentences(finding.question.text, finding.passages):
            yield f"> {sentence} [{number}]\n\n"


def best_sentences(question: str, passages: Sequence[Passage]) -> list[tuple[str, int]]:
    """Up to three sentences with their citation numbers, in reading order of the evidence.

    A sentence scores by the share of the question's terms it holds, each weighted by how rare it is among the sentences
    (as in inverse document frequency), plus a little for the rank of its passage.
    """
    sentences = [
        (rank, position, sentence, passage.citation_id)
        for rank, passage in enumerate(passages)
        for position, sentence in enumerate(split_sentences(passage.text))
    ]
    if not sentences:
        return []
    terms = _terms(question)
    held = [terms & _terms(sentence) for _, _, sentence, _ in sentences]
    spread = Counter(term for found in held for term in found)
    weight = {term: log(1 + len(sentences) / (1 + spread[term])) for term in terms}
    total = sum(weight.values()) or 1.0

    def score(index: int) -> float:
        return sum(weight[term] for term in held[index]) / total - _RANK_WEIGHT * sentences[index][0] / len(passages)

    ranked = sorted(range(len(sentences)), key=lambda index: (-score(index), sentences[index][:2]))
    chosen: dict[str, tuple[int, int, int]] = {}
    for index in ranked:
        rank, position, sentence, number = sentences[index]
        if held[index] or not chosen:
            chosen.setdefault(sentence, (rank, position, number))
        if len(chosen) == SENTENCES:
            break
    ordered = sorted(chosen.items(), key=lambda item: item[1])
    return [(sentence, number) for sentence, (_, _, number) in ordered]


def split_sentences(text: str) -> list[str]:
    """Sentences of a passage on one line each; headings and table rules that say nothing are left out."""
    found = []
    for match in _SENTENCE.finditer(text):
        sentence = " ".join(match[0].split()).lstrip("#>*- ").strip()
        if any(character.isalnum() for character in sentence):
            cut = sentence if len(sentence) <= _SENTENCE_CHARACTERS else sentence[: _SENTENCE_CHARACTERS - 1] + "…"
            found.append(cut)
    return found


def _terms(text: str) -> set[str]:
    lowered = text.lower()
    words = {_stem(word) for word in _WORD.findall(lowered)}
    pairs = {run[i : i + 2] for run in _CJK.findall(lowered) for i in range(max(1, len(run) - 1))}
    return (words | pairs) - _STOP


def _stem(word: str) -> str:
    # Enough for matching within one passage: plural and third person.
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
