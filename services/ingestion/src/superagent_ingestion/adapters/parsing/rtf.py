"""RTF → blocks: headings by outline level or style, tables, lists, the title, and every code page."""

from __future__ import annotations

from dataclasses import dataclass, replace

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.implied_headings import with_implied_headings
from superagent_ingestion.adapters.parsing.rtf_body import RtfBody
from superagent_ingestion.adapters.parsing.rtf_tokens import Group, Symbol, Token, Word, tokens
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# What these groups hold is not the document's text. A group that begins with \\* is left out unless it is known.
_SKIPPED = frozenset(
    {"colortbl", "pict", "object", "objdata", "header", "headerl", "headerr", "headerf", "footer", "footerl"}
    | {"footerr", "footerf", "themedata", "colorschememapping", "datastore", "latentstyles", "rsidtbl", "listtable"}
    | {"listoverridetable", "generator", "xmlnstbl", "fldinst", "bkmkstart", "bkmkend", "atnid", "atnauthor"}
    | {"annotation", "revtbl", "filetbl", "pntxta", "pntxtb", "pnseclvl", "nonshppict", "sp", "author", "operator"}
    | {
        "comment",
        "doccomm",
        "subject",
        "keywords",
        "company",
        "manager",
        "category",
        "hlinkbase",
        "template",
        "shprslt",
    }
)
_KNOWN_STARRED = frozenset({"shptxt", "shpinst", "pn", "cs", "ts", "listtext"})
_TEXT = {"tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"}
_TEXT |= {"emdash": "—", "endash": "–", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " "}
# \\fcharset → code page, of the RTF specification; 0 and 1 are the document's own.
_CHARSETS = {77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253"}
_CHARSETS |= {162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251"}
_CHARSETS |= {222: "cp874", 238: "cp1250", 255: "cp437"}
_CODE_PAGES = {936: "gb18030", 10000: "mac_roman", 65001: "utf-8"}
_DEEPEST = 1_000


@dataclass(slots=True)
class _State:
    """What a group inherits and ends with. into: where text goes."""

    into: str = "text"
    font: int = 0
    skip_after_unicode: int = 1
    hidden: bool = False
    bold: bool = False
    starred: bool = False
    fresh: bool = True


def rtf_blocks(data: bytes) -> tuple[list[Block], str | None]:
    """Blocks and the title of its properties. Raises DocumentRejected: unreadable."""
    reader = _Reader()
    for token in tokens(data):
        reader.take(token)
    body = reader.finished()
    return with_implied_headings(body.blocks, body.emphasised), one_line(reader.title) or None


class _Reader:
    def __init__(self) -> None:
        self.title = ""
        self._body = RtfBody()
        self._code_page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._default_font = 0
        self._style_number = 0
        self._style_outline: int | None = None
        self._style_name = ""
        self._stack: list[_State] = [_State()]
        self._bytes = bytearray()
        self._to_skip = 0
        self._high = 0

    def take(self, token: Token) -> None:
        state = self._stack[-1]
        match token:
            case Group(opens=True):
                self._break()
                if len(self._stack) > _DEEPEST:
                    raise DocumentRejected("unreadable", "The file is damaged: its groups are nested without end.")
                self._stack.append(replace(state, fresh=True, starred=False))
                return
            case Group():
                self._break()
                self._close()
                return
            case Symbol(char="*"):
                state.starred = True
                return
            case Symbol(char=char):
                self._text({"~": "\u00a0", "_": "-", "-": ""}.get(char, char))
            case Word():
                self._word(token, state)
            case bytes():
                self._raw(token, state)
        state.fresh = False

    def finished(self) -> RtfBody:
        self._end_bytes()
        self._body.finish()
        return self._body

    def _close(self) -> None:
        if len(self._stack) == 1:
            return
        ended = self._stack.pop()
        outer = self._stack[-1].into
        if ended.into == "style" and outer != "style":
            self._body.name_style(self._style_number, self._style_name, self._style_outline)
        elif ended.into == "footnote" and outer != "footnote":
            self._body.end_footnote()

    def _break(self) -> None:
        self._end_bytes()
        self._to_skip = 0

    def _raw(self, data: bytes, state: _State) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(data))
            self._to_skip -= skipped
            data = data[skipped:]
        if state.into == "skip" or state.hidden:
            return
        if data:
            self._high = 0
        self._bytes += data

    def _end_bytes(self) -> None:
        """A character of two bytes may be written half as \\'hh, half as itself, so bytes wait for their neighbours."""
        if self._bytes:
            encoding = self._fonts.get(self._stack[-1].font) or self._code_page
            text = self._bytes.decode(encoding, errors="replace")
            self._bytes.clear()
            self._put(text)

    def _text(self, text: str) -> None:
        self._end_bytes()
        self._high = 0
        if not self._stack[-1].hidden:
            self._put(text)

    def _put(self, text: str) -> None:
        match self._stack[-1].into:
            case "text" | "footnote":
                self._body.add(text, bold=self._stack[-1].bold)
            case "marker":
                self._body.add_marker(text)
            case "title":
                self.title += text
            case "style":
                self._style_name += text

    def _word(self, word: Word, state: _State) -> None:
        name, number = word.name, word.number
        if state.fresh and self._begins_group(name, number, state):
            return
        if name == "u" and number is not None:
            self._unicode(number, state)
            return
        if name in _TEXT:
            if self._to_skip:
                self._to_skip -= 1
            else:
                self._text(_TEXT[name])
            return
        self._end_bytes()
        match name:
            case "f" if number is not None:
                state.font = number
            case "deff" if number is not None:
                self._default_font = state.font = number
            case "fcharset" if state.into == "fonttbl" and number is not None:
                self._fonts[state.font] = _CHARSETS.get(number, "")
            case "ansicpg" if number:
                self._code_page = _CODE_PAGES.get(number, _codec(f"cp{number}"))
            case "mac":
                self._code_page = "mac_roman"
            case "uc" if number is not None:
                state.skip_after_unicode = min(max(number, 0), 8)
            case "v" | "deleted":
                state.hidden = number != 0
            case "b":
                state.bold = number != 0
            case "plain":
                state.hidden, state.bold, state.font = False, False, self._default_font
            case "par" | "line" if state.into == "footnote":
                self._put(" ")
            case _ if state.into == "text":
                self._body.lay_out(name, number)
            case "s" if state.into == "style":
                self._style_number = number or 0
            case "outlinelevel" if state.into == "style":
                self._style_outline = number

    def _begins_group(self, name: str, number: int | None, state: _State) -> bool:
        """Whether the word says what the group is for."""
        if state.into == "skip":
            return True
        if name in _SKIPPED or (state.starred and name not in _KNOWN_STARRED):
            state.into = "skip"
        elif name in ("fonttbl", "stylesheet", "info") or (name == "title" and state.into == "info"):
            state.into = name
        elif name in ("listtext", "pntext"):
            state.into = "marker"
            self._body.begin_marker()
        elif state.into == "stylesheet":
            state.into, self._style_name, self._style_outline = "style", "", None
            self._style_number = (number or 0) if name == "s" else -1
        elif name == "footnote":
            state.into = "footnote"
            self._body.begin_footnote()
        else:
            return False
        return True

    def _unicode(self, number: int, state: _State) -> None:
        self._end_bytes()
        code = number % 65536
        self._to_skip = state.skip_after_unicode
        if 0xD800 <= code < 0xDC00:
            self._high = code
            return
        if 0xDC00 <= code < 0xE000:
            # Half a pair alone is no character.
            text = chr(0x10000 + ((self._high - 0xD800) << 10) + (code - 0xDC00)) if self._high else ""
        else:
            text = chr(code)
        self._high = 0
        if not state.hidden and state.into != "skip":
            self._put(text)


def _codec(name: str) -> str:
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name
