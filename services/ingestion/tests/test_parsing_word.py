from __future__ import annotations

from pathlib import Path

from services.ingestion.tests.document_samples import docx, word_paragraph, word_table
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import Block, ParsedDocument

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _parse(folder: Path, body: str, **extra: str) -> ParsedDocument:
    """extra: parts of the folder word, without their suffix."""
    path = folder / "a.docx"
    path.write_bytes(docx(body, {f"word/{name}.xml": content for name, content in extra.items()}))
    return parse_document(path, path.name, ParserLimits())


def _seen(document: ParsedDocument) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, block.text) for block in document.blocks]


def _numbering(*levels: tuple[str, str]) -> str:
    inner = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for depth, (form, text) in enumerate(levels)
    )
    return (
        f'<w:numbering {_W}><w:abstractNum w:abstractNumId="0">{inner}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )


def _numbered(text: str, level: int = 0, style: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    properties = f'<w:pPr>{named}<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr></w:pPr>'
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_numbers_that_word_counts_are_written_out(tmp_path: Path) -> None:
    numbering = _numbering(("chineseCountingThousand", "第%1条"), ("decimal", "（%2）"))
    articles = [_numbered("总则")] + [_numbered(f"条{n}") for n in range(2, 12)]
    body = "".join([articles[0], _numbered("子项", 1), word_paragraph("正文。"), *articles[1:], _numbered("又一项", 1)])
    texts = "\n".join(block.text for block in _parse(tmp_path, body, numbering=numbering).blocks).split("\n")
    assert texts[:3] == ["第一条 总则", "  （1） 子项", "正文。"]
    assert texts[3:5] + texts[-2:] == ["第二条 条2", "第三条 条3", "第十一条 条11", "  （1） 又一项"]


def test_headings_carry_their_numbers(tmp_path: Path) -> None:
    numbering = _numbering(("decimal", "%1"), ("decimal", "%1.%2"))
    body = _numbered("Scope", 0, "Heading1") + _numbered("Terms", 1, "Heading2") + _numbered("Uses", 1, "Heading2")
    assert _seen(_parse(tmp_path, body, numbering=numbering)) == [
        ("heading", 1, "1 Scope"),
        ("heading", 2, "1.1 Terms"),
        ("heading", 2, "1.2 Uses"),
    ]


def test_the_title_is_the_line_in_the_title_style_and_styles_inherit(tmp_path: Path) -> None:
    styles = (
        f'<w:styles {_W}><w:style w:styleId="a"><w:name w:val="Title"/></w:style>'
        '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Own"><w:name w:val="Our chapter"/><w:basedOn w:val="berschrift1"/></w:style>'
        '<w:style w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style></w:styles>'
    )

    def styled(style: str, text: str) -> str:
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'

    body = (
        styled("a", "Travel policy") + styled("Verzeichnis1", "Scope 1") + styled("Own", "Scope") + word_paragraph("x")
    )
    document = _parse(tmp_path, body, styles=styles)
    assert _seen(document) == [("heading", 1, "Travel policy"), ("heading", 1, "Scope"), ("paragraph", 0, "x")]
    assert document.title == "Travel policy"


def test_merged_nested_and_framing_tables(tmp_path: Path) -> None:
    def cell(text: str, properties: str = "", more: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{word_paragraph(text)}{more}</w:tc>"

    inner = word_table([["x", "y"], ["1", "2"]])
    spans = (
        "<w:tbl><w:tr>"
        + cell("Region", '<w:vMerge w:val="restart"/>')
        + cell("Limits", '<w:gridSpan w:val="2"/>')
        + "</w:tr><w:tr>"
        + cell("", "<w:vMerge/>")
        + cell("day", more=inner)
        + cell("night")
        + "</w:tr></w:tbl>"
    )
    frame = f"<w:tbl><w:tr><w:tc>{word_paragraph('Note', heading=2)}{word_paragraph('Framed.')}</w:tc></w:tr></w:tbl>"
    assert _seen(_parse(tmp_path, spans + frame)) == [
        ("table", 0, "| Region | Limits |  |\n| --- | --- | --- |\n| Region | day x y 1 2 | night |"),
        ("heading", 2, "Note"),
        ("paragraph", 0, "Framed."),
    ]


def test_revisions_controls_boxes_and_formulas_are_read_as_shown(tmp_path: Path) -> None:
    half = f"<m:oMath {_M}><m:f><m:num><m:r><m:t>π</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>"
    box = f"<w:r><w:pict><w:txbxContent>{word_paragraph('in a box')}</w:txbxContent></w:pict></w:r>"
    twice = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    body = (
        "<w:p><w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del>"
        f"<w:r><w:instrText>PAGE</w:instrText><w:t>half: </w:t></w:r>{half}{twice}</w:p>"
        f"<w:sdt><w:sdtContent>{word_paragraph('in a control')}</w:sdtContent></w:sdt>"
    )
    assert [block.text for block in _parse(tmp_path, body).blocks] == [
        r"new half: $\frac{\pi }{2}$",
        "in a box",
        "in a control",
    ]


def test_footnotes_follow_and_foreign_parts_are_read_in_place(tmp_path: Path) -> None:
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="n" Type="{_OFFICE}/footnotes" Target="footnotes.xml"/>'
        f'<Relationship Id="h" Type="{_OFFICE}/aFChunk" Target="chunk.html"/></Relationships>'
    )
    notes = f'<w:footnotes {_W}><w:footnote w:id="2">{word_paragraph("Without tax.")}</w:footnote></w:footnotes>'
    body = f'<w:p><w:r><w:t>Costs</w:t><w:footnoteReference w:id="2"/><w:t> rise.</w:t></w:r></w:p><w:altChunk {_R} r:id="h"/>'
    path = tmp_path / "a.docx"
    extra = {
        "word/_rels/document.xml.rels": relations,
        "word/footnotes.xml": notes,
        "word/chunk.html": "<h2>From HTML</h2><p>Text.</p>",
    }
    path.write_bytes(docx(body, extra))
    assert list(parse_document(path, path.name, ParserLimits()).blocks) == [
        Block("paragraph", "Costs[1] rise."),
        Block("paragraph", "[1] Without tax."),
        Block("heading", "From HTML", 2),
        Block("paragraph", "Text."),
    ]
