"""Which knowledge domains a question is searched in (PLAN-6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from superagent_orchestrator.domain.planning.english_words import STOP
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain

# How much a shared word says, by where the domain bears it.
_NAME, _TITLE, _DESCRIPTION = 3.0, 2.0, 2.0
# One word that only this domain bears, or several shared with others: less is chance.
_LEAST = 2.0
# Domains nearly as good as the best are searched too; a wrong narrowing costs the answer, a wide one only time.
_CLOSE = 0.6
# What a skill's home adds to a domain that is spoken of anyway; a skill that was asked for suffices alone.
_AT_HOME = 1.0
_LOOKED_AT = 400

_RUN = re.compile(r"[A-Za-z][A-Za-z0-9_+#.-]*[A-Za-z0-9+#]|[A-Za-z]|\d{2,}|[\u3400-\u9fff]+")
_ASCII = re.compile(r"[\x00-\x7f]+")
_DISTINCT_CODE = re.compile(r"\w+[_-][\w-]+")
_SAYS_NOTHING = re.compile(
    r"是什么|什么|怎么样|怎么|怎样|如何|为什么|哪些|哪个|哪里|多少|多久|可以|能不能|需要|应该|请问|介绍|解释"
    r"|说明|一下|我们|公司|员工|是否|有没有|以及|或者|申请|流程|制度|规定|规则|政策"
    r"|文档|手册|资料|知识|信息|数据|管理|相关|问题|内容|方法|标准|要求|使用|提供|包括|包含|处理|其他|的|了|吗|呢"
    r"|和|与|及|在|是|有|我|你|您"
)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Domain codes for a question, empty for every readable one, and why."""

    domains: tuple[str, ...]
    reason: str


def narrow(
    question: str,
    catalogue: tuple[KnowledgeDomain, ...],
    at_home: frozenset[str] = frozenset(),
    *,
    asked_for: bool = False,
) -> Narrowing:
    """The domains whose name, titles or description speak of what is asked; every readable one when none does.

    `at_home`: domains of the chosen skills, a hint; `asked_for`: the client asked for the skill.
    """
    with_documents = tuple(domain for domain in catalogue if domain.document_count > 0)
    if not catalogue:
        return Narrowing((), "no domains are set up: everything readable is searched")
    text = question[:_LOOKED_AT]
    named = tuple(domain for domain in catalogue if _is_named(domain, text))
    if named:
        filled = tuple(domain.code for domain in named if domain.document_count > 0)
        if filled:
            return Narrowing(filled, "named in the question")
        return Narrowing((), f"{named[0].name} is named but holds no documents: everything readable is searched")
    scores = _scores(words_of(text), with_documents)
    for code in at_home & scores.keys():
        if scores[code] or asked_for:
            scores[code] += _LEAST if asked_for else _AT_HOME
    best = max(scores.values(), default=0.0)
    if best < _LEAST:
        return Narrowing((), "no domain speaks of it: everything readable is searched")
    chosen = tuple(code for code, score in scores.items() if score >= _CLOSE * best)
    if len(chosen) == len(with_documents) and len(chosen) > 1:
        return Narrowing((), "every domain speaks of it: everything readable is searched")
    shared = ", ".join(_shared(words_of(text), chosen[0], with_documents))
    home = "at home in the skill" if at_home & set(chosen) else ""
    return Narrowing(chosen, "; ".join(filter(None, (f"shares {shared}" if shared else "", home))))


def requested_domains(codes: tuple[str, ...], catalogue: tuple[KnowledgeDomain, ...]) -> Narrowing:
    """The domains a client asked for, without those the caller cannot read; all of them while nobody says which are."""
    if not catalogue:
        return Narrowing(
            tuple(dict.fromkeys(codes)), "requested by the client; there is no catalogue to check them with"
        )
    readable = {domain.code for domain in catalogue}
    known = tuple(dict.fromkeys(code for code in codes if code in readable))
    unknown = tuple(dict.fromkeys(code for code in codes if code not in readable))
    if not known:
        return Narrowing((), f"requested domains are unknown ({', '.join(unknown)}): everything readable is searched")
    also = f"; unknown: {', '.join(unknown)}" if unknown else ""
    return Narrowing(known, f"requested by the client{also}")


@lru_cache(maxsize=4_096)
def _bearing(domain: KnowledgeDomain) -> dict[str, float]:
    """The words of a domain and how much each says; kept because a catalogue changes far less often than it is read."""
    weights: dict[str, float] = {}
    for weight, texts in (
        (_DESCRIPTION, (domain.description,)),
        (_TITLE, domain.sample_titles),
        (_NAME, (domain.name, domain.code.replace("_", " ").replace("-", " "))),
    ):
        for text in texts:
            for word in words_of(text):
                weights[word] = max(weights.get(word, 0.0), weight)
    return weights


def words_of(text: str) -> frozenset[str]:
    """Lower-case words and Chinese bigrams that say something, plurals as singulars."""
    found: set[str] = set()
    for run in _RUN.findall(_SAYS_NOTHING.sub(" ", text)):
        if run[0] >= "\u3400":
            found.update(run[place : place + 2] for place in range(len(run) - 1))
            if len(run) == 1:
                found.add(run)
        elif run.lower() not in STOP:
            found.add(_singular(run.lower()))
    return frozenset(found)


def _scores(asked: frozenset[str], domains: tuple[KnowledgeDomain, ...]) -> dict[str, float]:
    """Per domain the weights of the words it shares with the question; a word that several bear is divided among them."""
    bearings = [_bearing(domain) for domain in domains]
    scores = dict.fromkeys((domain.code for domain in domains), 0.0)
    for word in asked:
        bearers = [
            (domain.code, bearing[word]) for domain, bearing in zip(domains, bearings, strict=True) if word in bearing
        ]
        for code, weight in bearers:
            scores[code] += weight / len(bearers)
    return scores


def _shared(asked: frozenset[str], code: str, domains: tuple[KnowledgeDomain, ...]) -> list[str]:
    bearing = next(_bearing(domain) for domain in domains if domain.code == code)
    return sorted((word for word in asked if word in bearing), key=lambda word: (-bearing[word], word))[:4]


def _is_named(domain: KnowledgeDomain, text: str) -> bool:
    """Whether the domain or a document of it is called by name; names of one common word only score."""
    if any(_calls(name, text) for name in (domain.name, *domain.sample_titles)):
        return True
    return _DISTINCT_CODE.fullmatch(domain.code) is not None and _calls(domain.code, text)


def _calls(name: str, text: str) -> bool:
    if name.lower() not in text.lower():
        return False
    if not _ASCII.fullmatch(name):
        return len(name) > 2
    if len(name) <= 3:  # "HR", "IT": in capitals a name, in small letters a word
        return name.isupper() and re.search(rf"(?<![A-Za-z0-9_-]){re.escape(name)}(?![A-Za-z0-9_-])", text) is not None
    several_words = re.search(r"[\s_-]", name) is not None
    return several_words and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
