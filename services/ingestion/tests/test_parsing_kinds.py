"""A small file of every kind: what it says, with levels, rows and pages; and one text in every encoding."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from services.ingestion.tests.document_samples import pdf
from services.ingestion.tests.office_samples import (
    message,
    odf,
    odf_table,
    pptx,
    shape,
    sheet_rows,
    slide_table,
    xlsx,
)
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import Block, ParsedDocument

ROWS = [["城市", "每晚上限"], ["北京", "500"], ["上海", "480"]]
TABLE = "| 城市 | 每晚上限 |\n| --- | --- |\n| 北京 | 500 |\n| 上海 | 480 |"


def _parse(folder: Path, name: str, content: bytes) -> ParsedDocument:
    path = folder / "stored-object"
    path.write_bytes(content)
    return parse_document(path, name, ParserLimits())


def _odp() -> bytes:
    def page(title: str, rest: str) -> str:
        return (
            f'<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>{title}</text:p></draw:text-box>'
            f"</draw:frame><draw:frame>{rest}</draw:frame></draw:page>"
        )

    said = "<draw:text-box><text:p>Late claims are refused.</text:p></draw:text-box>"
    return odf("presentation", page("住宿标准", odf_table(ROWS)) + page("Submitting claims", said))


def _mailbox() -> bytes:
    parts = (message("住宿标准", "北京 500"), message("Claims", "Late claims are refused."))
    return b"".join(b"From anna@example.org Mon Mar  2 09:30:00 2026\n" + bytes(part) + b"\n" for part in parts)


_HEAD = "From: Anna Lee <anna@example.org>\nTo: finance@example.org\nDate: Mon, 02 Mar 2026 09:30:00 +0800"
_SLIDES = (
    Block("heading", "住宿标准", 2, 1),
    Block("table", TABLE, page=1),
    Block("heading", "Submitting claims", 2, 2),
    Block("paragraph", "Late claims are refused.", page=2),
)
_KINDS: dict[str, tuple[Callable[[], bytes], str, tuple[Block, ...]]] = {
    "a.pptx": (
        lambda: pptx(
            [
                shape("住宿标准", placeholder="title") + slide_table(ROWS),
                shape("Submitting claims", placeholder="title") + shape("Late claims are refused."),
            ]
        ),
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        _SLIDES,
    ),
    "a.odp": (_odp, "application/vnd.oasis.opendocument.presentation", _SLIDES),
    "a.xlsx": (
        lambda: xlsx({"住宿标准": sheet_rows(ROWS), "Claims": sheet_rows([["who", "what"], ["Anna", "train"]])}),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        (
            Block("heading", "住宿标准", 1),
            Block("table", TABLE),
            Block("heading", "Claims", 1),
            Block("table", "| who | what |\n| --- | --- |\n| Anna | train |"),
        ),
    ),
    "a.ods": (
        lambda: odf("spreadsheet", odf_table(ROWS, name="住宿标准")),
        "application/vnd.oasis.opendocument.spreadsheet",
        (Block("heading", "住宿标准", 1), Block("table", TABLE)),
    ),
    "a.csv": (lambda: "城市;每晚上限\n北京;500\n上海;480\n".encode("gb18030"), "text/csv", (Block("table", TABLE),)),
    "a.tsv": (
        lambda: "城市\t每晚上限\n北京\t500\n上海\t480\n".encode(),
        "text/tab-separated-values",
        (Block("table", TABLE),),
    ),
    "a.json": (
        lambda: json.dumps([dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]).encode(),
        "application/json",
        (Block("table", TABLE),),
    ),
    "a.jsonl": (
        lambda: "\n".join(json.dumps(dict(zip(ROWS[0], row, strict=True))) for row in ROWS[1:]).encode(),
        "application/json",
        (Block("table", TABLE),),
    ),
    "a.xml": (
        lambda: (
            '<?xml version="1.0"?><doc><title>住宿标准</title><p>按下表报销。</p><sec><title>Claims</title>'
            "<p>Late claims are refused.</p></sec></doc>"
        ).encode(),
        "application/xml",
        (
            Block("heading", "住宿标准", 1),
            Block("paragraph", "按下表报销。"),
            Block("heading", "Claims", 2),
            Block("paragraph", "Late claims are refused."),
        ),
    ),
    "a.mbox": (
        _mailbox,
        "application/mbox",
        (
            Block("heading", "住宿标准", 1),
            Block("paragraph", _HEAD),
            Block("paragraph", "北京 500"),
            Block("heading", "Claims", 1),
            Block("paragraph", _HEAD),
            Block("paragraph", "Late claims are refused."),
        ),
    ),
}


@pytest.mark.parametrize("name", _KINDS)
def test_a_file_of_every_kind_says_what_is_in_it(tmp_path: Path, name: str) -> None:
    make, media_type, blocks = _KINDS[name]
    document = _parse(tmp_path, name, make())
    assert document.blocks == blocks
    assert document.media_type == media_type
    assert document.pages == (2 if blocks == _SLIDES else None)


# Written out, for lines that differ in their digits alone are taken for headers.
_NUMBERS = [f"{ten} {one}" for ten in ("zero", "ten", "twenty") for one in "abcdefghij"]


def test_a_report_of_two_columns_keeps_their_order_its_pages_and_drops_what_repeats(tmp_path: Path) -> None:
    left, right = (
        "Left column, page {page}, line {line} of the story",
        "Right column, page {page}, line {line} of it all",
    )
    pages = [
        [
            (60, 40, 9, "Annual report of the Example Company"),
            *((60, 100 + 14 * line, 10, left.format(page=_NUMBERS[page], line=_NUMBERS[line])) for line in range(30)),
            *((320, 100 + 14 * line, 10, right.format(page=_NUMBERS[page], line=_NUMBERS[line])) for line in range(30)),
            (290, 810, 9, str(page)),
        ]
        for page in range(1, 5)
    ]
    document = _parse(tmp_path, "report.pdf", pdf(pages))
    said = [(block.page, block.text) for block in document.blocks]
    assert document.pages == 4
    assert not any("Example Company" in text or text.isdigit() for _, text in said)
    for page in range(1, 5):
        text = " ".join(text for number, text in said if number == page)
        places = [text.find(left.format(page=_NUMBERS[page], line=_NUMBERS[line])) for line in range(30)]
        places += [text.find(right.format(page=_NUMBERS[page], line=_NUMBERS[line])) for line in range(30)]
        assert places == sorted(places) and places[0] >= 0


_WIDE = [["城市", "每晚上限", "备注"], ["北京", "500", "旺季加价"], ["上海", "480", "含税"], ["成都", "350", "含早餐"]]


def test_a_chinese_report_keeps_headings_table_and_pages(tmp_path: Path) -> None:
    pages = [
        [
            (72, 80, 22, "差旅管理办法"),
            (72, 130, 15, "住宿标准"),
            (72, 160, 11, "住宿费按下表报销，超出部分自理。"),
            *(
                (72 + 130 * at, 190 + 18 * row, 11, cell)
                for row, cells in enumerate(_WIDE)
                for at, cell in enumerate(cells)
            ),
        ],
        [(72, 80, 15, "报销流程"), (72, 110, 11, "出差前应当取得部门主管的批准。")],
    ]
    document = _parse(tmp_path, "report.pdf", pdf(pages))
    assert document.blocks == (
        Block("heading", "差旅管理办法", 1, 1),
        Block("heading", "住宿标准", 2, 1),
        Block("paragraph", "住宿费按下表报销，超出部分自理。", page=1),
        Block("table", "\n".join(f"| {' | '.join(cells)} |" for cells in (_WIDE[0], ["---"] * 3, *_WIDE[1:])), page=1),
        Block("heading", "报销流程", 2, 2),
        Block("paragraph", "出差前应当取得部门主管的批准。", page=2),
    )
    assert (document.title, document.language) == ("差旅管理办法", "zh")


_ZH = "本手册说明差旅报销的规定。各个部门都应当遵守，逾期不予报销。"
_TW = "本手冊說明差旅報銷的規定。各個部門都應當遵守，逾期不予報銷。"
_JA = "この手引きは出張費の精算について説明します。領収書は三十日以内に提出してください。"
_KO = "이 안내서는 출장비 정산 규정을 설명합니다. 영수증은 삼십 일 이내에 제출해야 합니다."
_FR = "Le café coûte 3 € à la cantine ; les élèves y déjeunent volontiers près de la fenêtre."
_ENCODED = {
    "UTF-8": _ZH.encode(),
    "UTF-8 with BOM": _ZH.encode("utf-8-sig"),
    "UTF-16 with BOM": _ZH.encode("utf-16"),
    "UTF-16 LE": _ZH.encode("utf-16-le"),
    "UTF-16 BE": _ZH.encode("utf-16-be"),
    "UTF-16 BE with BOM": b"\xfe\xff" + _ZH.encode("utf-16-be"),
    "GB18030": _ZH.encode("gb18030"),
    "Big5": _TW.encode("big5"),
    "Shift_JIS": _JA.encode("shift_jis"),
    "EUC-JP": _JA.encode("euc_jp"),
    "ISO-2022-JP": _JA.encode("iso2022_jp"),
    "EUC-KR": _KO.encode("euc_kr"),
    "Windows-1252": _FR.encode("cp1252"),
}
_SAID = {"Big5": _TW, "Shift_JIS": _JA, "EUC-JP": _JA, "ISO-2022-JP": _JA, "EUC-KR": _KO, "Windows-1252": _FR}


@pytest.mark.parametrize("name", ["notes.txt", "notes.md", "notes.html", "notes"])
@pytest.mark.parametrize("encoding", _ENCODED)
def test_text_is_read_in_every_encoding(tmp_path: Path, encoding: str, name: str) -> None:
    document = _parse(tmp_path, name, _ENCODED[encoding])
    assert document.blocks == (Block("paragraph", _SAID.get(encoding, _ZH)),)
