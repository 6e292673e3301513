from __future__ import annotations

from pathlib import Path

import pytest

from services.ingestion.tests.office_samples import odf, odf_table, sheet_rows, xlsx
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.sheets import sheet_blocks
from superagent_ingestion.domain.blocks import Block, ParsedDocument


def _parse(folder: Path, name: str, content: bytes) -> ParsedDocument:
    path = folder / name
    path.write_bytes(content)
    return parse_document(path, name, ParserLimits())


def _table(*rows: str) -> Block:
    header, *body = rows
    return Block("table", "\n".join([header, "|" + " --- |" * (header.count("|") - 1), *body]))


def test_every_sheet_has_its_name_as_heading_and_its_rows_as_a_table(tmp_path: Path) -> None:
    sheets = {
        "住宿": sheet_rows([["城市", "上限"], ["北京", "500"]]),
        "Empty": "<sheetData/>",
        "B": sheet_rows([["a"]]),
    }
    document = _parse(tmp_path, "limits.xlsx", xlsx(sheets))
    assert list(document.blocks) == [
        Block("heading", "住宿", 1),
        _table("| 城市 | 上限 |", "| 北京 | 500 |"),
        Block("heading", "B", 1),
        Block("paragraph", "a"),
    ]


@pytest.mark.parametrize(
    ("code", "raw", "shown"),
    [
        ("General", "0.1", "0.1"),
        ("General", "1234567890123", "1234567890123"),
        ("#,##0.00", "1599.99", "1599.99"),
        ("0.0%", "0.025", "2.5%"),
        ("0%", "0.5", "50%"),
        ("yyyy-mm-dd", "45000", "2023-03-15"),
        ("[$-409]d\\-mmm\\-yy;@", "45000", "2023-03-15"),
        ('yyyy"年"m"月"d"日"', "45000", "2023-03-15"),
        ("h:mm AM/PM", "45000.75", "18:00"),
        ("yyyy/m/d h:mm:ss", "45000.75", "2023-03-15 18:00:00"),
        ("[h]:mm", "1.5", "1.5"),
        ('0.00" days"', "3", "3"),
        ("[Red]0.00", "3.5", "3.5"),
        ("0.00%", "no number", "no number"),
    ],
)
def test_numbers_are_shown_as_people_see_them(tmp_path: Path, code: str, raw: str, shown: str) -> None:
    cells = f'<c r="A1" t="inlineStr"><is><t>x</t></is></c><c r="B1" s="1"><v>{raw}</v></c>'
    rows = f'<sheetData><row r="1">{cells}</row></sheetData>'
    document = _parse(tmp_path, "a.xlsx", xlsx({"S": rows}, formats=[code]))
    assert document.blocks[1] == Block("paragraph", f"x {shown}")


def test_shared_strings_come_without_readings_and_merged_cells_in_every_row(tmp_path: Path) -> None:
    strings = [
        "<si><t>地区</t></si>",
        '<si><r><t>東</t></r><r><t>京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>',
        "<si><t>部</t></si>",
    ]
    cells = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>2</v></c></row>'
        '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="C2" t="b"><v>1</v></c></row>'
        '<row r="3"><c r="A3"/><c r="C3"><v>7</v></c></row>'
    )
    rows = f'<sheetData>{cells}</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
    document = _parse(tmp_path, "a.xlsx", xlsx({"S": rows}, strings=strings))
    assert document.blocks[1] == _table("| 地区 | 部 |", "| 東京 | TRUE |", "| 東京 | 7 |")


def test_a_million_empty_rows_cost_little(tmp_path: Path) -> None:
    first, last = "<row><c><v>1</v></c><c><v>2</v></c></row>", '<row r="1000002"><c><v>3</v></c></row>'
    empty = "".join(f'<row r="{number}" spans="1:3" ht="15"/>' for number in range(2, 1_000_002))
    rows = f"<sheetData>{first}{empty}{last}</sheetData>"
    document = _parse(tmp_path, "a.xlsx", xlsx({"S": rows}))
    assert document.blocks[1] == _table("| 1 | 2 |", "| 3 |  |")


def test_an_open_document_sheet_ends_where_its_filling_begins(tmp_path: Path) -> None:
    body = odf_table([["Ducks a year"], ["Year", "Ducks"], ["2019", "120"]], name="Counts").replace(
        "</table:table>",
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/>'
        "</table:table-row></table:table>",
    )
    document = _parse(tmp_path, "a.ods", odf("spreadsheet", body))
    assert list(document.blocks) == [
        Block("heading", "Counts", 1),
        Block("paragraph", "Ducks a year"),
        _table("| Year | Ducks |", "| 2019 | 120 |"),
    ]


def test_a_sheet_may_hold_several_tables() -> None:
    rows = [["Name", "Age"], ["Ann", "30"], [], ["City", "Limit"], ["Beijing", "500"]]
    assert sheet_blocks(rows) == [
        _table("| Name | Age |", "| Ann | 30 |"),
        _table("| City | Limit |", "| Beijing | 500 |"),
    ]


def test_an_empty_row_inside_a_table_does_not_end_it() -> None:
    rows = [["Name", "Age"], ["Ann", "30"], ["", ""], ["Ben", "41"]]
    assert sheet_blocks(rows) == [_table("| Name | Age |", "| Ann | 30 |", "| Ben | 41 |")]


def test_lines_above_a_table_are_its_captions() -> None:
    rows = [["Ducks a year", ""], ["counted by hand", ""], ["Year", "Ducks"], ["2019", "120"]]
    assert sheet_blocks(rows) == [
        Block("paragraph", "Ducks a year"),
        Block("paragraph", "counted by hand"),
        _table("| Year | Ducks |", "| 2019 | 120 |"),
    ]
