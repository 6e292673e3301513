"""Texts for the local embedder's tests: 100 Chinese and 100 English ones, from a few words to more than 512 tokens."""

from __future__ import annotations

import random

_CHINESE = (
    "企业知识库的权限由组织标签决定，每次检索都要先核对身份再给出证据。",
    "合同到期前三十天，系统会提醒负责人；审批记录至少保留五年。",
    "年假按工龄计算：满一年五天，满十年十天，满二十年十五天。",
    "请问病假需要提供哪些医院证明？",
    "服务器机房的温度应保持在二十二摄氏度左右，湿度不超过百分之六十。",
    "报销单须附发票原件，超过５０００元的采购要经过财务总监批准！",
    "量子计算机利用叠加态进行运算，目前仍处于实验阶段。",
    "版本 v2.3.1 修复了 OAuth2 登录失败的问题（错误码 E-1042）。",
    "明天北京有小雨，最高气温十八度，出门请带伞。",
    "他说：“项目延期两周，但预算不变。”",
    "Kafka 主题的分区数默认为 6，消费者组以服务名命名。",
    "新员工入职当天领取工牌与电脑，并在一周内完成信息安全培训。",
    "数据备份策略：每日增量，每周全量，异地保存九十天。",
    "会议室预订请提前一天，取消请至少提前两小时。",
)
_ENGLISH = (
    "Every search checks who is asking before any evidence is returned.",
    "The contract renews automatically unless either party gives thirty days' notice.",
    "How many days of annual leave do I have after ten years?",
    "Keep the server room at about 22 °C and below 60% humidity.",
    "Invoices above $5,000 need the approval of the finance director.",
    "A quantum computer uses superposition; most of them are still experiments.",
    "Release v2.3.1 fixes failing OAuth2 logins (error E-1042), see /docs/login.md.",
    "Rain is expected in London tomorrow, so take an umbrella.",
    'She said: "the project is two weeks late, but within budget."',
    "def retry(times: int = 3) -> None: raise TimeoutError('no answer')",
    "New employees receive a badge and a laptop on their first day.",
    "Backups run daily (incremental) and weekly (full); copies are kept off site for 90 days.",
    "Please book meeting rooms a day ahead and cancel at least two hours before.",
    "Naïve café owners résumé their façade renovations in Zürich.",
)


def two_hundred_texts() -> list[str]:
    """The same texts every time, all different."""
    chosen = random.Random(20240607)
    texts: list[str] = []
    for sentences, joint in ((_CHINESE, ""), (_ENGLISH, " ")):
        of_language = dict.fromkeys(sentences)
        while len(of_language) < 100:
            number = len(of_language)
            # Most are a few sentences; every tenth is a chunk of some 500 characters, two are cut at 512 tokens.
            count = 60 if number >= 98 else 12 if number % 10 == 0 else chosen.randint(2, 4)
            of_language[joint.join(chosen.choices(sentences, k=count))] = None
        texts += of_language
    return texts


TRICKY_TEXTS = (
    "",
    " ",
    "   several   spaces \t and\n\nlines \r\n",
    "ｆｕｌｌｗｉｄｔｈ　ＡＢＣ　１２３　ﬁne ½ №",
    "👍🏽 emoji 👩‍👩‍👧 family, 中文 mixed with English 和 123",
    "𠀀𠀁 rare 龘靐齉 characters",
    "…———====####||||",
    "supercalifragilisticexpialidocious" * 8,
    "مرحبا بالعالم — Привет, мир — こんにちは世界 — สวัสดีชาวโลก",
    "▁ the mark itself ▁▁",
    "control \x01\x02 characters \x7f and soft\u00adhyphen, zero\u200bwidth",
)
