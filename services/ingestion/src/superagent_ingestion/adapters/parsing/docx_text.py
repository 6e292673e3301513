"""The runs of a Word paragraph: text, and what is anchored in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.omml import tex
from superagent_ingestion.adapters.parsing.safe_xml import Element

# Deleted and moved text, codes of fields, readings beside characters.
_NO_TEXT = frozenset(
    {"del", "moveFrom", "delText", "instrText", "delInstrText", "rt", "pPr", "rPr", "commentReference"}
)
_PICTURE_NAME = re.compile(r"\S+\.(?:png|jpe?g|gif|emf|wmf|svg|tiff?|bmp)", re.IGNORECASE)
_SHORTEST_ALT = 4


@dataclass(slots=True)
class Run:
    """numbers: of the foot- and endnotes of the whole document, by kind and id, in the order they are met.
    boxes: contents of text boxes. notes: kind and id of the notes of this run. pictures: what is said about them.
    is_bold: whether all text is, by its own formatting.
    """

    numbers: dict[tuple[str, str], int]
    parts: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    is_bold: bool = True

    @property
    def text(self) -> str:
        return "".join(self.parts)


def paragraph_runs(paragraph: Element, numbers: dict[tuple[str, str], int]) -> Run:
    run = Run(numbers)
    _read(paragraph, run)
    return run


def _read(element: Element, run: Run) -> None:
    if element.tag == "r" and run.is_bold:
        run.is_bold = _is_bold(element) or not any(child.tag == "t" and child.text().strip() for child in element)
    for child in element:
        match child.tag:
            case "t":
                run.parts.append(child.text())
            case "tab" | "ptab":
                run.parts.append("\t")
            case "br" | "cr":
                run.parts.append("\n")
            case "noBreakHyphen":
                run.parts.append("-")
            case "sym":
                run.parts.append(_symbol(child.attributes.get(":char", "")))
            case "footnoteReference" | "endnoteReference":
                note = child.tag.removesuffix("Reference"), child.attributes.get(":id", "")
                run.notes.append(note)
                run.parts.append(f"[{run.numbers.setdefault(note, len(run.numbers) + 1)}]")
            case "oMath":
                formula = tex(child)
                run.parts.append(f"${formula}$" if formula else "")
            case "txbxContent":
                run.boxes.append(child)
            case "docPr":
                _picture(child, run)
            case "AlternateContent":
                # The same thing for new and for old programs.
                _read(child.first("Choice") or child.first("Fallback") or child, run)
            case tag if tag not in _NO_TEXT:
                _read(child, run)


def _is_bold(run: Element) -> bool:
    found = run.first("rPr", "b")
    return found is not None and found.attributes.get(":val", "1") not in ("0", "false")


def _symbol(code: str) -> str:
    """A character of a symbol font; those of the private area mean something in that font only."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return "" if 0xE000 <= number <= 0xF8FF else chr(number)


def _picture(properties: Element, run: Run) -> None:
    alt = one_line(properties.attributes.get("descr", ""))
    if len(alt) >= _SHORTEST_ALT and not _PICTURE_NAME.fullmatch(alt):
        run.pictures.append(alt)
