"""Whether the document's outline answers a question ("what does chapter 3 say", RAG-10)."""

from __future__ import annotations

import re

_OUTLINE = re.compile(
    r"第\s*[一二三四五六七八九十百零〇\d]+(?:\.\d+)*\s*(?:章|节|篇|部分|小节|单元|条)|(?:目录|大纲|章节结构"
    r"|文档结构|章节标题|章节列表)|(?:有|分|包含|包括)(?:哪些"
    r"|几个?|哪几个?|多少个?)(?:章节?|部分|小节)"
    r"|(?:哪些?|哪几?个?|哪一?个?)(?:章节?|小节|部分|段落)(?:里|中)?(?:提到|讲|说|涉及|介绍|包含|描述|写)|在哪(?:一"
    r"|个)?(?:章节?|小节|部分)|\d+(?:\.\d+)+\s*(?:节|章|小节)"
    r"|\b(?:chapter|section|part|appendix)\s+(?:\d+(?:\.\d+)*|[ivx]+\b|one|two|three|four|five|six|seven|eight"
    r"|nine|ten|[a-d]\b)|\b(?:table of contents|outline of)\b|\b(?:which|what) (?:chapters?|sections?|parts?|headings?)\b"
    r"|\b(?:first|second|third|fourth|fifth|last) (?:chapter|section|part)\b"
    r"|\bhow many (?:chapters|sections|parts)\b|\blist (?:all )?(?:the )?(?:chapters|sections|headings)\b"
    r"|\bwhere in the (?:document"
    r"|manual|handbook|guide)\b",
    re.IGNORECASE,
)
_LOOKED_AT = 400


def asks_outline(question: str) -> bool:
    """Whether `question` asks by chapter, section or table of contents."""
    return _OUTLINE.search(question[:_LOOKED_AT]) is not None
