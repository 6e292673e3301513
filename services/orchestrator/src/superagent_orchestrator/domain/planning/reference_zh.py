"""Pronouns and ellipses of a Chinese question, completed from what was said before."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning import chinese
from superagent_orchestrator.domain.planning.identifiers import identifiers, mask_literals
from superagent_orchestrator.domain.planning.pronoun_zh import free_pronoun, replaced
from superagent_orchestrator.domain.planning.reference import Context, Missing, Resolution, continued
from superagent_orchestrator.domain.planning.topic_zh import owner_of, topic_of

_END = r"[\s。.!！?？~～]*$"
_ABOUT = re.compile(
    r"^(?:那么?|还有)?[,， ]*(?:关于|对于|换成|如果是|要是)?\s*(?P<other>[^,，。?？!！;；]{1,30}?)\s*(?:的话)?(?:又"
    r"|怎么办|如何|怎么样)?呢" + _END
)
_PLACE = re.compile(
    r"^(?:(?:在|对|对于|用|通过|从|按).{1,25}?(?:上|中|里|下|环境|环境下|环境中|平台上|方面|来说|的话)?|.{1,15}(?:上"
    r"|里|端|环境下|平台上))$"
)
_TIME = re.compile(
    r"^(?:今天|明天|后天|昨天|今年|明年|去年|后年|本周|这周|下周|上周|周末|这个月|下个月|上个月|本月|本季度"
    r"|下季度|上季度|周[一二三四五六日天]|\d{2,4}\s?年|\d{1,2}\s?月(?:份)?(?:\d{1,2}[日号])?)$"
)
_TIME_INSIDE = re.compile(_TIME.pattern.strip("^$"))
_PLACE_INSIDE = re.compile(r"在.{1,20}?(?:上|中|里|下|环境下|环境中|平台上)")
_ROLE = re.compile(
    r"(?:员工|经理|主管|总监|实习生|外包|正式工|管理员|用户|客户|新人|部门|团队|供应商|学生|老师|医生|者|人员|子公司|分公司)$"
)
_OTHERS = re.compile(
    r"^(?:那么?|那)?(?:还)?有(?:没有)?(?:什么|哪些)?(?:其他|其它|别的|另外)(?:的)?(?:[^,，。?？]{0,10})(?:吗|么|呢)?"
    + _END
)
_MORE = re.compile(
    r"^(?:(?:请|麻烦|能不能|能否|可以|可不可以|你能)?(?:再|更)?(?:(?:详细|具体|展开|深入|仔细)(?:地|的)?(?:说"
    r"|讲|介绍|解释|说明|描述|展开)?(?:一?下|一点|点|说|讲)?"
    r"|(?:举|给)(?:我)?(?:一?个|几个|些)?(?:具体的?|实际的?)?(?:例子|示例|例)|(?:多)?(?:说|讲|介绍|解释)(?:一?点"
    r"|一些|一?下|得?详细(?:一?点|些)?)|继续(?:说"
    r"|讲)?|接着(?:说|讲)|往下(?:说|讲))"
    r"(?:吗|吧|么|呢)?|为什么(?:呢|啊|这样|会这样)?|为啥|怎么会(?:这样)?|原因(?:呢|是什么)|(?:还是|仍然|依然"
    r"|都)?(?:不行|没用|没反应|不对|报错|失败|没解决)(?:了|啊)?|然后呢|还有呢|后来呢"
    r"|接下来呢|怎么说|比如(?:说)?(?:呢)?|例如(?:呢)?|有(?:什么)?(?:例子"
    r"|示例)吗?)" + _END
)
_ORDINAL = re.compile(r"第(?P<number>[一二三四五六七八九十\d]{1,2})(?:个|种|点|条|项|款|步|类)(?!月|季度|星期|章|节)")
_NUMBERS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
# What a process has, not a thing: the subject left out is then the whole action ("重置密码", not "密码").
_OF_ACTION = re.compile(
    r"^(?:大概|一般)?(?:需要|要|多久|多长时间|多少钱|有什么(?:条件|要求|限制|风险|影响)|条件|步骤|流程|要求|材料|谁)"
)
# Two things this short are taken for things of one kind.
_SHORT = 4
_BESIDE = re.compile(
    r"^(?:和|跟|与|同|比(?!较)|相比|相较于?|对比)\s*(?P<other>[^,，。?？]{1,20}?)"
    r"(?:相比|比较|比起来|比|有|的|之间|哪个|谁|一样)"
)
# "和 Ceph 比呢?": asks nothing of its own but the comparison.
_HELD_AGAINST = re.compile(
    r"^(?:(?:和|跟|与|同)\s*(?P<other>[^,，。?？]{1,20}?)\s*(?:相比|比较|对比|比起来|比)(?:起来)?"
    r"|(?:相比|相较于?|对比)\s*(?P<than>[^,，。?？]{1,20}?))(?:又|怎么样|如何)?呢" + _END
)
_JOINED_PAIR = re.compile(r"和|跟|与|、")
# "我是说病假", "不是,我问的是外包员工": the question before is asked of that.
_CORRECTS = re.compile(
    r"^(?:不是|不对|不|抱歉)?[,，、。\s]*我(?:是说|是问|说的是|问的是|指的是|是指|的意思是|想问的是)[,，:：\s]*"
    r"(?P<other>[^,，。?？!！]{1,20}?)" + _END
)
# "哪个更快?", "选哪个?": of what, stands in the question before.
_WHICH_OF = re.compile(
    r"^(?:我|我们)?(?:应该|该|要|得)?(?:选|用|买|选择|使用)?(?:哪|哪一)(?:个|种|款|家|者)(?:更|比较|最|好|合适|划算|快|便宜)?"
    r"[^,，。?？!！]{0,8}" + _END
)
_DAILY = re.compile(
    r"(?:今天|明天|后天|今晚|明早|现在|这周|本周|周末|最近|的|天气预报|天气|气温|温度|空气质量|新闻|股价|汇率)+"
)


def resolve(question: str, context: Context) -> Resolution:
    """The question completed from `context`, or as it stands with the reason."""
    lead = chinese.DISCOURSE.match(question)
    asked = question[lead.end() :] if lead else question
    if context.pending and _is_bare(asked):
        answer = asked.strip(" 。.!！?？")
        filled = resolve(context.pending, Context(topic=answer, plural=answer, person=answer, question=answer))
        if filled.applied:
            return Resolution(filled.text, "answers our question back, so it completes the question before it", True)
    ordinal = _ORDINAL.search(mask_literals(asked))
    if ordinal and context.listed:
        return _from_list(question, asked, ordinal, context)
    if ordinal and not chinese.has_content(chinese.without_opener(asked).replace(ordinal.group(), "")):
        return Resolution(question, "nothing before it is a list", missing=Missing.REFERENT, words=ordinal.group())
    if _OTHERS.match(asked) and not topic_of(asked):
        return _besides(question, asked, context)
    if _MORE.match(asked):
        return _more(question, asked, context)
    against = _HELD_AGAINST.match(asked)
    other = (against["other"] or against["than"]) if against else ""
    if other and context.topic and not _JOINED_PAIR.search(other) and not chinese.PRONOUN.search(other):
        compared = chinese.glue(chinese.glue("和", other), "相比怎么样？")
        text = chinese.glue(owner_of(context.topic), compared)
        return Resolution(text, "compares the topic before with something", True)
    corrected = _CORRECTS.match(asked)
    if corrected and context.question and _is_bare(corrected["other"]):
        return _instead(question, corrected["other"].strip(), context)
    if _WHICH_OF.match(asked) and _JOINED_PAIR.search(context.topic):
        return Resolution(chinese.glue(context.topic, asked), "asks which of those before", True)
    about = _ABOUT.match(asked)
    named = about is not None and chinese.PRONOUN.search(about["other"]) is None
    if about and named and (_is_bare(about["other"]) or not chinese.has_content(about["other"])):
        return _instead(question, about["other"].strip(), context)
    beside = _BESIDE.match(asked)
    other = beside["other"] if beside else ""
    if other and context.topic and not _JOINED_PAIR.search(other) and not chinese.PRONOUN.search(other):
        return Resolution(chinese.glue(context.topic, asked), "compares the topic before with something", True)
    pronoun = free_pronoun(mask_literals(asked), context)
    if pronoun is not None:
        return replaced(question, asked, pronoun, context)
    if not chinese.has_content(chinese.without_opener(asked)):
        return _subject(question, asked, context)
    return Resolution(question, "the question stands alone")


def _from_list(question: str, asked: str, ordinal: re.Match[str], context: Context) -> Resolution:
    number = ordinal["number"]
    place = int(number) if number.isdigit() else _NUMBERS.get(number, 0)
    if not 0 < place <= len(context.listed):
        return Resolution(
            question, "the answer before has no such item", missing=Missing.REFERENT, words=ordinal.group()
        )
    item = context.listed[place - 1]
    rest = asked[ordinal.end() :]
    if re.match(r"呢?" + _END, rest):
        return _instead(question, item, context)
    text = chinese.glue(chinese.glue(asked[: ordinal.start()], item), rest)
    return Resolution(text, f"“{ordinal.group()}” is item {place} of the answer before", True)


def _besides(question: str, asked: str, context: Context) -> Resolution:
    if not context.topic:
        return Resolution(question, "others than what is not said", missing=Missing.SUBJECT, words=asked)
    return Resolution(f"除了{_spaced(context.topic)}，{asked}", "“other” is counted against the topic before", True)


def _more(question: str, asked: str, context: Context) -> Resolution:
    if not context.question:
        return Resolution(question, "asks for more of what is not said", missing=Missing.SUBJECT, words=asked)
    return Resolution(continued(context.question, asked), "asks for more of the question before", True)


def _instead(question: str, other: str, context: Context) -> Resolution:
    """The question before, asked of `other` ("Redis 呢?", "在 Windows 上呢?", "明天呢?")."""
    before = context.question
    if not before:
        if chinese.has_content(other):
            return Resolution(question, "no question before it to carry over")
        return Resolution(question, "asks for an attribute of what is not said", missing=Missing.SUBJECT, words=other)
    reason = "the question before is asked of something else"
    if _TIME.match(other):
        return Resolution(_in_place_of(_TIME_INSIDE.search(before), other, before), reason, True)
    if not chinese.has_content(other) and context.topic:
        text = chinese.glue(owner_of(context.topic), f"的{other}呢?")
        return Resolution(text, "an attribute of the topic before", True)
    if _PLACE.match(other):
        return Resolution(_in_place_of(_PLACE_INSIDE.search(before), other, before), reason, True)
    old = _counterpart(other, context.topic)
    if old and old in before:
        return Resolution(_in_place_of(re.search(re.escape(old), before), other, before), reason, True)
    if _ROLE.search(other):
        return Resolution(chinese.glue(other, before), reason, True)
    return Resolution(continued(before, other), "the question before is narrowed", True)


def _in_place_of(old: re.Match[str] | None, new: str, text: str) -> str:
    """`text` with `new` where `old` stands, or before it all."""
    if old is None:
        return chinese.glue(new, text)
    return chinese.glue(chinese.glue(text[: old.start()].rstrip(), new), text[old.end() :].lstrip())


def _counterpart(other: str, topic: str) -> str:
    """The part of `topic` that `other` takes the place of; empty when it only narrows what was asked."""
    if identifiers(other) == (other,) and identifiers(topic):  # "HT-2023-119" for "HT-2023-118" in "合同 HT-2023-118"
        return identifiers(topic)[-1]
    for length in range(min(len(other), 4), 0, -1):  # "外包员工" for "正式员工", "病假" for "年假"
        tail = other[-length:]
        if tail in topic and chinese.HAN.match(tail):
            return topic[: topic.index(tail) + length]
    if _ROLE.search(other):
        return ""
    daily = [part for part in _DAILY.split(topic) if part]
    if len(daily) == 1 and daily[0] != topic:  # "上海" for "北京" in "北京今天天气"
        return daily[0]
    owner, of, _ = topic.partition("的")
    if of and owner.strip():  # "Redis" for "MinIO" in "MinIO 的默认端口"
        return owner.strip()
    names = all(chinese.LATIN.match(text) for text in (other, topic))
    return topic if names or max(len(other), len(topic)) <= _SHORT else ""


def _subject(question: str, asked: str, context: Context) -> Resolution:
    """A question without anything it could be about ("怎么配置?", "步骤是什么?", "帮我查一下")."""
    spoken = chinese.without_opener(asked)
    if not context.topic:
        asks = chinese.INTERROGATIVE.search(asked) or chinese.names_something(asked)
        missing = Missing.SUBJECT if asks else Missing.TOPIC
        return Resolution(
            question, "says what is asked but not of what", missing=missing, words=asked.strip(" ?？。.!！")
        )
    reason = "the topic before is what it leaves out"
    if not spoken.strip(" ?？。.!！"):
        return Resolution(chinese.glue(asked.rstrip(" ?？。.!！"), context.topic), reason, True)
    topic = context.action if context.action and _OF_ACTION.match(spoken) else owner_of(context.topic)
    return Resolution(
        chinese.glue(topic, f"的{spoken}" if chinese.starts_with_attribute(spoken) else spoken), reason, True
    )


def _is_bare(text: str) -> bool:
    """Whether a text only names something."""
    name = text.strip(" 。.!！?？")
    return (
        0 < len(name) <= 30
        and chinese.INTERROGATIVE.search(name) is None
        and chinese.REQUEST.match(name) is None
        and chinese.PRONOUN.search(name) is None
        and chinese.has_content(name)
        and re.search(r"[,，。;；!！?？\n]", name) is None
    )


def _spaced(topic: str) -> str:
    return (
        f"{' ' if chinese.LATIN.match(topic[0]) else ''}{topic}{' ' if chinese.LATIN.match(topic[-1]) else ''}".rstrip()
    )
