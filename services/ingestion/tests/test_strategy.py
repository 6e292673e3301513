from __future__ import annotations

from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.strategy import recommend


def _document(*blocks: Block) -> ParsedDocument:
    return ParsedDocument(blocks, None, "en", "text/plain", None, "test")


def test_headings_recommend_structure_first() -> None:
    found = recommend(
        _document(
            Block("heading", "Travel", 1),
            Block("paragraph", "By train."),
            Block("heading", "Hotels", 2),
            Block("paragraph", "Three stars."),
        )
    )
    assert found.strategy == "structure+recursive"
    assert found.features.headings == 2
    assert found.reasons == ("2 headings on 2 levels divide it into sections.",)


def test_a_text_without_headings_is_only_cut_to_size() -> None:
    found = recommend(_document(Block("paragraph", "One. " * 600)))
    assert found.strategy == "recursive"
    assert "no headings" in found.reasons[0]
    assert "3,000 characters" in found.reasons[1]


def test_headings_that_hardly_occur_do_not_count_as_structure() -> None:
    found = recommend(_document(Block("heading", "Book", 1), Block("paragraph", "word " * 10_000)))
    assert found.strategy == "recursive"
    assert "too far" in found.reasons[0]


def test_tables_are_named_as_a_reason() -> None:
    table = "| a | b |\n| --- | --- |\n" + "| 1 | 2 |\n" * 20
    found = recommend(_document(Block("heading", "Prices", 1), Block("table", table.strip())))
    assert found.features.table_share > 0.9
    assert "repeat their header row" in found.reasons[-1]
