"""Identifiers of a question: order numbers, setting names, codes, paths, literals. Planning may never lose one."""

from __future__ import annotations

import re

_CODE = re.compile(r"`([^`\n]{1,300})`")
_RUN = re.compile(r"[/~$@.\-]{0,3}[A-Za-z0-9_][A-Za-z0-9_./:#@+\-%=&?]*")
_TRAILING = ".:/-?=&"
_TELLING = re.compile(r"[0-9_@#$]|[a-z][A-Z]|[A-Z]{2}|\w[./:]\w|\+\+|^[/~$]")

# What stands inside these belongs together: it is neither split nor searched for pronouns.
_LITERAL = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|‘[^’\n]{1,300}’|「[^」\n]{1,300}」|『[^』\n]{1,300}』"
    r"|《[^》\n]{1,100}》|\([^()\n]{1,300}\)|（[^（）\n]{1,300}）|https?://[^\s，。；？！、）》]{1,500}"
)
MASK = "\ue000"


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers of `text` in order of appearance, each once, as they are written."""
    found = [match.group(1) for match in _CODE.finditer(text)]
    for match in _RUN.finditer(text):
        run = match.group().rstrip(_TRAILING)
        if len(run) > 1 and run != "OK" and _TELLING.search(run):
            found.append(run)
    return tuple(dict.fromkeys(found))


def lost_identifiers(original: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Identifiers of `original` that stand in none of `texts`."""
    return tuple(name for name in identifiers(original) if not any(name in text for text in texts))


def mask_literals(text: str) -> str:
    """`text` at the same length, with quoted, bracketed and address parts blanked out by `MASK`."""
    return _LITERAL.sub(lambda match: MASK * len(match.group()), text)
