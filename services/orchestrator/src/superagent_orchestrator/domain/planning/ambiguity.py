"""What to ask back when a question says too little (PLAN-4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from superagent_orchestrator.domain.plan import Clarification, Language
from superagent_orchestrator.domain.planning import chinese, english
from superagent_orchestrator.domain.planning.chinese_words import GENERIC_NOUNS
from superagent_orchestrator.domain.planning.narrow import words_of
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain
from superagent_orchestrator.domain.planning.reference import Missing

MOST_CHOICES = 4
FEWEST_CHOICES = 2

_WORD = re.compile(r"\w")
_BARE_NOUN_ZH = re.compile(
    rf"^(?:请问|查一?下|看一?下|关于|公司的?)?(?P<noun>{'|'.join(GENERIC_NOUNS)})(?:呢|吗)?[\s?？。.!！]*$"
)
_BARE_NOUN_EN = re.compile(
    r"^(?:the |our |company |a |an )?(?P<noun>polic(?:y|ies)|process|procedure|documents?|docs|rules?|information"
    r"|info|data|settings?|configuration|problem|issue|question|report|product|system)[\s?.!]*$",
    re.IGNORECASE,
)
_OPENING_ZH = re.compile(
    r"^(?:我)?(?:有|想问|想请教|想咨询|要问)(?:一?个|几个|些|一下|下|点)?(?:问题|事情?|事儿)?(?:想?(?:问|请教"
    r"|咨询)(?:一下|你|您|下)?)?[\s?？。.!！]*$|^(?:请)?帮(?:帮"
    r"|一下|个)?(?:我|忙)?(?:一下|个忙)?[\s?？。.!！]*$"
)
_OPENING_EN = re.compile(
    r"^(?:i (?:have|had|'ve got|got) (?:a|some|another|one|a few) (?:quick |small )?(?:questions?|problems?|issues?)"
    r"|(?:can|could|may) (?:i|you) (?:ask (?:you )?(?:a|something|some).{0,15}|help(?: me)?(?: with (?:something"
    r"|this|it))?(?: out)?)|(?:please )?help me(?: out| please)?|i need (?:some |your )?(?:help|assistance|information"
    r"|info))[\s?.!]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """What is missing, and the words of the question that show it."""

    missing: Missing
    words: str


def ambiguity_of(question: str, *, missing: Missing | None, words: str) -> Ambiguity | None:
    """What `question` lacks; `missing` and `words` are what completing it from the history left open."""
    if not _WORD.search(question):
        return Ambiguity(Missing.QUESTION, question[:20])
    if _OPENING_ZH.match(question) or _OPENING_EN.match(question):
        return Ambiguity(Missing.TOPIC, question[:60])
    bare = _BARE_NOUN_ZH.match(question) or _BARE_NOUN_EN.match(question)
    if bare:
        return Ambiguity(Missing.SUBJECT, bare["noun"])
    if missing is None or (missing is Missing.REFERENT and _says_enough(question)):
        return None
    return Ambiguity(missing, words)


def _says_enough(question: str) -> bool:
    """Whether a question with an open pronoun still names enough to be searched for."""
    return chinese.content_size(question) + 3 * english.content_size(question) > _ENOUGH


_ENOUGH = 4  # Chinese characters; a word of another script counts as three


def clarification(
    ambiguity: Ambiguity,
    question: str,
    catalogue: tuple[KnowledgeDomain, ...],
    language: Language,
    listed: tuple[str, ...] = (),
) -> Clarification:
    """One concrete question, and 2 to 4 choices where the newest answer's list or the catalogue has them."""
    texts = _TEXTS[language]
    words = ambiguity.words.strip(" ?？。.!！,，")[:40]
    pointed_at = ambiguity.missing is Missing.REFERENT and len(listed) >= FEWEST_CHOICES
    choices = listed[:MOST_CHOICES] if pointed_at else choices_from(question, catalogue)
    return Clarification(texts[ambiguity.missing].format(words=words), choices, str(ambiguity.missing))


_TEXTS: dict[Language, dict[Missing, str]] = {
    Language.CHINESE: {
        Missing.REFERENT: "您说的“{words}”指的是什么？请补充具体的名称、编号或主题。",
        Missing.SUBJECT: "“{words}”是针对哪个产品、制度或事项的？请补充具体名称。",
        Missing.TOPIC: "请问您想查询哪方面的内容？请说出具体的主题、名称或编号。",
        Missing.QUESTION: "请问您想了解什么？请用一句话描述您的问题。",
    },
    Language.ENGLISH: {
        Missing.REFERENT: "What does “{words}” refer to? Please give a name, a number or a topic.",
        Missing.SUBJECT: "“{words}”: of which product, policy or matter? Please name it.",
        Missing.TOPIC: "What would you like to know about? Please give a topic, a name or a number.",
        Missing.QUESTION: "What would you like to know? Please describe it in one sentence.",
    },
}


def choices_from(question: str, catalogue: tuple[KnowledgeDomain, ...]) -> tuple[str, ...]:
    """Titles that share a word with the question, else the domains with most documents; 2 to 4 of them or none."""
    filled = sorted(
        (domain for domain in catalogue if domain.document_count > 0), key=lambda d: (-d.document_count, d.code)
    )
    asked = words_of(question[:200])
    titles = [title for domain in filled for title in domain.sample_titles if asked & words_of(title)]
    for found in (titles, [domain.name for domain in filled]):
        choices = tuple(dict.fromkeys(name.strip() for name in found if name.strip()))[:MOST_CHOICES]
        if len(choices) >= FEWEST_CHOICES:
            return choices
    return ()
