"""English pronouns: which of them refer back, and what stands in their place."""

from __future__ import annotations

import re
from itertools import islice

from superagent_orchestrator.domain.planning import english
from superagent_orchestrator.domain.planning.english_words import FRAME, KIND, NEEDS_NAME, NOT_A_THING
from superagent_orchestrator.domain.planning.reference import Context, Missing, Resolution
from superagent_orchestrator.domain.planning.topic_en import is_name

_I = re.IGNORECASE
_FEW_WORDS = 4
_DO_THAT = re.compile(r"\bdo (?:that|this|it|so)\b", _I)
_MOST_PRONOUNS = 6
# "It" that stands for nothing: "is it possible to", "it is raining", "how long does it take to".
EMPTY_IT = re.compile(
    r"\b(?:is|was|would|be) it (?:\w+ ){0,2}\w+(?<!ed)(?<!ing) (?:to|that|if)\b"
    r"|\bit(?:'s| is| was| will be| would be)(?: \w+ly)? \w+(?<!ed)(?<!ing) (?:to|that|if)\b"
    r"|\bit(?:'s| is| was| will| does| doesn't| does not| didn't|)? (?:\w+ly )?(?:rain\w*|snow\w*|cold|hot|time"
    r"|matter|depends?)\b"
    r"|\b(?:don't get|got|knew|believe) it\b"
    r"|\bhow (?:long|much) (?:does|will|would|did) it (?:usually |typically )?take (?:to|for)\b"
    r"|\bwhat (?:does|would|will) it take to\b",
    _I,
)
PRONOUN = re.compile(
    r"(?<!\w)(?:(?P<own>its|their|theirs|his|her(?=\s+[a-z]))|(?P<one>one(?=\s*(?:[?.!,]"
    r"|$)))|(?P<thing>it|they|them|he|she|him|her|the (?:former|latter)(?=\s*(?:[?.!,;]"
    rf"|$)|'s|\s+(?:{english.AUXILIARY}|one)\b))(?!'\w|\w)"
    rf"|(?P<pointing>this|that|these|those)(?=\s*(?:[?.!,;]|$)|\s+(?:{english.AUXILIARY}|works?|means?|appl(?:y"
    r"|ies)|costs?|happens?|takes?|in|on|for|with|to|at|by|from|possible|allowed|mandatory|required|when|if|and"
    r"|or|affects?|differ|compare)\b)"
    rf"|(?P<kind_of>this|these|that|those)\s+(?P<noun>[a-z]+))(?![\w'])",
    _I,
)
_COUNTS_ONE = re.compile(
    r"\b(?:which|this|that|each|the|no|any|every|only|first|second|other|another|new|last)\s+$", _I
)
_BEFORE_THAT = re.compile(
    rf"(?:^|\b(?:{english.AUXILIARY}|about|of|for|with|to|like|than|from|on|by|after|before|change|use|configure"
    r"|fix|explain|and|in|does|disable|enable|set|get|need|want)\s+)$",
    _I,
)
_CLAUSE = re.compile(
    r"[,;:.?!\n]|\s[-–—]\s|\b(?:if|when|while|because|since|so that|after|before|and|but|then|which|who|whether|unless"
    r"|until|once|that)\b",
    _I,
)
_JOINED = re.compile(r"\b(?:and|or|with|to|than|from|versus|vs\.?|like|between)\s*$", _I)
DETERMINER_BEFORE = re.compile(r"^(?:the|an?|our|my|your|this|these|that|those)\s", _I)


def free_pronoun(masked: str, context: Context) -> re.Match[str] | None:
    """The first pronoun whose referent is not in the question itself."""
    empty = [match.span() for match in EMPTY_IT.finditer(masked)]
    for pronoun in islice(PRONOUN.finditer(masked), _MOST_PRONOUNS):
        word = pronoun.group().lower()
        if word == "it" and any(begin <= pronoun.start() < end for begin, end in empty):
            continue
        if pronoun["one"] and _COUNTS_ONE.search(masked[: pronoun.start()]):
            continue
        if not _is_asked(masked, pronoun.start()):
            continue
        if pronoun["noun"] and not _points_back(masked, pronoun, context):
            continue
        last = word == "those" and not masked[pronoun.end() :].strip(" ?.!")
        if word.startswith(("that", "those")) and not last and not _BEFORE_THAT.search(masked[: pronoun.start()]):
            continue
        begin = max((clause.end() for clause in _CLAUSE.finditer(masked, 0, pronoun.start())), default=0)
        clause = english.without_opener(masked[begin : pronoun.start()])
        if english.has_content(masked[:begin]):
            continue
        if english.has_content(clause) and not _JOINED.search(clause) and (pronoun["own"] or not context.topic):
            continue
        return pronoun
    return None


def _is_asked(masked: str, place: int) -> bool:
    """Whether the sentence at `place` asks or orders; a longer statement ("That is too bad.") says what it says."""
    begin = max((end.end() for end in re.finditer(r"[.!?\n]\s+", masked[:place])), default=0)
    end = re.search(r"[.!?\n]", masked[place:])
    sentence = masked[begin : place + end.end() if end else len(masked)]
    return english.is_question(sentence) or len(english.words(sentence)) <= _FEW_WORDS


def _points_back(masked: str, pronoun: re.Match[str], context: Context) -> bool:
    """Whether "this X" means the topic: X is a kind of thing, or something that a named topic has, and says no more."""
    noun = pronoun["noun"].lower()
    if noun in NOT_A_THING or noun in NEEDS_NAME or noun.endswith("ly"):
        return False
    rest = english.words(masked[pronoun.end() :])
    goes_on = bool(rest) and english.has_content(rest[0]) and masked[pronoun.end() :].startswith(f" {rest[0]}")
    if len(context.topic.split()) > _FEW_WORDS and not context.topic.lower().endswith(noun):
        return False
    if re.match(r" of\b", masked[pronoun.end() :]):  # "that part of town" has its owner
        return False
    return not goes_on and (noun in KIND or not context.topic or any(letter.isupper() for letter in context.topic))


def replaced(question: str, asked: str, pronoun: re.Match[str], context: Context) -> Resolution:
    """`asked` with what `pronoun` refers to in its place; `question` with what is missing when nothing says it."""
    word = pronoun.group()
    done = _DO_THAT.search(asked)
    if done and context.action and done.start() < pronoun.start() <= done.end():
        reason = f"“{done.group()}” refers to “{context.action}”"
        return Resolution(asked[: done.start()] + context.action + asked[done.end() :], reason, True)
    referent = _referent(word.lower(), asked, context)
    if referent and english.content_size(PRONOUN.sub("", asked)) and not _fits(word.lower(), referent, context):
        return Resolution(question, f"“{word}” need not refer to “{referent}”")
    if not referent and context.topic and context.answer:
        return Resolution(question, f"the answer before may say whom “{word}” means")
    if not referent:
        return Resolution(question, "nothing before says what it refers to", missing=Missing.REFERENT, words=word)
    name = re.sub(r"^(?:an?|this|these|that|those)\s", "the ", referent, flags=_I)
    if pronoun["one"]:
        name = _one_of(asked[: pronoun.start()], referent)
    elif pronoun["own"]:
        name += "'" if name.endswith("s") else "'s"
    elif pronoun["noun"]:
        noun = pronoun["noun"].lower()
        bare = DETERMINER_BEFORE.sub("", name)
        if not bare.lower().endswith(noun):
            name = f"the {bare} {noun}" if noun in KIND else f"the {noun} of {name}"
    text = asked[: pronoun.start()] + name + asked[pronoun.end() :]
    return Resolution(text, f"“{word}” refers to “{referent}”", True)


def _one_of(before: str, referent: str) -> str:
    """What "one" stands for: behind a word that describes it ("the cheap one") only the kind of thing."""
    described = english.words(before)[-1:]
    if described and described[0].lower() not in FRAME:
        return english.head_of(referent)
    return re.sub(r"^(?:the|our|my|your)\s", "a ", referent, flags=_I)


# Two things are held against each other, each of which may have been asked about in a turn of its own.
_COMPARED = re.compile(r"\b(?:differences?|differ|compare[ds]?|which of|better|faster|cheaper|versus|vs)\b", _I)


_SEVERAL = re.compile(r"\b(?:one|all|both|each|any|some|which) of (?:them|these|those)\b", _I)


def _referent(word: str, asked: str, context: Context) -> str:
    if context.found and word not in ("he", "she", "him", "her", "his") and _SEVERAL.search(asked) is None:
        return context.found
    if word in ("the former", "the latter"):
        both = re.split(r",? (?:and|or) ", context.plural)
        return both[0 if word == "the former" else -1] if len(both) == 2 else ""
    if word in ("he", "she", "him", "her", "his"):
        return context.person or (context.topic if context.topic[:1].isupper() else "")
    if word in ("they", "them", "their", "theirs") or word.startswith(("these", "those")):
        if context.earlier and _COMPARED.search(asked) and " and " not in context.topic:
            return f"{context.earlier} and {context.topic}"
        return context.person or context.plural or context.topic
    if word in ("it", "its") and english.is_plural(context.topic) and context.earlier:
        return context.earlier
    return context.topic


def _fits(word: str, referent: str, context: Context) -> bool:
    """Whether the referent is sure and fits in number; a name may be one thing or many people."""
    several = english.is_plural(referent) or " and " in referent
    if word in ("it", "its") and several:
        return False
    if word in _THEY and not (several or is_name(referent) or referent == context.person):
        return False
    return is_sure(referent, context)


def is_sure(referent: str, context: Context) -> bool:
    """Whether what was said before is a name, described, or what a short question was about."""
    if referent in (context.found, context.person):
        return True
    return is_name(referent) or " " in referent or len(english.words(context.question)) <= _SHORT


_THEY = ("they", "them", "their", "theirs")
# A small word alone in a longer question is often a part of something else.
_SHORT = 6
