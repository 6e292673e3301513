"""How one speaks to an assistant of one's own: orders to a telephone, a player, lists, the assistant's voice; where one
is; how a word is spelled; that something is true or not. None of it stands in a document."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning.english_words import (
    AROUND_CLOCK,
    AROUND_PLEASANTRY,
    AROUND_THROWN,
    AROUND_VERDICT,
    CLOCK_ASKED,
    PLEASANTRY,
    THROWN,
    VERDICT,
)

_I = re.IGNORECASE
_PLEASE = (
    r"^(?:please |kindly |hey |ok(?:ay)? |(?:can|could|would|will) (?:you|we) "
    r"|(?:i|i'd) (?:want|need|would like|like)(?: you)? to |you (?:can|should|need to) |let me |let's "
    r"|go ahead and )*"
)
_LIST = r"(?:shopping|grocery|to[- ]?dos?|chores?|tasks?|reminders?)"
_DEVICE = re.compile(
    # the assistant's voice and settings
    r"\b(?:fe)?male voice\b|\b(?:speak|talk|sound)\b.{0,12}\blike an? (?:\w+ )?(?:male|female|dude|man|woman|brit\w*|person)\b"
    r"|\b(?:slow|quiet) down\b|\bquiet\w*\b.{0,10}\b(?:voice|mode|now)\b|\bnormal mode\b"
    r"|\byour (?:\w+ )?(?:voice|volume|speech|settings?|speed|replies)\b.{0,30}$"
    r"|\b(?:reset|restore|revert|return|change|go back|put|set|clear)\b.{0,25}\b(?:original|initial|default|factory|all) "
    r"(?:\w+ )?(?:settings?|state|mode)\b|\b(?:hard|factory|system) reset\b|\breset (?:your(?:self)?|all)\b"
    r"|\b(?:sound|speakers?)\b.{0,20}\b(?:up|down|louder|quieter|lower|higher|greater|low|loud)\b"
    r"|\b(?:accent|volume) (?:up|down|to|at|lower|higher|louder|quieter)\b"
    r"|\b(?:change|switch|set|use|do|make|put|turn|raise|lower|adjust|increase|decrease|like|want"
    r"|need)\b.{0,30}\b(?:accent|volume)\b"
    r"|\b(?:speak|talk)(?:ing)?\b.{0,30}\b(?:faster|slower|slowly|quick\w*|loud\w*|quiet\w*|softer|softly|speed\w*)\b"
    r"|\b(?:slow|speed)\b.{0,20}\b(?:speech|talk\w*|speak\w*)\b|\bwhisper(?:ing)?(?: mode)?\b|\bfactory? settings?\b"
    # a telephone
    r"|\b(?:find|finding|locate|ring|lost|misplaced|lose|where(?:'s| is)?|left|(?:un|de)?sync|pair|disconnect|track|search\w*"
    r"|look\w*|seen|access|connect\w*|link|get (?:into|off)|get back)\b[^,.;?]{0,20}"
    r"\bmy (?:\w+ )?(?:cell ?phone|i?phone|mobile(?: device)?)\b(?! (?:number|bill|policy|allowance|plan))"
    r"|\bmy (?:cell ?|i|smart ?)?phone (?:is (?:lost|missing|gone|in)|cannot be found)\b|^(?:un|de)?(?:sync"
    r"|pair)\b.{0,15}\bphone\b"
    r"|\b(?:connect|link) (?:to |with )?my phone\b"
    rf"|{_PLEASE}(?:call|dial|ring|phone)(?: up| back)? (?:my )?(?!(?:for|off|back|it|this"
    rf"|that)\b)[a-z']+(?: please| now)?\W*$"
    rf"|{_PLEASE}(?:make a (?:phone )?call to|call|dial|ring|phone) (?:my |dr\.? |mr\.? |mrs\.? |ms\.? )?"
    r"[a-z']+(?:'s (?:cell )?(?:phone|number).{0,10}| for me| right now| at \w+)\W*$"
    r"|^(?:i (?:have|need|must|want|am going)(?: to)?|let me) (?:to )?(?:call|phone|ring) (?!(?:it|this|that|in|off|support)\b)"
    r"(?:my |dr )?[a-z]+\W*$|\bconnect me (?:to|with) [a-z]+\W*$|\b[a-z]+ needs to be called\b|\bcall a (?:taxi"
    r"|cab)\b|\bgive (?:my )?[a-z']+ a call\b"
    r"|\b(?:send|compose|create|write|give)\b.{0,15}\btext(?: message)?\b(?! (?:file|field|box|editor))|\btext someone\b"
    r"|\btext sent\b|\bby text\b"
    rf"|{_PLEASE}text (?:my )?[a-z']+(?:\W*$|\W+(?:saying|that|and|with|if|to)\b)|\bsend [a-z']+ a text\b"
    r"|\b(?:share|send|give|tell)\b.{0,25}\bmy (?:\w+ )?(?:location|whereabouts)\b"
    r"|\b(?:let|want|tell) [a-z']+ (?:to )?(?:know )?where (?:i am|i'm)\b"
    # a player
    rf"|{_PLEASE}(?:play|skip) (?!a (?:role|part)\b)\S|\b(?:play|skip|hear|listen to|add|put|place)\b.{{0,40}}"
    r"\b(?:songs?|tracks?|tunes?|music|playlist)\b|\b(?:next|previous) (?:song|track|tune|one) (?:please)?\W*$"
    r"|\b(?:go|move|advance|continue|change|switch|stop|forget|find|jump)\b.{0,25}\b(?:next|previous|this|one|my next) "
    r"(?:song|track|tune)\b|\bmy (?:\w+ ){0,3}playlist\b|\b(?:some|get|resume|start|have|put on|find|hear)\b.{0,12}\bmusic by\b"
    r"|\b(?:start up|play|put on) (?:some |the )?music\b"
    r"|\b(?:add|put|place)\b.{0,40}\b(?:playlist|mix)\b"
    # lists, a diary, alarms
    r"|\bmy (?:\w+ )?(?:reminders?|alarms?)\b(?! (?:e-?mail|letter))|\bmy list\b|\b(?:the |a "
    r"|my )?list of things to (?:do|remember)\b"
    r"|\b(?:i (?:wanted|was trying|want|need) to remember)\b|\b(?:new|a|create|make) reminders?\b(?! e-?mail)"
    r"|\b(?:alert|wake|notify|ping) me (?:in|at|up)\b|\bcount ?down \d+\b|\bbe woken\b|\b(?:turn|put|create)\b.{0,12}\balarms?\b"
    r"|\b(?:delete|cancel|add|clear|change|get rid of|remove|put)\b.{0,40}\b(?:my (?:calendar|schedule|agenda)"
    r"|(?:doctor|dentist|hair"
    r"|vet)\S* (?:appointment|visit))\b|\bon my calendar\b"
    rf"|\b(?:my|the) (?:{_LIST} list|list of {_LIST})\b|\b(?:add|put|take|remove)\b.{{0,40}}\b(?:my|the) list\b"
    r"|\b(?:remove|add|put|delete|clear|mark|move|cancel|take)\b.{0,60}\b(?:my|the) calendar\b"
    r"|\b(?:remind me\b|don't let me forget\b|wake me\b)|\bi need to be reminded\b"
    r"|\b(?:set|need|want|have|like)\b.{0,20}\b(?:alarms?|timers?|reminders?)\b|\btimer\b.{0,30}\bminutes?\b"
    r"|\bminutes?\b.{0,40}\btimer\b"
    # a house
    r"|\b(?:turn|switch)\b.{0,25}\b(?:tv|television|lights?|lamps?|heat\w*|ac|air con\w*|fan|thermostat|oven"
    r"|stereo|radio)\b"
    r"|\block\b.{0,12}\b(?:the |all |every )*doors?\b|\bdoors? (?:is|are) locked\b|\bwho is at the door\b|\bmy (?:furnace|car) "
    r"(?:please|started|turned)\b|\b(?:fan|furnace|heater|oven)\b.{0,12}\b(?:on|off|going|set)\b"
    r"|\bdim\b.{0,15}\blights?\b|\bthermostat\b|\btemperature of the ac\b"
    r"|(?:播放|放|来)(?:一?首|点|一?些)?(?:.{0,8}的)?(?:音乐|歌)|下一首|切歌|(?:音量|声音)(?:调|开|放)?.{0,3}(?:大|小|高|低)"
    r"|(?:打开|关闭|关掉|开|关)(?:一下)?.{0,4}(?:灯|空调|电视|窗帘|音响)|(?:找|定位)(?:一?下)?我的手机|我的手机在哪"
    r"|说(?:得)?(?:再)?(?:慢|快)一?(?:点|些)|(?:购物|待办)清单|叫我起床|(?:设|定)(?:一?个)?(?:闹钟|闹铃|计时器|倒计时)",
    _I,
)
OWN_SETTINGS = re.compile(
    r"\b(?:your|factory|original|initial|default|previous|all)(?: (?:\w+ )?settings?)\b|\bsettings? (?:in a reset"
    r"|you had|to how)\b",
    _I,
)
"""The assistant's own settings, which are no setting of the company's."""

_ASKS = re.compile(
    r"怎么|如何|怎样|什么|流程|^\W*(?:how|why|what|which|who)\b|\b(?:how (?:do|can|to)|polic(?:y|ies))\b", _I
)

PLACE = re.compile(
    r"\bmy (?:current |present |exact |own )*(?:location|position|whereabouts)\b|\bgps\b|\b(?:where"
    r"|the (?:place|spot)) (?:i am|am i"
    r"|i'm|im)\b|\bwhat (?:street|city|town|state) am i\b|\bi'?m lost\b|我(?:现在|目前)?(?:是)?在(?:哪里|哪儿|哪个位置|什么地方)"
    r"|我的(?:当前)?位置",
    _I,
)
SPELLING = re.compile(
    r"\b(?:is|are) (?:\w+ )?spelled\b|\b(?:way|how) to spell\b|\bhow many \w{1,2}'?s\b.{0,30}\bin (?:the|that) word\b"
    r"|\bhow (?:do|would|can|to|is|are)\b.{0,30}\bspell(?:ed)?\b(?![- ]?check)|\b(?:spelling (?:of|for)"
    r"|spell(?: out)? (?:the )?word)\b"
    r"|^(?:please |can you |could you )*spell(?: out)?\b|\bhow many \w{1,2}(?:'s|s)? (?:are )?in\b.{1,20}$"
    r"|\bin (?:english|chinese|french|german|spanish|japanese|korean|italian|russian)\b,? .{0,60}\b(?:say|said)\b"
    r"|\bhow (?:do|would|can|to|should)\b.{0,12}\bsay .{1,40} in (?-i:[A-Za-z]+)\W*$|怎么(?:拼写?|念)\W*$",
    _I,
)
CURIOUS = re.compile(
    r"\b(?:something interesting|an? (?:\w+ )?fact|(?:fun|cool|random|interesting) facts?) (?:about|on)\b"
    r"|\b(?:meaning|purpose|point|secret)\b.{0,20}\b(?:life|existence)\b(?! (?:insurance|cycle|sciences?))"
    r"|\blife'?s (?:meaning|purpose)\b"
    r"|\bmake me laugh\b|(?:人生|生命|活着)的?(?:意义|目的)|(?:冷|小|有趣的?)知识",
    _I,
)
MATHS = re.compile(
    r"\b(?:square|cube) root\b|\bmath(?:s|ematics)? (?:problems?|equations?|homework)\b|\bhelp\b.{0,20}\bmath\b"
    r"|\bderivative of\b"
    r"|\bfactorial\b|\b(?:what is|what's|calculate) (?:one|two|three|four|five|six|seven|eight|nine|ten|\w+teen"
    r"|\w+ty) (?:plus|minus"
    r"|times|divided by)\b|平方根|解方程|(?:求导|导数)",
    _I,
)

_WORD = re.compile(r"[\w']+")
_OPENS_QUESTION = re.compile(
    r"^(?:what|which|who|where|when|why|how|is|are|am|do|does|did|can|could|would|will|should|give|tell)\b|\?\W*$", _I
)


def orders_device(text: str) -> str:
    """The words that order something of a person's own things, empty where it is asked how that is done."""
    found = None if _ASKS.search(text) else _DEVICE.search(text)
    return found.group().strip() if found else ""


def is_verdict(text: str) -> bool:
    """Whether nothing is said but that something is so, is not so, or is not known ("no, that's not right")."""
    return _OPENS_QUESTION.search(text) is None and _says_only(text, VERDICT, AROUND_VERDICT)


def is_pleasantry(text: str) -> bool:
    """Whether nothing is said but a greeting, thanks or a farewell, in however many words."""
    return _says_only(text, PLEASANTRY, AROUND_PLEASANTRY)


def asks_clock(text: str) -> bool:
    """Whether nothing is asked but the time or the date."""
    return _says_only(text, CLOCK_ASKED, AROUND_CLOCK)


def throws_coin(text: str) -> bool:
    """Whether a coin or dice are to be thrown."""
    return _says_only(text, THROWN, AROUND_THROWN)


def _says_only(text: str, core: frozenset[str], around: frozenset[str]) -> bool:
    words = [word.lower() for word in _WORD.findall(text.replace("’", "'"))]
    return any(word in core for word in words) and all(
        word in core or word in around or word.isdigit() for word in words
    )
