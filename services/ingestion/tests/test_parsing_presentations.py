from __future__ import annotations

from pathlib import Path

from services.ingestion.tests.office_samples import (
    odf,
    odf_table,
    pptx,
    shape,
    slide_chart,
    slide_table,
)
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import Block, ParsedDocument


def _parse(folder: Path, name: str, content: bytes) -> ParsedDocument:
    path = folder / name
    path.write_bytes(content)
    return parse_document(path, name, ParserLimits())


def test_slides_come_in_their_order_with_headings_pages_tables_and_notes(tmp_path: Path) -> None:
    slides = [
        shape("Annual review", placeholder="ctrTitle") + shape("Finance, 2026", placeholder="subTitle"),
        shape("Confidential", placeholder="ftr")
        + shape("Travel & lodging", placeholder="title")
        + shape("0|Costs rose", "1|mostly hotels", "0|Trains are cheaper", placeholder="body")
        + slide_table([["City", "Limit"], ["Beijing", "500"]]),
    ]
    document = _parse(tmp_path, "review.pptx", pptx(slides, notes={2: "Say why."}))
    assert list(document.blocks) == [
        Block("heading", "Annual review", 1, 1),
        Block("paragraph", "Finance, 2026", page=1),
        Block("heading", "Travel & lodging", 2, 2),
        Block("list", "- Costs rose\n  - mostly hotels\n- Trains are cheaper", page=2),
        Block("table", "| City | Limit |\n| --- | --- |\n| Beijing | 500 |", page=2),
        Block("paragraph", "Notes: Say why.", page=2),
    ]
    assert (document.title, document.pages) == ("Annual review", 2)


def test_the_figures_behind_a_chart_become_a_table(tmp_path: Path) -> None:
    document = _parse(tmp_path, "sales.pptx", pptx([shape("Sales", placeholder="title") + slide_chart()]))
    rows = ("|  | 2025 | 2026 |", "| --- | --- | --- |", "| Q1 | 10 | 12 |", "| Q2 | 20.3 | 25 |")
    assert document.blocks[1] == Block("table", "\n".join(rows), page=1)


def test_shapes_in_groups_and_for_new_programs_are_read_once(tmp_path: Path) -> None:
    group = f"<p:grpSp>{shape('in a group')}<p:grpSp>{shape('deep in it')}</p:grpSp></p:grpSp>"
    choice = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice>{shape('new form')}</mc:Choice><mc:Fallback>{shape('old form')}</mc:Fallback></mc:AlternateContent>"
    )
    document = _parse(tmp_path, "a.pptx", pptx([shape("Title", placeholder="title") + group + choice]))
    assert [block.text for block in document.blocks] == ["Title", "in a group", "deep in it", "new form"]


def test_a_slide_without_title_begins_a_section_of_its_own(tmp_path: Path) -> None:
    slides = [shape("First", placeholder="title"), shape("Short line", "More."), slide_table([["a", "b"], ["1", "2"]])]
    document = _parse(tmp_path, "a.pptx", pptx(slides))
    headings = [(block.text, block.page) for block in document.blocks if block.kind == "heading"]
    assert headings == [("First", 1), ("Short line", 2), ("Slide 3", 3)]


def test_an_open_document_presentation_has_titles_pages_tables_and_notes(tmp_path: Path) -> None:
    def frame(kind: str, inner: str) -> str:
        return f'<draw:frame presentation:class="{kind}">{inner}</draw:frame>'

    slide = (
        '<draw:page draw:name="page1">'
        + frame("footer", "<draw:text-box><text:p>Confidential</text:p></draw:text-box>")
        + frame("title", "<draw:text-box><text:p>住宿标准</text:p></draw:text-box>")
        + frame(
            "outline",
            "<draw:text-box><text:list><text:list-item><text:p>one</text:p></text:list-item>"
            "<text:list-item><text:p>two</text:p></text:list-item></text:list></draw:text-box>",
        )
        + f"<draw:frame>{odf_table([['City', 'Limit'], ['Beijing', '500']])}</draw:frame>"
        + "<draw:custom-shape><text:p>in a shape</text:p></draw:custom-shape>"
        + f"<presentation:notes>{frame('notes', '<draw:text-box><text:p>Say why.</text:p></draw:text-box>')}"
        + "</presentation:notes></draw:page>"
    )
    document = _parse(tmp_path, "a.odp", odf("presentation", slide))
    assert list(document.blocks) == [
        Block("heading", "住宿标准", 2, 1),
        Block("list", "- one\n- two", page=1),
        Block("table", "| City | Limit |\n| --- | --- |\n| Beijing | 500 |", page=1),
        Block("paragraph", "in a shape", page=1),
        Block("paragraph", "Notes: Say why.", page=1),
    ]
    assert (document.title, document.pages) == ("住宿标准", 1)
