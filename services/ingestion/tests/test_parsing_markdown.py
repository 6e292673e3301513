from __future__ import annotations

import pytest

from superagent_ingestion.adapters.parsing.markdown import markdown_blocks
from superagent_ingestion.domain.blocks import Block


@pytest.mark.parametrize("lead", ["", "> "])
def test_cells_beyond_a_tables_header_are_kept(lead: str) -> None:
    lines = ["| City | Limit |", "|---|---|", r"| Rome | 480 | with \| without tax |", "| Bonn |", "| Oslo | 510 |"]
    blocks, _ = markdown_blocks("".join(f"{lead}{line}\n" for line in lines))
    [table] = blocks
    assert table.kind == "table"
    assert [line.split(" | ")[0].strip("| ") for line in table.text.split("\n")[2:]] == ["Rome", "Bonn", "Oslo"]
    assert r"| Rome | 480 | with \| without tax |" in table.text


def test_html_in_markdown_is_read_as_html() -> None:
    text = "<h1 align=center>Rates</h1>\n\n<table>\n\n<tr><th>City</th><th>Limit</th></tr>\n\n"
    text += "<tr><td>Rome</td><td>480</td></tr>\n\n</table>\n\nAfter *it*.\n\n<!-- not said -->\n"
    blocks, title = markdown_blocks(text)
    assert title == "Rates"
    assert blocks == [
        Block("heading", "Rates", 1),
        Block("table", "| City | Limit |\n| --- | --- |\n| Rome | 480 |"),
        Block("paragraph", "After it."),
    ]
