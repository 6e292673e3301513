"""Whether a text is a calculation or a conversion of units."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning.everyday import OWN_MATTER

_I = re.IGNORECASE
_UNIT = (
    r"(?:km|kilomet(?:er|re)s?|miles?|met(?:er|re)s?|feet|foot|inch(?:es)?|kg|kilos?|centimet(?:er|re)s?|millimet(?:er|re)s?|kilograms?|milligrams?|pounds?"
    r"|lbs?|ounces?|lit(?:er|re)s?|gallons?|pints?|quarts?|cups?|celsius|fahrenheit"
    r"|cm|mm|ml|grams?|tablespoons?|teaspoons?|yards?|acres?)"
)
_NUMBER = r"(?<!\d)\d+(?:[.,]\d+)*"
_OPERATION = re.compile(
    rf"\b(?:add|subtract|multiply|divide)\b.{{0,10}}\d|{_NUMBER}\s*%?\s*(?:[+*×÷^x]|\*\*)\s*\(?\s*[-(]*{_NUMBER}"
    rf"|{_NUMBER}\s+[-−/]\s+{_NUMBER}|{_NUMBER}[-−/]{_NUMBER}|{_NUMBER}\s*(?:加上?|减去?|乘以?|除以|的平方|的立方"
    rf"|开方|次方)\s*(?:{_NUMBER})?"
    rf"|{_NUMBER}\s*(?:的)?\s*(?:百分之|{_NUMBER}\s*%)|百分之{_NUMBER}"
    rf"|{_NUMBER}\s*(?:%|percent)\s*(?:of|off|tip on|的)\s*\$?{_NUMBER}"
    rf"|\b{_NUMBER}\s+(?:plus"
    rf"|minus|times|multiplied by|divided by|over|to the power of|mod|squared|cubed)(?:\s+{_NUMBER})?"
    rf"|(?:平方根|divisible by|square root|cube root|sqrt|log|sum|product|average|平均数?|平均值|总和)[^\d]{{0,12}}{_NUMBER}"
    rf"|{_NUMBER}\s*(?:和|与|and)\s*{_NUMBER}\s*(?:的)?(?:和|差|积|商|平均)",
    _I,
)
_CALCULATION_FRAME = re.compile(
    r"请问|请|帮我|麻烦|计算|算一?下|算算|算|等于多少|等于几|等于|是多少|多少|结果|的|是|和|与|加上?|减去?"
    r"|乘以?|除以|平方根?|立方|开方|次方|百分之|平均数?|平均值|总和|差|积|商|得|一下|吗|呢|什么"
    r"|\b(?:what(?:'s| is)|calculate|compute|evaluate|solve|how much is|how many is|tell me|the|result|answer|of"
    r"|plus|minus|times|multiplied|divided|by|over|to|power|squared|cubed|square|cube|root|add|up|subtract|multiply"
    r"|divide|divisible|with|from|can|you|total|sqrt|log|sum|product|average|and|equals?|please|can you|do|mod"
    r"|percent|a|an|is|if|i|give me|need to know|what|off|tip|on|dollars|does|x|go|into)\b"
    r"|[\s\d.,+*×÷^%()（）=?？。!！:：$￥/−-]",
    _I,
)
_CONVERSION = re.compile(
    r"\d+(?:\.\d+)?\s*(?:公里|千米|米|厘米|毫米|英里|英尺|英寸|公斤|千克|克|斤|磅|盎司|升|毫升|加仑|摄氏度"
    r"|华氏度|平方米|亩|公顷|美元|人民币|欧元|日元|英镑)\s*(?:是"
    r"|等于|换算成|转换成|换成|合|折合)?(?:等于)?(?:多少|几)|换算(?:成|为)"
    rf"|\bhow many {_UNIT}\b.{{0,12}}\b(?:in|is|are|make)\b.{{0,14}}\b{_UNIT}\b|\bconversion\b.{{0,12}}\b{_UNIT}\b"
    rf"|\bconvert\b[^.?!]{{0,30}}\b{_UNIT}\b|\b{_UNIT}\b.{{0,14}}\b(?:in|to|into|equal|make|is|are)\b.{{0,14}}\b{_UNIT}\b",
    _I,
)
_LOOKS_LIKE_NUMBERING = re.compile(
    r"^\W*(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d+(?:\.\d+){2,}(?:/\d+)?|\d+(?:-\d+)+|\d{1,2}/\d{1,2}(?:/\d{2,4})?)\W*$"
)


def is_calculation(text: str) -> bool:
    if _CONVERSION.search(text) and OWN_MATTER.search(text) is None:
        return True
    if _OPERATION.search(text) is None or _CALCULATION_FRAME.sub("", text):
        return False
    bare = re.sub(r"[^\d./\-]+", " ", text).strip()
    return (
        _LOOKS_LIKE_NUMBERING.match(bare) is None
        or re.search(r"[+*×÷^%加减乘除]|\s[-/]\s|\b(?:plus|minus|times|divided)\b", text) is not None
    )
