"""Splits a compound question into questions that can be answered one by one (PLAN-5, PLAN-13)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from superagent_orchestrator.domain.planning import chinese, english
from superagent_orchestrator.domain.planning.fast_path import is_pleasantry
from superagent_orchestrator.domain.planning.identifiers import lost_identifiers, mask_literals
from superagent_orchestrator.domain.planning.reference import NOTHING_SAID, Context, Resolution
from superagent_orchestrator.domain.planning.rewrite import context_of, resolve
from superagent_orchestrator.domain.planning.steps import FROM_RESULT, SEQUENCE, result_named, steps

MOST_QUESTIONS = 4
# Longer text is a document with a question in it.
LONGEST_SPLIT = 500
_MOST_JOINTS = 20

_SENTENCE_END = re.compile(r"[?？。！!；;]+[\s”’\")）]*|(?<=[a-z\d])\.(?=\s+[A-Z])\s*|\n+")
_ABBREVIATION = re.compile(r"\b(?:St|Mr|Mrs|Ms|Dr|No|vs?|Prof|Inc|Ltd|Co|Jr|Sr)$")
_NUMBERED = re.compile(
    r"(?:^|(?<=[\s:：;；。?？,，]))(?:\d{1,2}[.、)）](?!\d)|[（(]\d{1,2}[)）]|[①②③④⑤⑥⑦⑧⑨]|[-*•](?=\s))\s*"
)
_CHINESE_JOINT = re.compile(
    r"[,，、]?\s*(?P<word>然后|接着|之后再|并且|以及|同时|还有|另外|此外|其次|最后|而且|顺便(?:问一下|问)?"
    r"|再|又|并|(?<![,，、 ])[和及])\s*|[,，]\s*"
)
_ENGLISH_JOINT = re.compile(
    r",?\s+(?P<word>and then|and also|and after that|then|as well as|and|also|plus|but|or)\s+"
    rf"(?={english.CLAUSE_START.pattern})"
    rf"|,\s*(?={english.CLAUSE_START.pattern})",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"区别|差别|差异|不同|相比|对比|比较|哪个更|\bdifferences?\b|\bcompare\b|\bversus\b|\bvs\b|\bbetween\b",
    re.IGNORECASE,
)
_TELLS_TO_SAY = re.compile(r"^(?:请|麻烦你?|帮我)?(?:介绍|说明|解释|列出|列举|对比|比较|总结|概括|告诉我|讲讲|说说)")
# What "介绍" and its like must name to be a question of their own ("Kafka 的用途", not "风险点").
_NAMED = re.compile(r"的|[A-Za-z]|《|\ue000")
_RESPECTIVELY = re.compile(
    r"^(?P<lead>(?:请问|请|帮我|麻烦)?(?:介绍|说明|解释|查)?(?:一下)?)(?P<items>[^,，。?？]{1,80}?)(?P<mark>分别"
    r"|各自)(?P<frame>(?:是|有"
    r"|怎|如|为|需|要|多|能|可|在|由|属|叫|指|支|包|用|对|会|什|几)[^,，。]{0,60})$"
)
_ITEM_JOINT = re.compile(r"[、,，]|(?<=[\w\u3400-\u9fff ])(?:以及|和|与|及|跟)(?=[\w\u3400-\u9fff \ue000])|\s+and\s+")
_RESPECTIVELY_EN = re.compile(
    r"^(?P<lead>what (?:are|do)) (?P<items>[\w`/.\- ]+(?:, [\w`/.\- ]+)*,? and [\w`/.\- ]+?)(?P<frame>(?: mean"
    r"| do| stand for)?),? respectively\s*\??$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"(?:who|whom|whose|which|where|when)\b", re.IGNORECASE)
_AUXILIARY_SOON = re.compile(rf"\w+\s+(?:[\w'-]+\s+){{0,3}}{english.AUXILIARY}\b", re.IGNORECASE)
_AUXILIARY_FIRST = re.compile(rf"{english.AUXILIARY}\b", re.IGNORECASE)
_AUXILIARY_ANYWHERE = re.compile(rf"\b{english.AUXILIARY}\b", re.IGNORECASE)
_SUBORDINATE = re.compile(
    rf"^(?:when|where|while|if|as|although|since|because|once|unless)\s+(?!{english.AUXILIARY}\b)", re.IGNORECASE
)
# "什么" that only opens a clause ("在什么情况下, …") does not make it a question.
_UNFINISHED = re.compile(
    r"(?:如何|怎么|怎样|何时|何地|为什么|为何|什么时候|是否)$|(?:什么|哪些|哪种|哪个|何种)(?:情况|条件|时候|场景|前提)(?:下|中|里|之下)?$|(?:如果|当|假如|若|要是)[^,，]*$"
)
_ENDS_OPEN = re.compile(r"\b(?:the|a|an|to|of|in|on|for|with|and|or|what|which|how|if|when)$", re.IGNORECASE)
_LEADS_OVER = re.compile(
    r"^(?:另外|此外|还有|以及|顺便(?:问一下|问)?|also|additionally|in addition|besides)\s*[,，]?\s*(?=\S{3})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """One question of several; `depends_on` holds the places of earlier parts, from 1."""

    text: str
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """One to four parts and why there are so many."""

    parts: tuple[Part, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the question and the word that joins it to the one before."""

    text: str
    joint: str = ""
    asks: bool = True
    waits: bool = False
    """Whether it goes on from the answer of the piece before."""


def split(question: str) -> Split:
    """The questions inside `question`, each completed so that it stands alone; a single question stays single."""
    if len(question) > LONGEST_SPLIT:
        return Split((Part(question),), "too long to be a compound question")
    pieces = _attach_statements(_pieces(question))
    reason = "a single question" if len(pieces) == 1 else f"{len(pieces)} questions"
    if len(pieces) > MOST_QUESTIONS:
        tail = " ".join(piece.text for piece in pieces[MOST_QUESTIONS - 1 :])
        pieces = [*pieces[: MOST_QUESTIONS - 1], _Piece(tail)]
        reason += f"; the last ones stay together, {MOST_QUESTIONS} is the limit"
    parts = _complete(pieces)
    lost = lost_identifiers(question, tuple(part.text for part in parts))
    if lost:
        return Split((Part(question),), f"splitting would lose {', '.join(lost)}")
    return Split(parts, reason)


def _pieces(question: str) -> list[_Piece]:
    listed = _numbered(question)
    if listed:
        return listed
    pieces: list[_Piece] = []
    for sentence in _sentences(question):
        if is_pleasantry(sentence):
            continue
        if pieces:
            sentence = _LEADS_OVER.sub("", sentence)
        ordered = steps(sentence, mask_literals(sentence), _is_clause)
        in_turn = [_Piece(text, waits=place > 0) for place, text in enumerate(ordered)]
        pieces.extend(_each_of(sentence) or in_turn or _clauses(sentence))
    return pieces or [_Piece(question)]


def _numbered(question: str) -> list[_Piece]:
    """The items of a list of questions or things, each with what introduces the list."""
    marks = list(_NUMBERED.finditer(mask_literals(question)))
    if len(marks) < 2:
        return []
    intro = question[: marks[0].start()].strip().rstrip(":：,，")
    ends = [mark.start() for mark in marks[1:]] + [len(question)]
    items = [question[mark.end() : end].strip().rstrip(";；,，、") for mark, end in zip(marks, ends, strict=True)]
    items = [item for item in items if item]
    if len(items) < 2 or (not any(_asks(item) for item in items) and not _asks(intro)):
        return []
    if not intro or is_pleasantry(intro):
        return [_Piece(item) for item in items]
    if all(_asks(item) for item in items):
        return [_Piece(f"{intro}: {items[0]}"), *(_Piece(item) for item in items[1:])]
    return [_Piece(f"{intro}: {item}") for item in items]


def _sentences(question: str) -> list[str]:
    found, begin = [], 0
    masked = mask_literals(question)
    for end in _SENTENCE_END.finditer(masked):
        if _ABBREVIATION.search(masked[begin : end.start()]):
            continue
        found.append(question[begin : end.end()].strip())
        begin = end.end()
    found.append(question[begin:].strip())
    return [sentence for sentence in found if re.search(r"\w", sentence)]


def _each_of(sentence: str) -> list[_Piece]:
    """ "A、B 和 C 分别怎么申请?" as one question for each."""
    bare = sentence.rstrip("?？。 ")
    chinese_frame, english_frame = _RESPECTIVELY.match(bare), _RESPECTIVELY_EN.match(sentence)
    found = chinese_frame or english_frame
    if found is None:
        return []
    items = [item.strip() for item in _ITEM_JOINT.split(found["items"]) if item and item.strip()]
    items = [re.sub(r"^and ", "", item) for item in items]
    if not 2 <= len(items) <= MOST_QUESTIONS or any(len(item) > 30 for item in items):
        return []
    mark = sentence[len(bare) :].strip() or "?"
    if english_frame:
        verb = "What is" if found["lead"].lower().endswith("are") else "What does"
        return [_Piece(f"{verb} {item}{found['frame']}?") for item in items]
    space = " " if found["items"].endswith(" ") else ""
    return [_Piece(f"{found['lead']}{item}{space}{found['frame']}{mark}") for item in items]


def _clauses(sentence: str) -> list[_Piece]:
    """The questions one sentence joins; each side of a joint must ask something of its own."""
    masked = mask_literals(sentence)
    joints = _joints(masked)
    if _COMPARED.search(masked):  # "the difference between how X works and how Y works" is one question
        joints = [joint for joint in joints if joint["word"] not in ("和", "及", "and", "or")]
    if len(joints) > _MOST_JOINTS:  # an enumeration
        return [_Piece(sentence, asks=_asks(sentence))]
    pieces: list[_Piece] = []
    begin, word = 0, ""
    for joint in joints:
        left, right = masked[begin : joint.start()], masked[joint.end() :]
        if joint["word"] in (None, "but") and _goes_on(left, right):
            continue
        if joint["word"] is None:
            right = re.split("[,，]", right, maxsplit=1)[0]
        if _is_clause(left) and _is_clause(right):
            pieces.append(_Piece(sentence[begin : joint.start()].strip(), word))
            begin, word = joint.end(), joint["word"] or ""
    pieces.append(_Piece(sentence[begin:].strip(), word))
    return [replace(piece, asks=_asks(piece.text)) for piece in pieces]


def _joints(masked: str) -> list[re.Match[str]]:
    joint = _CHINESE_JOINT if chinese.HAN.search(masked) else _ENGLISH_JOINT
    return list(joint.finditer(masked))


def _is_clause(masked: str) -> bool:
    text = masked.strip()
    if chinese.HAN.search(text):
        asked = chinese.INTERROGATIVE.search(text) or (_TELLS_TO_SAY.match(text) and _NAMED.search(text))
        return asked is not None and chinese.size(text) >= 3 and not _UNFINISHED.search(text)
    if _SUBORDINATE.match(text) or _ENDS_OPEN.search(text):
        return False
    return len(english.words(text)) >= 2 and english.is_question(text)


def _goes_on(left: str, right: str) -> bool:
    """Whether a comma without a joining word only goes on: "…, which in practice take", "What, along with …, is"."""
    if _RELATIVE.match(right):
        return _AUXILIARY_SOON.match(right) is None
    return _AUXILIARY_FIRST.match(right) is not None and _AUXILIARY_ANYWHERE.search(left) is None


def _asks(text: str) -> bool:
    if chinese.HAN.search(text):
        return chinese.is_question(text) or text.rstrip().endswith(("?", "？"))
    return english.is_question(text)


def _attach_statements(pieces: list[_Piece]) -> list[_Piece]:
    """A sentence that asks nothing belongs to the question behind it, at the end to the one before it."""
    joined: list[_Piece] = []
    waiting = ""
    for piece in pieces:
        if piece.asks or _asks(piece.text):
            joined.append(replace(piece, text=f"{waiting} {piece.text}".strip()))
            waiting = ""
        else:
            waiting = f"{waiting} {piece.text}".strip()
    if waiting and joined:
        joined[-1] = replace(joined[-1], text=f"{joined[-1].text} {waiting}")
    elif waiting:
        joined.append(_Piece(waiting))
    return joined


def _complete(pieces: list[_Piece]) -> tuple[Part, ...]:
    """Each piece completed from those before it, with what it waits for."""
    parts: list[Part] = []
    context: Context = NOTHING_SAID
    for place, piece in enumerate(pieces, start=1):
        text = piece.text
        depends_on: tuple[int, ...] = ()
        if place > 1:
            named = result_named(text, context.topic)
            resolution = Resolution(named, "", True) if named != text else resolve(text, context)
            refers = resolution.applied or resolution.missing is not None
            text = resolution.text if resolution.applied else text
            after = SEQUENCE.match(piece.joint) or SEQUENCE.match(piece.text)
            waits = piece.waits or FROM_RESULT.search(piece.text) is not None
            if waits or (refers and (after or _names_an_answer(context, text))):
                depends_on = (place - 1,)
        parts.append(Part(text, depends_on))
        context = context_of(text, context)
    return tuple(parts)


def _names_an_answer(context: Context, text: str) -> bool:
    """Whether `text` speaks of what the question before asks for, by a description that it does not hold itself."""
    described = (name for name in (context.person, context.topic) if name and name not in context.question)
    return any(name in text for name in described)
