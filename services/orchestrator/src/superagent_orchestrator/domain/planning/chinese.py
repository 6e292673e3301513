"""Chinese sentences as the rules read them: what frames a question, what carries its content, what it is about."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning.chinese_words import ATTRIBUTES, FUNCTION, SHORT_VERB, VERBS

PRONOUN = re.compile(
    r"它们|他们|她们|[这那]两[者个种款]|(?:两|二)者|它|(?<![其])他(?!们|人)|她(?!们)"
    r"|(?:这|那)(?:个|种|项|款|些|类|套|份|条)(?!月|星期|礼拜|季度|时候|小时)"
    r"|该(?=系统|产品|功能|服务|制度|流程|政策|方案|项目|文档|配置|接口|工具|规定|组件|平台)"
    r"|此(?=系统|产品|功能|服务|制度|流程|政策|方案|项目|文档|配置|接口)"
    r"|其(?!他|它|中|实|余|次|间|后|一|二|三|他的)|前者|后者|上述|(?<![以])上面(?:说的|提到的|的)|刚才(?:说的"
    r"|提到的)(?:那个)?"
    r"|(?:这|那)(?=是(?:什么|啥|谁|怎么|为什么|指)|怎么|如何|为什么|有什么|需要|和|跟|能|可以|会|要)"
)
INTERROGATIVE = re.compile(
    r"(?<!无论)(?<!不管)(?<!不论)(?<!任凭)"
    r"(?:是什么|什么|啥|怎么样|怎么|怎样|如何|为何|为啥|是否|是不是|有没有|能不能|可不可以|会不会|要不要|需不需要|行不行|能否"
    r"|可否|哪些|哪个|哪里|哪种|哪位|哪儿|哪天|哪年|在哪|哪|谁|多少|多久|多长|多大|多高|多远|几[个天次种点步年号月周位名家条项份台岁层级章页些]"
    r"|何时|何地"
    r"|吗|么(?=[?？]|$))|呢(?=[?？。!！]|$)"
)
REQUEST = re.compile(
    r"^(?:请问|请|麻烦|帮我|帮忙|给我|告诉我|说明|介绍|解释|列出|列举|对比|比较|总结|概括|描述|查|搜|找|说说"
    r"|讲讲|讲一下|说一下|谈谈|分析|推荐)"
)
# Words at the start of a question that only address the assistant or lead over from the last answer.
OPENER = re.compile(
    r"^(?:(?:那么|那就|那(?!个|些|种|边|里|天|年|月|次|时|样|位|条|款|份|是)|所以|另外|首先|先|再|还有(?!什么"
    r"|哪|其他|别的|没有|其它)|对了|好的|嗯+|哦+|ok|OK"
    r"|请问一下|请问|请你|请(?!假|求|示|柬|客)|麻烦你?|帮我|帮忙|给我|能不能|能否|可不可以|你能|你可以"
    r"|(?:我(?:想要?|要)|想要?)(?:知道|了解|问|咨询|查|看)(?:一下|下)?|我(?:想要?|要)|告诉我|跟我"
    r"|(?:介绍(?!信)|解释|说明(?!书|文)|讲解|描述|概括|总结(?!报告)|列出|列举|查询|查找|查看|查[出到明]|查(?!重|账|证"
    r"|验)|搜索|搜|找[出到]|找|看看|看(?!板)|说说|讲讲|说(?!明)|讲(?!义)|谈谈|了解)"
    r"(?:一下|下)?)[,，、:：\s]*)+"
)
DISCOURSE = re.compile(
    r"^(?:(?:那么|那就|那(?!个|些|种|边|里|天|年|月|次|时|样|位|条|款|份|是)|所以|另外|对了|好的|嗯+|哦+|ok"
    r"|OK|然后|接着|再|并且|以及|同时|还有(?!什么|哪|其他|别的"
    r"|没有|其它)|顺便(?:问一下|问)?|此外|最后|其次|其中|之后)[,，、\s]*)+"
)

# Two things are held against each other, each of which may have been asked about in a turn of its own.
COMPARED = re.compile(r"区别|差别|差异|不同|相比|对比|比较|哪个更|哪一个更|哪个好|谁更|优缺点|选哪")


def _any_of(*lists: tuple[str, ...]) -> str:
    return "|".join(sorted((word for words in lists for word in words), key=len, reverse=True))


_VERB = _any_of(VERBS)
_CARRIES_NOTHING = re.compile(f"{SHORT_VERB}|{_any_of(VERBS, ATTRIBUTES, FUNCTION)}")
_CARRIES_LITTLE = re.compile(f"{SHORT_VERB}|{_any_of(VERBS, FUNCTION)}")
_LEADING_ATTRIBUTE = re.compile(f"^(?:它的|其)?(?:{_any_of(ATTRIBUTES)})")
_CONTENT = re.compile(r"[A-Za-z0-9_\u3400-\u9fff\ue000]")
HAN = re.compile(r"[\u3400-\u9fff]")
LATIN = re.compile(r"[A-Za-z0-9_()`]")
_HAN_OR_WORD = re.compile(r"[A-Za-z0-9_]+|[\u3400-\u9fff\ue000]")


def has_content(text: str) -> bool:
    """Whether anything is named in `text`, beyond question words, verbs that need an object, and attributes."""
    return _CONTENT.search(_CARRIES_NOTHING.sub("", text)) is not None


def content_size(text: str) -> int:
    """How many Chinese characters of `text` say something."""
    return len(HAN.findall(_CARRIES_NOTHING.sub("", text)))


def names_something(text: str) -> bool:
    """As `has_content`, with attributes ("默认端口") counted as something."""
    return _CONTENT.search(_CARRIES_LITTLE.sub("", text)) is not None


def starts_with_attribute(text: str) -> bool:
    """Whether `text` begins with what only another thing can have ("步骤", "默认端口")."""
    return _LEADING_ATTRIBUTE.match(text) is not None


def is_question(clause: str) -> bool:
    """Whether a clause asks or requests something of its own."""
    return INTERROGATIVE.search(clause) is not None or REQUEST.match(clause) is not None


def size(text: str) -> int:
    """Chinese characters plus words of other scripts."""
    return len(_HAN_OR_WORD.findall(text))


def without_opener(asked: str) -> str:
    """`asked` behind the words that only address the assistant."""
    opener = OPENER.match(asked)
    return asked[opener.end() :] if opener else asked


def glue(left: str, right: str) -> str:
    """The two joined as Chinese typesetting has it: a space between scripts, none between characters."""
    if left and right and bool(LATIN.match(left[-1])) and HAN.match(right[0]):
        return f"{left} {right}"
    if left and right and HAN.match(left[-1]) and LATIN.match(right[0]):
        return f"{left} {right}"
    return left + right
