"""Pronouns and ellipses of an English question, completed from what was said before."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning import english
from superagent_orchestrator.domain.planning.english_words import ATTRIBUTE, FRAME, NOT_A_THING, PREPOSITION
from superagent_orchestrator.domain.planning.identifiers import mask_literals
from superagent_orchestrator.domain.planning.instead_en import PHRASE, TAIL, elsewhere, instead
from superagent_orchestrator.domain.planning.personal import is_verdict
from superagent_orchestrator.domain.planning.pronoun_en import (
    DETERMINER_BEFORE,
    EMPTY_IT,
    PRONOUN,
    free_pronoun,
    is_sure,
    replaced,
)
from superagent_orchestrator.domain.planning.reference import Context, Missing, Resolution, continued

_I = re.IGNORECASE
_END = r"[\s.!?]*$"
_LEAD = re.compile(r"^(?:(?:so|and|but|also|then|ok(?:ay)?|well|plus|now|or)\b[,.!\s]*)+(?=[^\s,.!?])", _I)
_ABOUT = re.compile(r"^(?:(?:what|how) about|what of)\s+(?P<other>[^?!.,;]{1,60})" + _END, _I)
_OWNED = re.compile(r"(?:its|their|his)\s+\w", _I)
_OTHERS = re.compile(
    r"^(?:(?:is|are) there )?(?:any|what|which|anything|something|are there)?\s*(?:any )?(?:other|others|else|more"
    r"|alternatives?|another|different)\b(?: (?:way|ways|option|options|one|ones|method|methods|solution|solutions"
    r"|alternatives?|possibilities))?(?: (?:is|are) there| (?:do|can) (?:i|we) (?:have|use)| exist)?" + _END,
    _I,
)
_MORE = re.compile(
    r"^(?:why(?: not| is that| so)?|how (?:so|come|exactly|to)|how|(?:can you |could you |please )*(?:(?:give|show) (?:me "
    r"|us )?(?:an? |some |more |another )*(?:examples?|details?|information)"
    r"|(?:tell me|say|explain) (?:more|further|in (?:more )?detail)(?: about (?:it|that|this))?|elaborate(?: on (?:it"
    r"|that|this))?|go on|continue|explain(?: (?:it|that|this))?(?: further| more| in detail)?|expand on (?:it"
    r"|that|this)|be more specific)"
    r"|(?:(?:it|that|this) )?(?:still )?(?:(?:does|did)(?:n't| not)|not) (?:work(?:ing)?|help)|(?:the )?same (?:error"
    r"|problem|result)|for (?:example|instance)|(?:any |an? )?examples?|(?:any |some )?more (?:details?|info(?:rmation)?)"
    r"|what do you mean(?: by that)?"
    r"|and then|what then|what next|in (?:more )?detail|tell me more)(?: please)?" + _END,
    _I,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(
    rf"\bthe (?P<number>{'|'.join(_ORDINALS)}|last)(?: (?:one|option|step|point|item|method|way"
    r"|choice)\b|(?=\s*(?:[?.!,]|$|(?:is|are|do|does|work|in|on|for|and|mean|cost)\b)))",
    _I,
)

_FINITE = re.compile(rf"\b(?:{english.WH}|{english.AUXILIARY})\b", _I)
_CORRECTS = re.compile(
    r"^(?:no|sorry|excuse me)?[,.\s]*i (?:meant?|am asking about|was asking about)\s+(?!if\b|that\b|are\b|is\b|what\b"
    r"|which\b|who\b|how\b|why\b|where\b|when\b)"
    r"(?P<other>[^?!.,;]{1,60}?)(?:,? (?:rather|instead))?" + _END,
    _I,
)
_WHICH_OF = re.compile(
    r"^(?:so )?which (?:one )?(?:is|are|has|does|should|would|do)\b"
    r"(?=.{0,40}\b(?:more|less|better|best|worse|most|least|prefer\w*|recommend\w*|choose|use|[a-z]{3,}er)\b)[^,;]{1,60}$",
    _I,
)
_PAIR = re.compile(r"(?P<one>.{1,50}?),? (?:and|or) (?P<other>.{1,50})")
_JOINS = re.compile(r"^(?:and|or|but)\b", _I)
# "What about X" with more words than this is a question of its own.
_SAYS_ENOUGH = 4


def resolve(question: str, context: Context) -> Resolution:
    """The question completed from `context`, or as it stands with the reason."""
    lead = _LEAD.match(question)
    asked = question[lead.end() :] if lead else question
    if context.pending and _is_bare(asked):
        answer = asked.strip(TAIL)
        filled = resolve(context.pending, Context(topic=answer, plural=answer, person=answer, question=answer))
        if filled.applied:
            return Resolution(filled.text, "answers our question back, so it completes the question before it", True)
    if is_remark(asked):
        return Resolution(question, "a remark: nothing to complete")
    ordinal = _ORDINAL.search(mask_literals(asked))
    if ordinal and context.listed:
        return _from_list(question, asked, ordinal, context)
    if _OTHERS.match(asked):
        return _besides(question, asked, context)
    if _MORE.match(asked):
        return _more(question, asked, context)
    about, phrase = _ABOUT.match(asked), PHRASE.match(asked)
    if phrase and context.question and _FINITE.search(phrase["where"]) is None:
        return elsewhere(phrase["where"].strip(), phrase["preposition"], context)
    if about and PRONOUN.fullmatch(about["other"].strip()) is None and _OWNED.match(about["other"]) is None:
        if english.content_size(about["other"]) > _SAYS_ENOUGH or english.QUESTION_START.match(about["other"]):
            return Resolution(question, "says all of what it asks about")
        return instead(question, about["other"].strip(), context)
    if lead and _JOINS.match(question) and _is_bare(asked) and context.question:
        return instead(question, asked.strip(TAIL), context)
    corrected = _CORRECTS.match(asked)
    if corrected and context.question and english.content_size(corrected["other"]) <= _SAYS_ENOUGH:
        return instead(question, corrected["other"].strip(), context)
    if _WHICH_OF.match(asked) and (both := _PAIR.fullmatch(context.plural)):
        text = f"{question.rstrip(TAIL)}, {both['one']} or {both['other']}?"
        return Resolution(text, "asks which of the two before", True)
    if pointed := _same_thing(asked, context):
        return pointed
    pronoun = free_pronoun(mask_literals(asked), context)
    if pronoun is not None:
        return replaced(question, asked, pronoun, context)
    if _WHICH_ONE.match(asked) and context.topic:
        return _subject(question, asked, context)
    if not english.has_content(english.without_opener(asked)) and not EMPTY_IT.search(asked):
        return _subject(question, asked, context)
    return _in_full(question, context) or Resolution(question, "the question stands alone")


def _same_thing(asked: str, context: Context) -> Resolution | None:
    """ "That restaurant", "the same price range": what was said with this noun before, with what was said of it."""
    pointing = _POINTING.search(mask_literals(asked))
    if pointing is None or pointing["noun"].lower() in NOT_A_THING:
        return None
    noun = pointing["noun"].lower()
    is_found = rf"{re.escape(context.found)} is (?:an?|the) (?:[\w'’-]+ ){{0,4}}{noun}\b"
    if context.found and re.search(is_found, context.answer, _I):
        text = asked[: pointing.start()] + context.found + asked[pointing.end() :]
        return Resolution(text, f"“{pointing.group()}” refers to “{context.found}”", True)
    said = None
    for text in (context.question, context.answer):
        # The nearest and fullest naming: "the centre part", not "part".
        for found in re.finditer(rf"\b(?:the|an?)\s+(?P<of>(?:[\w'’-]+\s+){{1,3}}){noun}\b", text, _I):
            if all(word.lower() not in FRAME and word.lower() not in PREPOSITION for word in found["of"].split()):
                said = f"the {found['of']}{noun}"
    if said is None:
        return None
    text = asked[: pointing.start()] + said + asked[pointing.end() :]
    return Resolution(text, f"“{pointing.group()}” was named before as “{said}”", True)


_POINTING = re.compile(r"\b(?:that|this|(?:the |in the )?same)\s+(?P<noun>[a-z]{3,})(?=\W|$)", _I)


def _from_list(question: str, asked: str, ordinal: re.Match[str], context: Context) -> Resolution:
    number = ordinal["number"].lower()
    place = len(context.listed) if number == "last" else _ORDINALS.index(number) + 1
    if place > len(context.listed):
        return Resolution(
            question, "the answer before has no such item", missing=Missing.REFERENT, words=ordinal.group()
        )
    item = context.listed[place - 1]
    if _ABOUT.match(asked) or (not asked[: ordinal.start()].strip() and not asked[ordinal.end() :].strip(TAIL)):
        return instead(question, item, context)
    text = asked[: ordinal.start()] + item + asked[ordinal.end() :]
    return Resolution(text, f"“{ordinal.group()}” is item {place} of the answer before", True)


def _besides(question: str, asked: str, context: Context) -> Resolution:
    if not context.topic:
        return Resolution(question, "others than what is not said", missing=Missing.SUBJECT, words=asked.strip(TAIL))
    return Resolution(
        f"Besides {context.topic}, {asked[0].lower()}{asked[1:]}", "“other” is counted against the topic before", True
    )


def _more(question: str, asked: str, context: Context) -> Resolution:
    if not context.question:
        return Resolution(
            question, "asks for more of what is not said", missing=Missing.SUBJECT, words=asked.strip(TAIL)
        )
    return Resolution(continued(context.question, asked), "asks for more of the question before", True)


def _subject(question: str, asked: str, context: Context) -> Resolution:
    """A question without anything it could be about ("How do I configure?", "What are the steps?")."""
    spoken = asked.rstrip(TAIL)
    if not context.topic:
        asks = english.QUESTION_START.match(asked) and english.words(asked)
        missing = Missing.SUBJECT if asks and not _HELP.match(asked) else Missing.TOPIC
        return Resolution(question, "says what is asked but not of what", missing=missing, words=spoken)
    topic = context.found or context.topic
    if not is_sure(topic, context):
        return Resolution(question, f"“{topic}” need not be what it leaves out")
    if context.earlier and _OBJECT_AHEAD.match(asked):
        return Resolution(question, "says itself what it asks for")
    waits = english.ends_with_verb(asked) and _OBJECT_AHEAD.match(asked) is None
    join = " " if waits or _OPEN_END.search(spoken) else " for "
    text = f"{spoken}{join}{topic}{asked[len(spoken) :].strip()}"
    return Resolution(text, "the topic before is what it leaves out", True)


_REMARK = re.compile(
    r"^(?:why (?:don'?t|can'?t|won'?t|didn'?t|do|are|cannot) you\b.*|are you (?:sure|certain|serious)|really"
    r"|seriously|is that (?:so|right|true|all)|what|huh|sorry|pardon"
    r"|great|good|nice|wow"
    r"|(?:yes|no|yeah|nope|yep)\b(?!.*\?).*|(?:i|it) (?:don'?t|do not|doesn't|does not) (?:really )?(?:care"
    r"|mind|matter|have (?:a|any)"
    r" preferences?|know|think so)\b(?!.*\?).*)\W*$",
    _I,
)


def is_remark(text: str) -> bool:
    """Whether a text answers or comments and asks nothing ("I don't care", "Are you sure?")."""
    return _REMARK.match(text) is not None or is_verdict(text)


_HELP = re.compile(r"^(?:(?:can|could) (?:you|i)|please|i (?:have|need|want))\b", _I)
# "Which system?": of what is not said.
_WHICH_ONE = re.compile(r"^(?:which|what|whose) [a-z]+\s*\?*$", _I)
# "Which type can I create": the verb has its object in front.
_OBJECT_AHEAD = re.compile(rf"^(?:which|what)\s+\w+\s+{english.AUXILIARY}\b", _I)
_OPEN_END = re.compile(r"\b(?:about|of|for|with|to|explain|describe|show me|tell me)$", _I)


_NAME_BEFORE = re.compile(r"[A-Z][\w'’-]*\s$")
_KINDS = frozenset({"type", "types", "kind", "name"})


def _goes_on(rest: str) -> bool:
    """Whether the noun phrase goes on behind a noun: "the food type", "the stock market"."""
    ahead = english.words(rest)[:1] if rest.startswith(" ") else []
    return bool(ahead) and ahead[0].lower() not in (FRAME | PREPOSITION) - ATTRIBUTE - _KINDS


def _in_full(question: str, context: Context) -> Resolution | None:
    """ "OpenShift" or "the wall" for what was called "Red Hat OpenShift" or "the Berlin Wall" before."""
    masked = mask_literals(question)
    for name in context.names:
        first, _, last = DETERMINER_BEFORE.sub("", name).rpartition(" ")
        if not first or not last or english.words_in_common(first, question):
            continue
        short = re.search(
            rf"(?<![\w-])(?:(?:the|that|this)\s+(?i:{re.escape(last)})|{re.escape(last)})(?![\w-])", masked
        )
        if short is None or (short.group() == last and not last[0].isupper()):
            continue
        if _NAME_BEFORE.search(masked[: short.start()]) or _goes_on(masked[short.end() :]):
            continue
        text = question[: short.start()] + name + question[short.end() :]
        return Resolution(text, f"“{short.group()}” was called “{name}” before", True)
    return None


def _is_bare(text: str) -> bool:
    """Whether a text only names something."""
    name = text.strip(TAIL)
    return (
        0 < len(name) <= 60
        and len(english.words(name)) <= 6
        and english.QUESTION_START.match(name) is None
        and re.search(r"[?!;\n]|^(?:if|when|because|no|not)\b", name, _I) is None
        and PRONOUN.search(name) is None
        and english.has_content(name)
    )
