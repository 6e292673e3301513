"""XML, JSON, RTF and books: structure by what is there, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.ingestion.tests.office_samples import epub, odf
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.rejection import DocumentRejected

SHEETS = {"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}


def _parse(folder: Path, name: str, content: bytes | str) -> ParsedDocument:
    path = folder / "object"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return parse_document(path, name, ParserLimits())


def _reason(folder: Path, name: str, content: bytes | str) -> str:
    with pytest.raises(DocumentRejected) as caught:
        _parse(folder, name, content)
    return caught.value.reason


def test_sections_of_xml_are_found_by_their_titles(tmp_path: Path) -> None:
    article = """<?xml version="1.0"?><article><front><title-group><article-title>Receipts</article-title></title-group>
    <contrib><surname>Lee</surname><given-names>Anna</given-names></contrib></front>
    <body><sec><label>1</label><title>Limits</title><p>Beijing&nbsp;is <bold>500</bold>.</p>
    <sec><title>Exceptions</title><list><list-item><p>late trains</p></list-item><list-item><p>fairs</p></list-item></list>
    <table><thead><tr><th>City</th><th>Limit</th></tr></thead><tbody><tr><td>Chengdu</td><td>350</td></tr></tbody></table>
    </sec></sec></body></article>"""
    document = _parse(tmp_path, "a.xml", article)
    assert list(document.blocks) == [
        Block("heading", "Receipts", 1),
        Block("paragraph", "contrib: Lee; Anna"),
        Block("heading", "1 Limits", 1),
        Block("paragraph", "Beijing is 500."),
        Block("heading", "Exceptions", 2),
        Block("list", "- late trains\n- fairs"),
        Block("table", "| City | Limit |\n| --- | --- |\n| Chengdu | 350 |"),
    ]
    assert document.title == "Receipts"


def test_records_in_xml_become_a_table_without_tag_names_as_headings(tmp_path: Path) -> None:
    rows = "".join(
        f"<city><name>{name}</name><limit>{limit}</limit></city>" for name, limit in (("北京", 500), ("成都", 350))
    )
    document = _parse(tmp_path, "a.xml", f"<data><version>2</version><cities>{rows}</cities></data>")
    assert list(document.blocks) == [
        Block("paragraph", "version: 2"),
        Block("table", "| name | limit |\n| --- | --- |\n| 北京 | 500 |\n| 成都 | 350 |"),
    ]


def test_xml_is_read_in_the_encoding_it_declares(tmp_path: Path) -> None:
    document = _parse(tmp_path, "a.xml", '<?xml version="1.0" encoding="GBK"?><a><p>报销制度</p></a>'.encode("gbk"))
    assert document.blocks == (Block("paragraph", "报销制度"),)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.xml", "<a>" * 5_000, "unsafe_xml"),
        ("a.xml", "<a><b></a>", "unreadable"),
        ("a.xml", '<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd">%x;]><a>y</a>', "unsafe_xml"),
        ("a.json", "[" * 100_000, "unreadable"),
        ("a.json", '{"a": 1,', "unreadable"),
        ("a.rtf", "{\\rtf1" + "{" * 5_000, "unreadable"),
        ("a.odt", odf("text", "<text:p>" * 300 + "</text:p>" * 300), "unsafe_xml"),
        (
            "a.ods",
            odf("text", "<text:p>x</text:p>", extra=SHEETS),
            "unreadable",
        ),
        ("a.mbox", "From nobody in particular", "no_text"),
        ("a.epub", epub({"a": "<p>x</p>"}, ["a"], {"META-INF/container.xml": "<container/>"}), "unreadable"),
        (
            "a.epub",
            epub(
                {"a": "<p>x</p>"},
                ["a"],
                {"META-INF/encryption.xml": '<encryption><CipherReference URI="OPS/a.xhtml"/></encryption>'},
            ),
            "encrypted",
        ),
    ],
)
def test_hostile_and_broken_files_are_refused(tmp_path: Path, name: str, content: bytes | str, reason: str) -> None:
    assert _reason(tmp_path, name, content) == reason


def test_text_directly_in_the_root_is_read(tmp_path: Path) -> None:
    assert _parse(tmp_path, "a.xml", "<note>Beijing is 500.</note>").blocks == (Block("paragraph", "Beijing is 500."),)


def test_json_records_become_a_table_and_long_parts_sections(tmp_path: Path) -> None:
    content = {
        "version": 2,
        "tags": ["travel", "lodging"],
        "limits": [{"city": "北京", "limit": 500}, {"city": "成都", "limit": 350, "note": "含早餐"}],
        "policy": {"text": "Receipts must be handed in within thirty days. " * 8, "owner": None},
    }
    document = _parse(tmp_path, "a.json", json.dumps(content))
    assert list(document.blocks) == [
        Block("paragraph", "version: 2\ntags: travel, lodging"),
        Block("heading", "limits", 1),
        Block("table", "| city | limit | note |\n| --- | --- | --- |\n| 北京 | 500 |  |\n| 成都 | 350 | 含早餐 |"),
        Block("heading", "policy", 1),
        Block("paragraph", "text: " + ("Receipts must be handed in within thirty days. " * 8).strip()),
    ]


def test_json_lines_are_one_table(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.ndjson", "a.json"):
        document = _parse(tmp_path, name, '{"q": "a", "n": 1}\n\n{"q": "b", "n": 2}\n')
        assert document.blocks == (Block("table", "| q | n |\n| --- | --- |\n| a | 1 |\n| b | 2 |"),)


def test_json_of_twenty_megabytes_is_read(tmp_path: Path) -> None:
    rows = [{"number": number, "text": "lorem ipsum dolor " * 5} for number in range(180_000)]
    document = _parse(tmp_path, "a.json", json.dumps(rows))
    assert document.blocks[0].text.count("\n") == len(rows) + 1


def test_a_chapter_without_heading_takes_its_name_from_the_table_of_contents(tmp_path: Path) -> None:
    document = _parse(tmp_path, "a.epub", epub({"one": "<p>Text.</p>", "unread": "<p>x</p>"}, spine=["one"]))
    assert document.blocks == (Block("heading", "Label of one", 1), Block("paragraph", "Text."))


def test_a_chapter_that_is_named_again_and_again_is_read_once(tmp_path: Path) -> None:
    document = _parse(tmp_path, "a.epub", epub({"one": "<h1>One</h1>", "two": "<h1>Two</h1>"}, ["two", *["one"] * 500]))
    assert [block.text for block in document.blocks] == ["Two", "One"]


def test_rtf_reads_every_way_to_write_a_character(tmp_path: Path) -> None:
    content = (
        rb"{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0 Arial;}{\f1\fcharset128 MS Gothic;}{\f2\fcharset204 Arial;}}"
        rb"caf\'e9 {\f1\'83\'65\'83X\'83g} {\f2\'cf\'f0}\u8212?\uc0\u20013{\uc2\u-10179ab\u-8704 cd}\emdash x\{y\}\par}"
    )
    document = _parse(tmp_path, "a.rtf", content)
    assert document.blocks[0].text == "café テスト Пр—中😀—x{y}"


def test_footnotes_and_fields_of_rtf_stay_in_their_sentence(tmp_path: Path) -> None:
    content = rb"{\rtf1 Costs{\footnote\pard Without tax.\par} rise.\par {\*\unknown gone}{\header gone}End.\par}"
    assert [block.text for block in _parse(tmp_path, "a.rtf", content).blocks] == ["Costs [Without tax.] rise.", "End."]


def test_footnotes_of_open_document_follow_their_paragraph(tmp_path: Path) -> None:
    said = "<text:note-body><text:p>Without tax.</text:p></text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{said}</text:note>"
    body = f"<text:p>Costs{note} rise.<office:annotation><text:p>really?</text:p></office:annotation></text:p>"
    document = _parse(tmp_path, "a.odt", odf("text", body))
    assert [block.text for block in document.blocks] == ["Costs[1] rise.", "[1] Without tax."]
