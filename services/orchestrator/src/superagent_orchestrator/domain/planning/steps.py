"""Orders that go on from each other: "look X up, then use it to find Y" (PLAN-13)."""

from __future__ import annotations

import re
from collections.abc import Callable

from superagent_orchestrator.domain.planning import chinese

_LOOKED_AT = 200

SEQUENCE = re.compile(
    r"^(?:[,，、]?\s*)?(?:然后|接着|之后|再|接下来|随后|and then|then|after that|and after that|next)", re.IGNORECASE
)
FROM_RESULT = re.compile(
    r"(?:根据|基于|按照|利用|用)(?:上面|上述|前面|这个|这些|该|以上|此|它)?(?:的)?(?:结果|结论|答案|数据|信息"
    r"|列表)|据此|在此基础上|由此|(?:根据|基于|利用|用|凭|拿|按)着?(?:它们?|其)(?![他它中余])"
    r"|\b(?:based on|given|using|from|with) (?:that|this|it|those|these|the (?:result|answer|list)s?|your (?:answer"
    r"|findings))\b",
    re.IGNORECASE,
)
_RESULT = re.compile(r"(?<=[据于照用按])(?:上面|上述|前面|这个|这些|该|以上|此)(?:的)?(?:结果|结论|答案)")

_JOINT_ZH = re.compile(r"[,，;；。]?\s*(?:然后再?|接着再?|接下来|随后|之后再?|最后再?|[,，;；]再)\s*[,，]?\s*")
_JOINT_EN = re.compile(
    r"[,;.]?\s+(?:(?:and\s+)?(?:then|after that|afterwards|next|finally)"
    r"|and(?=,? (?:based on|using|with|from) (?:that|it|this)\b))\s*,?\s+",
    re.IGNORECASE,
)
_ORDERS_ZH = re.compile(
    r"^(?:请|麻烦你?|帮我|帮忙|你|首先|先|要)*(?:查|找|看|列|搜|确认|统计|计算|算|获取|定位|弄清|了解|说明|解释|介绍"
    r"|总结|概括|比较|对比|告诉|写出?|给出|推荐|判断|分析|根据|基于|利用|用|按|拿)"
)
_ORDERS_EN = re.compile(
    r"^(?:please |first,? |can you |could you |you should )*(?:find|look up|look for|check|list|get|identify|determine"
    r"|search|tell|show|explain|describe|summari[sz]e|compare|calculate|compute|work out|write|give|recommend|suggest"
    r"|use|based on|using|with|from|what|which|who|how|when|where|why)\b",
    re.IGNORECASE,
)
_REFERS_ZH = re.compile(r"它|其(?![他它中余实次])|[他她](?!人)|该[\u3400-\u9fff]|[这那][个些份位家项]")
_REFERS_EN = re.compile(r"\b(?:it|its|that|those|these|this|they|them|their|he|she|his|her|him)\b", re.IGNORECASE)
_FIRST = re.compile(
    r"^(?P<please>请|麻烦你?|帮我)?(?:首先|先)(?!进|生|前|后)[,，\s]*|^(?:first(?: of all)?,?)\s+", re.IGNORECASE
)


def steps(sentence: str, masked: str, is_clause: Callable[[str], bool]) -> list[str]:
    """The steps of `sentence`, each of which but the first needs the answer of the one before; empty when it has none.

    `masked`: the sentence with literals blanked out. `is_clause`: whether a stretch asks something of its own.
    """
    is_chinese = chinese.HAN.search(masked) is not None
    joints, orders, refers = (_JOINT_ZH, _ORDERS_ZH, _REFERS_ZH) if is_chinese else (_JOINT_EN, _ORDERS_EN, _REFERS_EN)
    found: list[str] = []
    begin = 0
    for joint in joints.finditer(masked):
        left, right = masked[begin : joint.start()].strip(), masked[joint.end() :][:_LOOKED_AT]
        goes_on = FROM_RESULT.search(right) or refers.search(right)
        if goes_on and (orders.match(left) or is_clause(left)) and _is_step(right, orders, is_clause, is_chinese):
            found.append(sentence[begin : joint.start()].strip())
            begin = joint.end()
    if not found:
        return []
    found[0] = _FIRST.sub(lambda first: first["please"] or "", found[0]) or found[0]
    return [*found, sentence[begin:].strip()]


def result_named(text: str, topic: str) -> str:
    """`text` with what was asked before in place of "this result", so that it can be searched for."""
    found = _RESULT.search(text) if topic else None
    if found is None:
        return text
    return chinese.glue(chinese.glue(text[: found.start()], topic), text[found.end() :])


def _is_step(right: str, orders: re.Pattern[str], is_clause: Callable[[str], bool], is_chinese: bool) -> bool:
    """English joins mere verbs ("install and then configure it"), which are one question."""
    return orders.match(right) is not None or (is_chinese and is_clause(right))
