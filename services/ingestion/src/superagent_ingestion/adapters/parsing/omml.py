"""Formulas of Word and PowerPoint (OMML) → TeX, which language models read and people can."""

from __future__ import annotations

from superagent_ingestion.adapters.parsing.safe_xml import Element

_SIGNS = {"∑": "\\sum", "∏": "\\prod", "∫": "\\int", "⋃": "\\bigcup", "⋂": "\\bigcap"}
_LETTERS = {
    "π": "\\pi",
    "∞": "\\infty",
    "×": "\\times",
    "±": "\\pm",
    "≤": "\\leq",
    "≥": "\\geq",
    "≠": "\\neq",
    "…": "\\ldots",
}
_PROPERTIES = "Pr"


def tex(formula: Element) -> str:
    """One line of TeX without dollar signs."""
    return _inside(formula).strip()


def _inside(element: Element) -> str:
    return "".join(map(_tex, element))


def _tex(element: Element) -> str:
    if element.tag.endswith(_PROPERTIES):
        return ""

    def part(name: str) -> str:
        found = element.first(name)
        return _inside(found) if found else ""

    match element.tag:
        case "t":
            return "".join(f"{_LETTERS[letter]} " if letter in _LETTERS else letter for letter in element.text())
        case "f" if _property(element, "fPr", "type") == "noBar":
            return f"{{{part('num')} \\atop {part('den')}}}"
        case "f":
            return f"\\frac{{{part('num')}}}{{{part('den')}}}"
        case "sSup":
            return f"{part('e')}^{{{part('sup')}}}"
        case "sSub":
            return f"{part('e')}_{{{part('sub')}}}"
        case "limLow":
            return f"{part('e')}_{{{part('lim')}}}"
        case "limUpp":
            return f"{part('e')}^{{{part('lim')}}}"
        case "sSubSup":
            return f"{part('e')}_{{{part('sub')}}}^{{{part('sup')}}}"
        case "rad":
            degree = part("deg")
            return f"\\sqrt{f'[{degree}]' if degree else ''}{{{part('e')}}}"
        case "nary":
            sign = _SIGNS.get(_property(element, "naryPr", "chr") or "∫", "\\int")
            below, above = part("sub"), part("sup")
            return f"{sign}{f'_{{{below}}}' if below else ''}{f'^{{{above}}}' if above else ''} {part('e')}"
        case "d":
            opening = _property(element, "dPr", "begChr", "(")
            closing = _property(element, "dPr", "endChr", ")")
            return f"{opening}{', '.join(_inside(child) for child in element if child.tag == 'e')}{closing}"
        case "func":
            return f"{part('fName')} {part('e')}"
        case "m":
            rows = (" & ".join(_inside(cell) for cell in row) for row in element if row.tag == "mr")
            return "\\begin{matrix}" + " \\\\ ".join(rows) + "\\end{matrix}"
    return _inside(element)


def _property(element: Element, holder: str, name: str, otherwise: str = "") -> str:
    found = element.first(holder, name)
    return found.attributes.get(":val", otherwise) if found else otherwise
