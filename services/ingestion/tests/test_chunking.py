"""What chunks look like to whoever reads or searches them."""

from __future__ import annotations

import re

import pytest

from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.chunking import Child, ChunkLimits, Chunks, chunk
from superagent_ingestion.domain.chunking.sentences import sentence_starts
from superagent_ingestion.domain.language import detect_language


def _chunk(*blocks: Block, limits: ChunkLimits | None = None) -> Chunks:
    return chunk(ParsedDocument(blocks, None, "und", "text/plain", None, "test"), limits)


def _own(child: Child) -> str:
    return child.text[len(child.prefix) + child.overlap :]


def _sentences(text: str) -> list[str]:
    starts = sentence_starts(text, 0, len(text))
    return [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _prose(length: int, name: str = "point") -> str:
    sentences = (f"This is {name} number {n} of a longer explanation." for n in range(length))
    return " ".join(sentences)[:length].rsplit(". ", 1)[0] + "."


def test_a_short_document_is_one_parent_with_one_child() -> None:
    chunks = _chunk(Block("heading", "Travel", 1), Block("paragraph", "By train."))
    assert [parent.text for parent in chunks.parents] == ["Travel\n\nBy train."]
    assert [child.text for child in chunks.children] == ["Travel\n\nBy train."]
    assert chunks.children[0].anchor == "Travel By train."


def test_a_document_without_text_has_no_chunks() -> None:
    assert _chunk(Block("paragraph", " \n")) == Chunks("", (), (), ())


def test_every_chunk_knows_its_headings_and_pages() -> None:
    chunks = _chunk(
        Block("heading", "Manual", 1, 1),
        Block("heading", "Pumps", 2, 1),
        Block("paragraph", _prose(900, "pump"), page=1),
        Block("paragraph", _prose(900, "seal"), page=2),
        Block("heading", "Valves", 2, 3),
        Block("paragraph", _prose(600, "valve"), page=3),
    )
    assert [(p.heading_path, p.page_from, p.page_to) for p in chunks.parents] == [
        (("Manual", "Pumps"), 1, 1),
        (("Manual", "Pumps"), 2, 2),
        (("Manual", "Valves"), 3, 3),
    ]
    assert {child.heading_path for child in chunks.children} == {("Manual", "Pumps"), ("Manual", "Valves")}
    assert [child.page for child in chunks.children] == sorted(child.page or 0 for child in chunks.children)
    assert [(entry.level, entry.heading, entry.page, entry.parent_position) for entry in chunks.outline] == [
        (1, "Manual", 1, 0),
        (2, "Pumps", 1, 0),
        (2, "Valves", 3, 2),
    ]


def test_short_sections_share_a_parent_under_what_they_have_in_common() -> None:
    questions = [
        block
        for n in range(3)
        for block in (Block("heading", f"Question {n}", 2), Block("paragraph", f"The answer to question {n} is {n}."))
    ]
    chunks = _chunk(Block("heading", "Questions", 1), *questions)
    assert [parent.heading_path for parent in chunks.parents] == [("Questions",)]


def test_a_new_chapter_begins_a_new_parent_however_short_the_last_section_was() -> None:
    chunks = _chunk(
        Block("heading", "One", 1),
        Block("heading", "Detail", 2),
        Block("paragraph", "A few words about the detail."),
        Block("heading", "Two", 1),
        Block("paragraph", _prose(500)),
    )
    assert [parent.heading_path for parent in chunks.parents] == [("One", "Detail"), ("Two",)]


def test_a_heading_is_never_the_end_of_a_chunk() -> None:
    blocks = [
        block
        for n in range(20)
        for block in (Block("paragraph", _prose(130 + 29 * n)), Block("heading", f"Part {n}", 3))
    ]
    chunks = _chunk(*blocks, Block("paragraph", "The end of it all, at last."))
    for child in chunks.children:
        assert not re.search(r"Part \d+\s*$", child.text)


def test_a_line_that_announces_what_follows_stays_with_it() -> None:
    chunks = _chunk(
        Block("paragraph", _prose(480)),
        Block("paragraph", "申请人应当提交下列材料："),
        Block("list", "- 身份证\n- 发票\n- 出差审批单和会议通知的复印件"),
    )
    assert _own(chunks.children[-1]).startswith("申请人应当提交下列材料：\n\n- 身份证")


def test_chinese_sentences_are_not_cut() -> None:
    sentence = "员工应当在出差结束后三十日内将所有票据提交给财务部门，逾期不予报销。"
    chunks = _chunk(Block("paragraph", sentence * 80))
    assert len(chunks.parents) > 1
    for piece in (*chunks.parents, *chunks.children):
        assert piece.text.endswith("。")
    for child in chunks.children:
        assert _own(child).startswith("员工应当")


def test_a_paragraph_that_fits_is_one_parent() -> None:
    short, long = Block("paragraph", _prose(300)), Block("paragraph", _prose(1_800))
    assert [parent.text for parent in _chunk(long, Block("paragraph", _prose(700, "valve")), short).parents] == [
        long.text + "\n\n",
        Block("paragraph", _prose(700, "valve")).text + "\n\n" + short.text,
    ]
    assert len(_chunk(short, long).parents) == 1


def test_of_a_paragraph_that_does_not_fit_the_rest_is_not_cut_again() -> None:
    parents = _chunk(Block("paragraph", _prose(3_000))).parents
    assert [len(parent.text) > 1_000 for parent in parents] == [True, True]


def test_a_sentence_longer_than_a_child_is_cut_at_a_pause() -> None:
    sentence = "，".join(["这是一个很长很长的句子里的一个分句"] * 60) + "。"
    for child in _chunk(Block("paragraph", sentence)).children[:-1]:
        assert child.text.endswith("，")


def test_text_without_any_break_is_cut_anywhere_but_not_inside_a_letter() -> None:
    chunks = _chunk(Block("paragraph", "e\u0301" * 2_000))
    assert "".join(_own(child) for child in chunks.children) == chunks.text
    assert all(_own(child)[0] == "e" for child in chunks.children)


def test_overlap_repeats_whole_sentences_or_clauses_when_it_can() -> None:
    chunks = _chunk(Block("paragraph", "The first pump is started by hand. It runs. " * 40))
    second = chunks.children[1]
    assert 0 < second.overlap <= 50
    assert second.text[: second.overlap] in ("It runs. ", "The first pump is started by hand. It runs. ")


def test_a_table_that_is_cut_repeats_its_header_and_keeps_its_heading() -> None:
    rows = "\n".join(f"| City number {n} | {n * 10} | some remark about it |" for n in range(120))
    header = "| City | Limit | Remark |\n| --- | --- | --- |\n"
    chunks = _chunk(Block("heading", "Lodging", 2), Block("paragraph", "Table 1"), Block("table", header + rows))
    assert len(chunks.parents) > 1
    assert chunks.parents[0].text.startswith("Lodging\n\nTable 1\n\n" + header)
    for piece in (*chunks.parents[1:], *chunks.children[1:]):
        assert piece.prefix == header
        assert piece.text.startswith(header + "| City number")
        assert piece.heading_path == ("Lodging",)
    assert all(child.overlap == 0 for child in chunks.children)


def test_fragments_join_a_neighbour() -> None:
    chunks = _chunk(Block("paragraph", _prose(500)), Block("heading", "Contact", 1), Block("paragraph", "Room 2"))
    assert len(chunks.parents) == 1
    assert chunks.parents[0].text.endswith("Contact\n\nRoom 2")


def test_sizes_are_those_of_the_specification_but_for_shorter_children() -> None:
    limits = ChunkLimits()
    assert (limits.child, limits.overlap, limits.parent, limits.parent_max, limits.fragment) == (
        250,
        50,
        1_200,
        2_200,
        30,
    )
    children = _chunk(Block("paragraph", _prose(50_000))).children
    lengths = [len(child.text) for child in children]
    assert 200 <= sum(lengths) / len(lengths) <= 310


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="contradict"):
        ChunkLimits(child=500, overlap=500)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith paid No. 5, i.e. 3.5 bar. He left.", ["Dr. Smith paid No. 5, i.e. 3.5 bar.", "He left."]),
        ("See Fed. R. Bankr. P. 5009. It applies.", ["See Fed. R. Bankr. P. 5009.", "It applies."]),
        ("The U.S. Senate met! Did it? Yes.", ["The U.S. Senate met!", "Did it?", "Yes."]),
        ("他说：“走吧。”我们走了……然后呢？不知道", ["他说：“走吧。”", "我们走了……", "然后呢？", "不知道"]),
        ("1. Open the valve. 2. Close it.", ["1. Open the valve.", "2. Close it."]),
        ("版本是3.5。使用 v2.0 即可。OK.", ["版本是3.5。", "使用 v2.0 即可。", "OK."]),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, sentences: list[str]) -> None:
    assert _sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("本手册说明差旅报销的规定。", "zh"),
        ("使用 Kubernetes 部署 retrieval 服务时，需要先配置对象存储和消息队列。", "zh"),
        ("The receipts must be handed in to the finance department.", "en"),
        ("この手引きは出張費の精算について説明します。", "und"),
        ("Die Belege müssen in der Finanzabteilung abgegeben werden.", "und"),
        ("12 34 56", "und"),
    ],
)
def test_the_language_is_told_apart(text: str, language: str) -> None:
    assert detect_language(text) == language
