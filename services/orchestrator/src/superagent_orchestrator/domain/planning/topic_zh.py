"""What a Chinese question is about, as words that can stand in a later question."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning.chinese import OPENER, has_content
from superagent_orchestrator.domain.planning.chinese_words import VERBS
from superagent_orchestrator.domain.planning.identifiers import identifiers, mask_literals

_VERB = "|".join(VERBS)
_VERB_START = re.compile(
    f"^(?:去|来|进行|正确|快速|自己|手动|自动)?(?:{_VERB})(?:一下|下|和|并|、|或|及)?"
    r"|^(?:用|装|配|查|看|改|写|调)(?:一下)?(?=[ A-Za-z0-9\ue000])"
)
_OWNER = re.compile(
    r"^(?:(?:公司|我们公司|贵公司|本公司|我们|咱们|我|你们|本部门)(?:的|里的|内部的)?"
    r"|(?:部门|单位|集团|企业|国家|中国|这里|这边)(?:的|里的|内部的))"
)
_CUT = re.compile(
    r"是(?:什么|啥|谁|多少|怎么|如何|否|不是|指|哪|几|干)|有(?:哪些|什么|没有|多少|几|啥)|叫什么|怎么|怎样"
    r"|如何|为什么|为何|为啥|什么|啥|哪些|哪个|哪里|哪种|哪位|哪|谁|多少|多久"
    r"|多长|多大|几[天个次种步点年]|能不能|可不可以|会不会|要不要|需不需要|是不是|有没有|是否|能否|可以|支持"
    r"|包含|包括|需要|应该|必须|(?<=.)(?:能|会|要)(?=.)|在哪|的话|吗|呢|吧|[?？。!！,，;；\n]"
)
_FRINGE = re.compile(r"^(?:(?:用|使用|采用|部署|买|订)(?:的是|了)|一下|下|请|在|关于|有关|对于|的)+(?=.)")
_TAIL = re.compile(
    r"(?:都|主要|一般|通常|到底|究竟|具体|分别|一共|总共|最多|最少|最高|大概|应该|现在|目前|是|有|在|该|要"
    r"|讲|说|写|提到|介绍|规定|负责|管理|使用|(?<=公司)用|需要|提供|支持|属于|包含|包括|了)+$"
)
_LONE_VERB = re.compile(r"^[用在是有去来做]$")
_PERSON = re.compile(r"^(?:员工|我|你|我们|用户|大家|一般人|普通人|人)$")
_LONGEST_TOPIC = 40
# "把年假累计到明年", "哪个服务负责上传", "在 Linux 上安装 Docker": where the thing talked about stands.
_MOVED_OBJECT = re.compile(
    r"(?:^|[^\u3400-\u9fff]|员工|可以|能|怎么|如何|要|会)把(?P<thing>[^，,。]{1,20}?)(?=" + _VERB + ")"
)
_DESCRIBED = re.compile(
    r"^(?:由|是)?(?:哪个|哪些|哪种|哪位|哪家|什么)(?P<kind>人|[^，,。？?]{2,10}?)"
    r"(?P<what>(?:负责|管理|提供|支持|使用|需要|包含|存储|存放|处理|拥有|维护|审批)[^，,。？?吗呢]{1,30}|[^，,。？?吗呢]{0,12}最[多高大低少好快慢长短新早晚贵][^，,。？?吗呢]{0,6})"
)
_PERSON_ASKED = re.compile(
    r"^谁是(?P<title>[^，,。？?吗呢]{2,20})|^(?:由|是)?谁(?:来|在|去)?(?P<what>[^，,。？?吗呢]{2,30})|^(?P<role>[^，,。？?吗呢]{2,20})(?:是"
    r"|由)谁(?P<does>[^，,。？?吗呢]{0,10})"
)
_HOW_TO = re.compile(r"(?:怎么|如何|怎样|可以|能不能|能否|能)(?P<action>(?:" + _VERB + r")[^，,。？?；;\n吗呢]{1,30})")
_PLACE = re.compile(r"^(?:在|基于)[^，,。？?]{1,15}?(?:上|中|里|下)")


def topic_of(question: str) -> str:
    """What a question is about, as it names it; empty when it names nothing short enough to be carried on."""
    masked = mask_literals(question)
    opener = OPENER.match(masked)
    start = opener.end() if opener else 0
    described = _DESCRIBED.match(masked[start:])
    if described:
        what, kind = described.span("what"), described.span("kind")
        return _topic(f"{question[start + what[0] : start + what[1]]}的{question[start + kind[0] : start + kind[1]]}")
    moved = _MOVED_OBJECT.search(masked, start)
    if moved and has_content(moved.group("thing")):
        return _topic(question[slice(*moved.span("thing"))])
    about = re.match(r"(?:什么是|什么叫|何为|何谓|关于|有关|对于)", masked[start:])
    if about:
        start += about.end()
    while True:
        start = _past_frame(masked, start)
        cut = _CUT.search(masked, start)
        topic = _topic(question[start : cut.start() if cut else len(question)])
        if topic or cut is None:
            return topic
        start = cut.end()


def person_of(question: str) -> str:
    """Whom "谁" asks for, as a description: "谁负责 OA 系统" → "负责 OA 系统的人"; empty when no person is asked for."""
    opener = OPENER.match(question)
    asked = _PERSON_ASKED.match(question[opener.end() if opener else 0 :])
    if asked is None:
        return ""
    if asked["what"]:
        return f"{asked['what'].strip()}的人"
    if asked["title"]:
        return asked["title"].strip()
    return f"{asked['does'].strip()}{asked['role'].strip()}的人" if asked["does"] else asked["role"].strip()


def action_of(question: str) -> str:
    """What a question asks how to do: "怎么重置密码?" → "重置密码"; empty when it asks something else."""
    asked = _HOW_TO.search(question)
    return asked["action"].strip() if asked and has_content(asked["action"]) else ""


def names_in(question: str) -> tuple[str, ...]:
    """None: a Chinese name is not told from other words by its writing."""
    return ()


def owner_of(topic: str) -> str:
    """The thing whose attribute a topic is: "MinIO 的默认端口" → "MinIO"; other topics as they are."""
    thing, of, attribute = topic.partition("的")
    single = bool(identifiers(thing)) or not has_content(attribute)  # a number names one thing; the rest is its own
    if of and attribute and thing.strip() and has_content(thing) and single:
        return thing.strip()
    return topic


def _past_frame(masked: str, start: int) -> int:
    """Behind a leading place and a leading verb, where something is named behind them."""
    for frame in (_PLACE, _VERB_START):
        found = frame.match(masked[start:].lstrip())
        if found:
            end = start + len(masked[start:]) - len(masked[start:].lstrip()) + found.end()
            if has_content(masked[end:]):
                start = end
    return start


def _topic(text: str) -> str:
    trimmed = _OWNER.sub("", text.strip(" \t\n,，。.;；:：、?？!！()（）的"))
    trimmed = _TAIL.sub("", _FRINGE.sub("", trimmed)).strip()
    if not has_content(trimmed) or _LONE_VERB.match(trimmed) or _PERSON.match(trimmed) or len(trimmed) > _LONGEST_TOPIC:
        return ""
    return trimmed
