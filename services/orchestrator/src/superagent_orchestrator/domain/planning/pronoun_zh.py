"""Chinese pronouns: which of them refer back, and what stands in their place."""

from __future__ import annotations

import re
from itertools import islice

from superagent_orchestrator.domain.planning import chinese
from superagent_orchestrator.domain.planning.identifiers import identifiers
from superagent_orchestrator.domain.planning.reference import Context, Missing, Resolution
from superagent_orchestrator.domain.planning.topic_zh import owner_of

_CLAUSE = re.compile(r"[,，。;；?？!！\n]|(?:如果|当|因为|由于|的时候|之后|以后|然后|并且|而且|但是|可是|不过)")
# "上面那份", "刚才那个": where the thing was said.
_ABOVE = re.compile(r"(?:上面|前面|刚才|刚刚|之前)(?:说|提到|讲)?的?\s*$")
_JOINED = re.compile(r"(?:和|跟|与|同|比|对比|比较|及|或)\s*$")
_OWN = re.compile(r"^的")
_PERSONAL = ("他", "她", "他们", "她们")
_PLURAL = re.compile(r"它们|[这那]些|[这那]?[两二][者个种款]")
# A family name and one or two characters, or a name in other letters.
_NAME = re.compile(
    r"[王李张刘陈杨黄赵周吴徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范"
    r"石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤][\u3400-\u9fff]{1,2}"
    r"|[A-Z][a-z]+(?: [A-Z][a-z]+)*|.{0,10}(?:人|员|经理|主管|总监|总|老师|医生|先生|女士|同事)"
)
_PAIR = re.compile(r"和|与|跟|、|以及")
_POINTING = re.compile(r"^(?:[这那该此]|上面|上述|刚才)")
_KIND = re.compile(
    r"^(?:产品|系统|软件|工具|服务|平台|组件|项目|制度|东西|错误|问题|接口|订单|文件|文档|概念|词|功能|配置"
    r"|规则|政策|方案|活动|公司|部门|合同|单子)"
)
_DEMONSTRATIVE_NOUN = re.compile(
    r"^(?![是有怎如为什哪谁多几的能可会要需吗呢在对和跟也都还不])[\u3400-\u9fff]{1,8}?(?=是|有|怎|如|为|什"
    r"|哪|谁|多|几|的|能|可|会|要|需|吗|呢|在|对|和|跟|[,，。?？!！]|$)"
)
# What is done to an attribute itself ("它怎么修改" of a default port), not to the thing that has it.
_CHANGED = re.compile(r"^(?:怎么|如何|怎样|可以|能)?(?:修改|更改|改|调整|设置|计算|换)")
# What is gone on from ("根据它"), which is all that was found.
_USED = re.compile(r"(?:根据|基于|利用|用|凭|拿|按)着?\s*$")
_MOST_PRONOUNS = 6


def free_pronoun(masked: str, context: Context) -> re.Match[str] | None:
    """The first pronoun whose referent is not in the question itself."""
    for pronoun in islice(chinese.PRONOUN.finditer(masked), _MOST_PRONOUNS):
        begin = max((clause.end() for clause in _CLAUSE.finditer(masked, 0, pronoun.start())), default=0)
        clause = chinese.without_opener(masked[begin : pronoun.start()])
        if chinese.has_content(masked[:begin]):
            continue
        if chinese.has_content(clause) and not _JOINED.search(clause):
            own = pronoun.group() == "其" or _OWN.match(masked[pronoun.end() :]) is not None
            if own or _POINTING.match(pronoun.group()) or not context.topic:
                continue
        return pronoun
    return None


def replaced(question: str, asked: str, pronoun: re.Match[str], context: Context) -> Resolution:
    """`asked` with what `pronoun` refers to in its place; `question` with what is missing when nothing says it."""
    word = pronoun.group()
    before, after = asked[: pronoun.start()], asked[pronoun.end() :]
    before = before if word.startswith(("上", "刚")) else _ABOVE.sub("", before)
    referent = _referent(word, asked, after, context)
    if not referent and word in _PERSONAL and context.answer:
        return Resolution(question, f"the answer before may say whom “{word}” means")
    if not referent:
        return Resolution(question, "nothing before says what it refers to", missing=Missing.REFERENT, words=word)
    noun = _DEMONSTRATIVE_NOUN.match(after) if _POINTING.match(word) else None
    if word == "其":
        referent += "的"
    elif noun:
        if referent.endswith(noun.group()) or (identifiers(referent) and referent.startswith(noun.group())):
            after = after[noun.end() :]
        elif not _KIND.match(noun.group()):
            referent = f"{owner_of(referent)}的"
    return Resolution(
        chinese.glue(chinese.glue(before, referent), after), f"“{word}” refers to “{referent.removesuffix('的')}”", True
    )


def _referent(word: str, asked: str, after: str, context: Context) -> str:
    if word in ("前者", "后者"):
        both = re.split(r"和|与|跟|、|还是", owner_of(context.topic))
        return both[0 if word == "前者" else -1].strip() if len(both) == 2 else ""
    if word in _PERSONAL:
        whose = context.topic.partition("的")[0].strip()
        return context.person or (whose if _NAME.fullmatch(whose) else "")
    if _PLURAL.fullmatch(word):
        if context.earlier and chinese.COMPARED.search(asked) and not _PAIR.search(context.topic):
            return chinese.glue(chinese.glue(owner_of(context.earlier), "和"), owner_of(context.topic))
        return context.plural or context.topic
    whole = _CHANGED.match(after) or _USED.search(asked[: len(asked) - len(after) - len(word)])
    return context.topic if whole else owner_of(context.topic)
