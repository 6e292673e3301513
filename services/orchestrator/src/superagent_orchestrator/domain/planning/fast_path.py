"""Greetings, thanks and slash commands: answered at once, no model is asked (PLAN-10)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class FastPath(StrEnum):
    """What kind of message needs no planning."""

    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    ACKNOWLEDGEMENT = "acknowledgement"
    CAPABILITIES = "capabilities"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class FastPathMatch:
    """The kind, and the command's name without its slash."""

    kind: FastPath
    command: str = ""

    @property
    def code(self) -> str:
        """`greeting`, `command:help`, …: the planner's reason in the plan."""
        return f"{self.kind}:{self.command}" if self.command else str(self.kind)


# Commands that may be followed by words; any other is a command only when it stands alone ("/tmp is full" is a question).
COMMANDS = frozenset({"help", "domains", "skills", "tools"})

_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_-]{0,31})(\s.*)?", re.DOTALL)

# Longer than any pleasantry; keeps the patterns off documents.
_LONGEST = 80
_PHRASE_BREAK = re.compile(r"[^\w\s']+|_+")
_PARTICLE = re.compile(r"(?<=.)[呀啊哈呢啦哦吧]$")

_NAMED = (
    r"小助手|助手|机器人|各位|大家|老师|同学|朋友"
    r"|there|all|everyone|everybody|team|guys|folks|buddy|mate|man|my friend|friend|assistant|bot|ai|super ?agent"
)
_NAMES = rf"(?: ?(?:{_NAMED}))"
_ADDRESS = re.compile(_NAMED, re.IGNORECASE)
_NOD = re.compile("[👍👌👏🙏🙂😊😄😀🎉💯❤✅\ufe0f\U0001f3fb-\U0001f3ff\\s]+")


_WELL = (
    r"how (?:are|r) (?:you|ya|u)(?: doing| feeling)?(?: today| now)?|how (?:ya|you) (?:doing?|been)|how(?:'s| is) (?:it"
    r"|everything|life|your day) (?:going|hanging)?"
    r"|how(?:'ve| have) you been|how do you do|nice to meet you|(?:what'?s|wass|sup|what is) ?up|sup|you (?:ok"
    r"|good|there)|are you (?:ok|good|there)"
)


def _phrase(*alternatives: str) -> re.Pattern[str]:
    return re.compile("(?:" + "|".join(alternatives) + ")", re.IGNORECASE)


# A message is its weightiest phrase, later kinds weigh more: "hello, thank you" is thanks, "ok, bye" a farewell.
_KINDS: tuple[tuple[FastPath, re.Pattern[str]], ...] = (
    (
        FastPath.ACKNOWLEDGEMENT,
        _phrase(
            r"好的?|好吧|好嘞|好滴|嗯{1,8}|哦{1,8}|噢|行|可以|没问题|明白了?|知道了?|了解了?|懂了|收到|原来如此"
            r"|不用了|没事了?|没有了",
            r"是的?|对的?|不是",
            r"(?:yes|no|yeah|yup|nope|nah),? (?:please|sir|thank you)|agreed|correct|exactly|absolutely(?: not)?"
            r"|of course(?: not)?|definitely(?: not)?|true|right",
            r"that'?s (?:right|true|correct|wrong|fine|it|all|great|good)|maybe|perhaps|not (?:really|sure|yet)"
            r"|i don'?t know|idk|no idea|yup|nah|certainly(?: not)?",
            r"ok(?:ay)?|k|sure|alright|all right|got it|i see|understood|makes sense|great|cool|nice|perfect|good|fine",
            r"awesome|excellent|no problem|never ?mind|yes|yeah|yep|no|nope",
        ),
    ),
    (
        FastPath.GREETING,
        _phrase(
            rf"(?:你好|您好|哈喽|哈啰|嗨|嘿|早上好|上午好|中午好|下午好|晚上好|早安|午安|早){_NAMES}?",
            r"大家好|在吗|在么|在不在|有人吗|很高兴认识你|你好吗",
            rf"(?:hi|hello|hey|heyo?|hiya|howdy|greetings|yo|good (?:morning|afternoon|evening|day)){_NAMES}?(?: (?:{_WELL})"
            rf"|{_NAMES})?",
            rf"(?:{_WELL}){_NAMES}?",
        ),
    ),
    (
        FastPath.THANKS,
        _phrase(
            r"(?:非常|十分|太|万分)?感谢(?:您|你|大家)?(?:的(?:帮助|回答|解答|回复))?了?|多谢(?:了|你|您)?|谢了",
            r"(?:好的?|嗯)?(?:谢谢|谢)(?:你|您|大家|老师)?(?:的(?:帮助|回答|解答|回复))?了?|辛苦(?:你|您|大家)?了?",
            r"(?:(?:ok(?:ay)?|great|cool|perfect|got it|alright) )?(?:many )?(?:thanks?|thank you|thx|ty|cheers)"
            r"(?: (?:so|very) much| a lot| a bunch| a ton| again| for \w+(?: \w+){0,4})*",
            r"(?:i |i'm |much )?(?:really |very )?(?:appreciated?|thankful|grateful)(?: (?:it|that|your|you"
            r"|for)(?: \w+){0,3})?"
            r"|that (?:helps?|helped)(?: a lot)?",
            r"you(?:'ve| have) (?:been|helped)(?: me)?(?: (?:a|very|so|really)? ?(?:big|great|much|lot|helpful)(?: help)?)?"
            r"|you (?:were|are) (?:very |so |really )?helpful",
        ),
    ),
    (
        FastPath.FAREWELL,
        _phrase(
            r"再见|拜拜?|回头见|下次见|明天见|晚安|先这样",
            r"(?:bye(?: ?bye)?|good ?bye)(?: for now| now)?|have a (?:good|nice|great|lovely|wonderful) (?:day"
            r"|evening|night|weekend|one|time)|take care|until next time|peace out",
            r"(?:it was |it's been |this was )?(?:a )?(?:nice|good|great|lovely|fun|pleasure)(?: (?:chat|talk|conversation"
            r"|talking|chatting|speaking|to talk|to speak|to chat))?(?: (?:to|with) you)?|i enjoyed (?:our|this"
            r"|the) (?:talk|chat|conversation)",
            r"see (?:you|ya)(?: later| soon| tomorrow| around| then)?(?: bye)?|good ?night|farewell|talk (?:to you )?later",
        ),
    ),
    (
        FastPath.CAPABILITIES,
        _phrase(
            r"(?:请问)?你(?:都|还|到底)?(?:能|会|可以)(?:帮我)?(?:做|干|提供|回答)?(?:些|点|哪些)?(?:什么|啥"
            r"|问题)?(?:事情?|服务|问题)?",
            r"(?:请问)?你(?:都|还)?有(?:些|哪些)?(?:什么)?(?:功能|能力|本事)|你有什么用|你怎么用|使用帮助|帮助",
            r"(?:(?:who|what) are you and )?what (?:can|do) you do(?: for me)?",
            r"what (?:are|is) your (?:capabilities|features|skills)",
            r"how can you help(?: me)?|what can i ask(?: you)?(?: about)?|what can you help(?: me)? with|help",
        ),
    ),
)

# Beside a question what the assistant can do; alone they are small talk, which a model answers better.
_WHO = _phrase(r"(?:请问)?你是(?:谁|什么)|(?:请)?(?:你)?(?:先)?介绍一下(?:你)?自己|(?:who|what) are you")
_ABLE = _phrase(r"(?:都|还)?(?:能|会|可以)(?:帮我)?(?:做|干)(?:些|点)?(?:什么|啥)")


def fast_path(question: str) -> FastPathMatch | None:
    """What kind of message the cleaned `question` is when it is nothing else; None when it must be planned."""
    command = _COMMAND.fullmatch(question)
    if command is not None:
        name = command.group(1).lower()
        if name in COMMANDS or not command.group(2):
            return FastPathMatch(FastPath.COMMAND, name)
    if _NOD.fullmatch(question):
        return FastPathMatch(FastPath.ACKNOWLEDGEMENT)
    phrases = _phrases(question)
    if any(map(_WHO.fullmatch, phrases)):
        others = [phrase for phrase in phrases if not _WHO.fullmatch(phrase)]
        # Without "you" it asks of whatever was named before.
        phrases = ["help" if _ABLE.fullmatch(phrase) else phrase for phrase in others]
        if not any(_kind_of(phrase) is FastPath.CAPABILITIES for phrase in phrases):
            return None
    kinds = [_kind_of(phrase) for phrase in phrases]
    if not kinds or any(kind is None for kind in kinds):
        return None
    weights = [kind for kind, _ in _KINDS]
    return FastPathMatch(max((kind for kind in kinds if kind), key=weights.index))


def is_pleasantry(sentence: str) -> bool:
    """Whether a sentence beside a question only greets, thanks or takes leave."""
    kinds = [_kind_of(phrase) for phrase in _phrases(sentence)]
    return bool(kinds) and all(kind in (FastPath.GREETING, FastPath.THANKS, FastPath.FAREWELL) for kind in kinds)


def _phrases(text: str) -> list[str]:
    if len(text) > _LONGEST:
        return []
    parts = (" ".join(part.split()) for part in _PHRASE_BREAK.split(text.replace("’", "'")))
    return [_PARTICLE.sub("", part) for part in parts if part and not _ADDRESS.fullmatch(part)]


def _kind_of(phrase: str) -> FastPath | None:
    for kind, pattern in _KINDS:
        if pattern.fullmatch(phrase):
            return kind
    return None
