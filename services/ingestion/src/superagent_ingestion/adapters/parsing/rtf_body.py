"""RTF paragraphs, lists and tables, as control words lay them out → blocks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from superagent_ingestion.adapters.parsing.cleaning import lines_of_prose, one_line
from superagent_ingestion.adapters.parsing.lines import Line, line_blocks
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block

_LONGEST_HEADING = 200
_DEEPEST_LIST = 8
_THROUGHOUT = 0.9


@dataclass(slots=True)
class _Paragraph:
    style: int | None = None
    outline: int | None = None
    in_table: bool = False
    level: int = 0
    listed: bool = False
    marker: str = ""
    parts: list[str] = field(default_factory=list)
    letters: int = 0
    bold_letters: int = 0


class RtfBody:
    """Takes text and the control words about it in their order; `blocks` is complete after `finish`. emphasised: places
    of the paragraphs that are bold throughout.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.emphasised: set[int] = set()
        self._style_levels: dict[int, int] = {}
        self._paragraph = _Paragraph()
        self._lines: list[Line] = []
        self._cells: list[str] = []
        self._cell: list[str] = []
        self._rows: list[list[str]] = []

    def name_style(self, number: int, name: str, outline: int | None) -> None:
        """What the style sheet says of a style; `name` is English in every language's Word."""
        name = name.strip().rstrip(";").lower()
        if outline is not None and 0 <= outline < 9:
            self._style_levels[number] = min(outline + 1, 6)
        elif name == "title":
            self._style_levels[number] = 1
        elif name.startswith("heading ") and name[8:].isdigit():
            self._style_levels[number] = min(max(int(name[8:]), 1), 6)

    def add(self, text: str, *, bold: bool) -> None:
        self._paragraph.parts.append(text)
        letters = len("".join(text.split()))
        self._paragraph.letters += letters
        self._paragraph.bold_letters += letters if bold else 0

    def begin_marker(self) -> None:
        """The next paragraph is a list item, whose mark follows."""
        self._paragraph.listed = True

    def add_marker(self, text: str) -> None:
        self._paragraph.marker += text

    def begin_footnote(self) -> None:
        self._paragraph.parts.append(" [")

    def end_footnote(self) -> None:
        self._paragraph.parts[-1:] = [self._paragraph.parts[-1].rstrip(), "]"]

    def finish(self) -> None:
        self._end_paragraph()
        self._end_table()
        self._flush_lines()

    def lay_out(self, name: str, number: int | None) -> None:
        """A control word about paragraphs and cells; all others mean nothing here."""
        paragraph = self._paragraph
        match name:
            case "par" | "sect" | "page":
                self._end_paragraph()
            case "pard":
                self._paragraph = _Paragraph(
                    parts=paragraph.parts,
                    marker=paragraph.marker,
                    listed=paragraph.listed,
                    letters=paragraph.letters,
                    bold_letters=paragraph.bold_letters,
                )
            case "s":
                paragraph.style = number
            case "outlinelevel":
                paragraph.outline = number
            case "ilvl":
                paragraph.level = min(number or 0, _DEEPEST_LIST)
            case "ls":
                paragraph.listed = paragraph.listed or bool(number)
            case "intbl":
                paragraph.in_table = True
            case "cell" | "nestcell":
                self._cell.append("".join(paragraph.parts))
                self._cells.append(" ".join(filter(None, map(one_line, self._cell))))
                self._cell = []
                self._paragraph = _Paragraph(in_table=True)
            case "row":
                self._flush_lines()
                self._rows.append(self._cells)
                self._cells = []

    def _end_paragraph(self) -> None:
        done = self._paragraph
        # \\par without \\pard goes on with the same kind of paragraph.
        self._paragraph = replace(done, parts=[], marker="", listed=False, letters=0, bold_letters=0)
        text = lines_of_prose("".join(done.parts))
        if done.in_table and (self._cells or self._cell or text):
            self._cell.append(text)
            return
        self._end_table()
        if not text:
            return
        level = self._level(done)
        if level and len(text) <= _LONGEST_HEADING:
            self._flush_lines()
            self.blocks.append(Block("heading", one_line(text), level))
            return
        if not done.listed and done.bold_letters > _THROUGHOUT * done.letters:
            self._flush_lines()
            self.emphasised.add(len(self.blocks))
            self.blocks.append(Block("paragraph", text))
            return
        ordered = any(character.isalnum() for character in done.marker)
        self._lines.append(Line(text, done.level if done.listed else None, ordered))

    def _level(self, paragraph: _Paragraph) -> int:
        if paragraph.outline is not None and 0 <= paragraph.outline < 9:
            return min(paragraph.outline + 1, 6)
        return self._style_levels.get(paragraph.style, 0) if paragraph.style is not None else 0

    def _end_table(self) -> None:
        if self._rows:
            self._flush_lines()
            block = table_block(self._rows)
            self.blocks += [block] if block else []
        self._rows = []

    def _flush_lines(self) -> None:
        self.blocks += line_blocks(self._lines)
        self._lines = []
