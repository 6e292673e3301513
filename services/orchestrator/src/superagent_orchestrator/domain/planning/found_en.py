"""What an English answer found for a question that was looking for something ("Little Seoul is a Korean restaurant")."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_SEEKS = re.compile(
    r"\b(?:looking for|look for|find|recommend|suggest|in search of|interested in|(?:is|are) there|do you have"
    r"|(?:how|what) about|(?:like|want|love) to try|would be (?:good|nice|fine|great)|suggestions?"
    r"|(?:want|need|like|prefer)(?: to \w+)? (?:an?|some|any)|would like (?!to )|which|any (?:good|other)?|something)\b"
    r"|^(?:an?|some|any|something)\s",
    _I,
)
_NAME = r"(?-i:[A-Z][\w'’&-]*(?: (?:of|the|and|&|de|[A-Z][\w'’&-]*|\d+)){0,5})"
_FIRST = re.compile(
    rf"^(?:yes|sure|okay|ok|certainly|great|how about|there is|there's|i (?:would )?(?:recommend|suggest|found"
    rf"|have)|we have|you could (?:also )?try"
    rf"|try|[,.!\s])*(?:the )?(?P<name>{_NAME}|[a-z][\w' ]{{2,30}}?)(?:,| (?:is|serves?|offers?|has|in the"
    rf"|located|which|that)\b)",
    _I,
)
_CALLED = re.compile(
    rf"\b(?i:called|named|recommend|suggest|how about|try|is) (?:the )?(?P<name>{_NAME})"
    r"|\b(?i:how about|recommend|suggest) (?:the )?(?P<small>[a-z][a-z' ]{2,30})[?.!]"
)
_NO_NAME = re.compile(
    r"^(?:yes|sure|okay|there|it|they|i|we|you|what|which|that|this|these|those|no|any|sorry|the|their|its|my"
    r"|our|all|both|many|some|several|one|none"
    r"|would|do|does|is|are|can|could|please|thank\w*|welcome|here|phone|address|price)\b|\b(?:restaurants"
    r"|results?|matches|options?"
    r"|phone|number|address|price)$",
    _I,
)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", _I)
# With an article it is described, not named: "the Italian restaurant", but "Fitzbillies restaurant".
_KIND = re.compile(r"\w+ restaurant", _I)
_LOOKED_AT = 300


def is_looking(question: str) -> bool:
    """Whether a question looks for something that has a name."""
    return _SEEKS.search(question) is not None


def found_in(answer: str) -> str:
    """The name that `answer` gives to what was looked for; empty when it names nothing."""
    text = answer[:_LOOKED_AT].strip()
    for pattern in (_CALLED, _FIRST):
        named = pattern.search(text)
        name = (named["name"] or named.groupdict().get("small") or "").strip(" ,.'") if named else ""
        bare = _ARTICLE.sub("", name)
        if bare and _NO_NAME.search(bare) is None and (bare == name or _KIND.fullmatch(bare) is None):
            return f"{name[0].upper()}{name[1:]}"
    return ""
