"""Things that a Chinese question points at as if they had been named: "这份合同", "那家供应商", "该县"."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning.identifiers import identifiers, mask_literals

# A measure word for single things counts something that has a name; "这次", "这种" and "这些" need none.
_MEASURED = re.compile(
    r"(?P<words>(?:这|那)(?:份|家|位|部|座|栋|幢|台|所|支|届|期|封|艘|辆|张|场|名)"
    r"(?P<thing>(?!公司|单位|企业|集团|部门)[\u3400-\u9fff]{1,6}?))(?=的|是|在|有|要|能|会|可|怎|如|为|什|哪|谁|多|几|提|支|负|需|叫|属|和|[\s,，。?？!！A-Za-z]|$)"
)
# Kinds of which there are many, each with a name of its own.
_NAMED = (
    r"县|省|市|州|城市|国家|地区|医院|诊所|学校|大学|图书馆|法院|机构|供应商|客户|同事|合同|协议|订单|会议|报告|球队|演员"
    r"|歌手|作者|电影|电视剧|公园|酒店|餐厅|银行|疾病|药"
)
_POINTED = re.compile(
    rf"(?P<words>(?:该|(?:这|那)(?:个|款|本|次|项)|(?<![因为])此)(?P<thing>{_NAMED}))(?!们|级|内|外|场)"
)
_LONGEST = 120


def unnamed_in(question: str, said: str, own: str) -> str:
    """What `question` points at and nothing names; empty when it points at nothing. As for English.

    `said` is what was said before in the conversation, `own` the names of what the person may read.
    """
    if len(question) > _LONGEST:
        return ""
    masked = mask_literals(question)
    for pattern in (_MEASURED, _POINTED):
        pointed = pattern.search(masked)
        if pointed is None or masked != question or identifiers(question):  # a title or a number names it
            continue
        thing, before = pointed["thing"], question[: pointed.start()]
        if thing not in f"{said} {own} {before}":
            return pointed["words"]
    return ""
