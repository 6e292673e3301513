"""Small presentations, workbooks, OpenDocument files, books and messages, made on the spot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from xml.sax.saxutils import escape, quoteattr

from services.ingestion.tests.document_samples import zip_of

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_R = f'xmlns:r="{_OFFICE}"'
_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{rest}:1.0"'
    for name, rest in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "presentation": "presentation",
        "style": "style",
    }.items()
)


def _relations(entries: Mapping[str, tuple[str, str]]) -> str:
    """Relation id → (kind, target)."""
    inner = "".join(
        f'<Relationship Id="{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in entries.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{inner}</Relationships>'


def shape(*paragraphs: str, placeholder: str = "") -> str:
    """A text shape; each paragraph is text, or text behind "N|" for a list level."""
    kind = f'<p:ph type="{placeholder}"/>' if placeholder else ""
    inner = "".join(_slide_paragraph(paragraph) for paragraph in paragraphs)
    return f"<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{inner}</p:txBody></p:sp>"


def _slide_paragraph(paragraph: str) -> str:
    level, found, text = paragraph.partition("|")
    properties = f'<a:pPr lvl="{level}"><a:buChar char="•"/></a:pPr>' if found else ""
    return f"<a:p>{properties}<a:r><a:t>{escape(text if found else paragraph)}</a:t></a:r></a:p>"


def slide_table(rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(
        "<a:tr>" + "".join(f"<a:tc><a:txBody>{_slide_paragraph(cell)}</a:txBody></a:tc>" for cell in row) + "</a:tr>"
        for row in rows
    )
    return (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{cells}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


def slide_chart() -> str:
    """The chart that `pptx` puts behind every slide."""
    return (
        f'<p:graphicFrame><a:graphic><a:graphicData><c:chart {_C} r:id="chart"/></a:graphicData></a:graphic>'
        "</p:graphicFrame>"
    )


def pptx(slides: Sequence[str], notes: Mapping[int, str] | None = None) -> bytes:
    """A presentation of these shapes; notes by slide number. The parts' names run backwards, as they may."""
    parts: dict[str, str] = {}
    order: dict[str, tuple[str, str]] = {}
    for number, shapes in enumerate(slides, 1):
        name = f"slide{len(slides) - number + 1}.xml"
        order[f"r{number}"] = ("slide", f"slides/{name}")
        parts[f"ppt/slides/{name}"] = f"<p:sld {_P} {_A} {_R}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        relations = {"chart": ("chart", "../charts/chart1.xml")}
        if notes and number in notes:
            relations["notes"] = ("notesSlide", f"../notesSlides/{name}")
            body = shape(notes[number], placeholder="body")
            parts[f"ppt/notesSlides/{name}"] = (
                f"<p:notes {_P} {_A}><p:cSld><p:spTree>{shape('7', placeholder='sldNum')}{body}</p:spTree></p:cSld></p:notes>"
            )
        parts[f"ppt/slides/_rels/{name}.rels"] = _relations(relations)
    listed = "".join(f'<p:sldId id="{number}" r:id="{entry}"/>' for number, entry in enumerate(order, 256))
    return zip_of(
        {
            "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": _relations(order),
            "ppt/charts/chart1.xml": _chart(),
            **parts,
        }
    )


def _chart() -> str:
    def points(values: Sequence[str]) -> str:
        return "".join(f'<c:pt idx="{number}"><c:v>{value}</c:v></c:pt>' for number, value in enumerate(values))

    quarters = f"<c:cat><c:strRef><c:strCache>{points(['Q1', 'Q2'])}</c:strCache></c:strRef></c:cat>"
    series = "".join(
        f"<c:ser><c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>{quarters}"
        f"<c:val><c:numRef><c:numCache>{points(values)}</c:numCache></c:numRef></c:val></c:ser>"
        for name, values in {"2025": ["10", "20.299999999999997"], "2026": ["12", "25"]}.items()
    )
    return f"<c:chartSpace {_C} {_A}><c:chart><c:plotArea><c:barChart>{series}</c:barChart></c:plotArea></c:chart></c:chartSpace>"


def xlsx(sheets: Mapping[str, str], strings: Sequence[str] = (), formats: Sequence[str] = ()) -> bytes:
    """A workbook: sheet name → its rows as XML. formats: number formats, of the styles 1, 2, …"""
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="s{number}"/>' for number, name in enumerate(sheets, 1)
    )
    relations = {f"s{number}": ("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(sheets) + 1)}
    relations |= {"strings": ("sharedStrings", "sharedStrings.xml"), "styles": ("styles", "styles.xml")}
    stated = "".join(f'<numFmt numFmtId="{164 + n}" formatCode={quoteattr(code)}/>' for n, code in enumerate(formats))
    used = '<xf numFmtId="0"/>' + "".join(f'<xf numFmtId="{164 + number}"/>' for number in range(len(formats)))
    return zip_of(
        {
            "xl/workbook.xml": f"<workbook {_S} {_R}><sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": _relations(relations),
            "xl/sharedStrings.xml": f"<sst {_S}>{''.join(strings)}</sst>",
            "xl/styles.xml": f"<styleSheet {_S}><numFmts>{stated}</numFmts><cellXfs>{used}</cellXfs></styleSheet>",
            **{
                f"xl/worksheets/sheet{number}.xml": f"<worksheet {_S}>{rows}</worksheet>"
                for number, rows in enumerate(sheets.values(), 1)
            },
        }
    )


def sheet_rows(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text cells, one below the other."""
    cells = ("".join(f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in row) for row in rows)
    return "<sheetData>" + "".join(f"<row>{row}</row>" for row in cells) + "</sheetData>"


def odf(kind: str, body: str, styles: str = "", extra: Mapping[str, str] | None = None) -> bytes:
    """An OpenDocument file; kind: text, spreadsheet or presentation."""
    return zip_of(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {_ODF}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            **(extra or {}),
        }
    )


def odf_table(rows: Sequence[Sequence[str]], name: str = "Table1") -> str:
    inner = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{escape(cell)}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in rows
    )
    return f'<table:table table:name="{name}">{inner}</table:table>'


def epub(chapters: Mapping[str, str], spine: Sequence[str], extra: Mapping[str, str] | None = None) -> bytes:
    """A book: name → body of a chapter. The spine names them in reading order."""
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in chapters)
    order = "".join(f'<itemref idref="{name}"/>' for name in spine)
    points = "".join(
        f'<navPoint><navLabel><text>Label of {name}</text></navLabel><content src="{name}.xhtml#top"/></navPoint>'
        for name in chapters
    )
    return zip_of(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            "OPS/book.opf": '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>差旅管理办法</dc:title>'
            f'</metadata><manifest>{items}<item id="toc" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
            f"</manifest><spine>{order}</spine></package>",
            "OPS/toc.ncx": f"<ncx><navMap>{points}</navMap></ncx>",
            **{f"OPS/{name}.xhtml": f"<html><body>{body}</body></html>" for name, body in chapters.items()},
            **(extra or {}),
        }
    )


def message(subject: str, text: str, html: str = "") -> EmailMessage:
    made = EmailMessage()
    made["From"] = "Anna Lee <anna@example.org>"
    made["To"] = "finance@example.org"
    made["Date"] = "Mon, 02 Mar 2026 09:30:00 +0800"
    made["Subject"] = subject
    made.set_content(text)
    if html:
        made.add_alternative(html, subtype="html")
    return made
