from __future__ import annotations

from dataclasses import replace

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


def _many_topics() -> ParsedDocument:
    subjects = ("pump", "wolf", "mind", "tree", "rain", "gold", "ship", "wine", "coal", "bird", "salt", "moon")
    return _document(*(Block("paragraph", f"A {word} and another {word} meet a {word}. " * 20) for word in subjects))


def test_topics_that_jump_without_headings_recommend_cutting_by_meaning() -> None:
    found = recommend(_many_topics())
    assert found.strategy == "recursive+semantic"
    assert found.reasons[1] == "Its words change abruptly at 11 of 35 places, so it is cut where the topic changes."


def test_one_topic_or_headings_need_no_embedder() -> None:
    one = recommend(_document(*(Block("paragraph", "The pump and its valve need oil. " * 20) for _ in range(12))))
    assert (one.strategy, one.features.topic_jumps) == ("recursive", 0)
    sections = [
        block
        for number, paragraph in enumerate(_many_topics().blocks)
        for block in (Block("heading", f"Section {number}", 1), paragraph)
    ]
    assert recommend(_document(*sections)).strategy == "structure+recursive"


def test_what_is_too_long_to_compare_is_not_recommended_to_be() -> None:
    found = recommend(_document(*(_many_topics().blocks * 60)))
    assert found.features.topic_jumps > 100 and found.features.places == 499
    assert found.strategy == "recursive"


def test_badly_recognised_text_is_not_cut_by_meaning_and_the_quality_is_told() -> None:
    clear = recommend(replace(_many_topics(), ocr_pages=3, ocr_confidence=97))
    assert clear.strategy == "recursive+semantic"
    assert "Text of 3 pages was recognised in pictures with 97% certainty." in clear.reasons
    assert recommend(replace(_many_topics(), ocr_pages=3, ocr_confidence=61)).strategy == "recursive"
