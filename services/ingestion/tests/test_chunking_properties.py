"""What holds for the chunks of every document, whatever strategy cuts it."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.chunking import STRATEGIES, ChunkLimits, Chunks, chunk, passages_of, topic_changes

SMALL = ChunkLimits(child=100, child_max=130, overlap=20, parent=240, parent_max=440, fragment=12)

_english = st.lists(
    st.sampled_from(["the", "pump", "valve", "opens", "at", "3.5", "bar", "when", "pressure", "falls"]),
    min_size=1,
    max_size=40,
)
_chinese = st.text("差旅报销应当在三十日内提交所有票据，", min_size=1, max_size=120)
_sentence = st.one_of(_english.map(lambda words: " ".join(words).capitalize() + ". "), _chinese.map(lambda s: s + "。"))
_prose = st.lists(_sentence, min_size=1, max_size=8).map(lambda parts: "".join(parts).strip())
_anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300).filter(str.strip)
_word = st.text("abcdefgh数据表", min_size=1, max_size=14)


@st.composite
def _tables(draw: st.DrawFn) -> str:
    columns = draw(st.integers(1, 5))
    row = st.lists(_word, min_size=columns, max_size=columns).map(lambda cells: "| " + " | ".join(cells) + " |")
    header, *rows = draw(st.lists(row, min_size=2, max_size=14))
    return "\n".join([header, "|" + " --- |" * columns, *rows])


_page = st.one_of(st.none(), st.integers(1, 9))
_blocks = st.one_of(
    st.builds(Block, st.just("heading"), _word, st.integers(1, 6), _page),
    st.builds(Block, st.just("paragraph"), st.one_of(_prose, _anything), st.just(0), _page),
    st.builds(
        Block,
        st.just("list"),
        st.lists(_prose.map(lambda s: "- " + s), min_size=1, max_size=5).map("\n".join),
        st.just(0),
        _page,
    ),
    st.builds(Block, st.just("code"), _anything, st.just(0), _page),
    st.builds(Block, st.just("table"), _tables(), st.just(0), _page),
)
_documents = st.lists(_blocks, max_size=9).map(
    lambda blocks: ParsedDocument(tuple(blocks), None, "und", "text/plain", None, "test")
)


@dataclass(frozen=True)
class Way:
    """A strategy with similarities of neighbours, taken again and again, or depths at any places for strategies with a model."""

    strategy: str
    similarities: tuple[float, ...]
    anywhere: frozenset[int]

    def cut(self, document: ParsedDocument, limits: ChunkLimits = SMALL) -> Chunks:
        passages = passages_of(document, self.strategy, limits)
        found = [self.similarities[number % len(self.similarities)] for number in range(len(passages) - 1)]
        topics = topic_changes(passages, found)
        if "model" in STRATEGIES[self.strategy]:
            topics = dict.fromkeys(self.anywhere, 1.0) | dict(topics)
        return chunk(document, limits, self.strategy, topics)


_ways = st.builds(
    Way,
    st.sampled_from(sorted(STRATEGIES)),
    st.lists(st.floats(-1, 1), min_size=1, max_size=9).map(tuple),
    st.frozensets(st.integers(0, 2_000), max_size=30),
)

# No deadline: on a busy machine a slow example is no failure.
_quickly = settings(max_examples=60, deadline=None)


def _document(*blocks: Block) -> ParsedDocument:
    return ParsedDocument(blocks, None, "und", "text/plain", None, "test")


@_quickly
@given(_documents, _ways)
def test_every_character_of_the_text_belongs_to_exactly_one_parent(document: ParsedDocument, way: Way) -> None:
    chunks = way.cut(document)
    assert [p.start for p in chunks.parents] == [0, *(p.end for p in chunks.parents)][: len(chunks.parents)]
    assert (chunks.parents[-1].end if chunks.parents else 0) == len(chunks.text)
    assert [p.position for p in chunks.parents] == list(range(len(chunks.parents)))


@_quickly
@given(_documents, _ways)
def test_children_tile_their_parent_with_no_more_overlap_than_stated(document: ParsedDocument, way: Way) -> None:
    chunks = way.cut(document)
    assert [c.position for c in chunks.children] == list(range(len(chunks.children)))
    for parent in chunks.parents:
        mine = [c for c in chunks.children if c.parent_position == parent.position]
        reached = parent.start
        for number, child in enumerate(mine):
            assert child.start + child.overlap == reached
            assert 0 <= child.overlap <= (SMALL.overlap if number else 0)
            assert child.start >= parent.start
            reached = child.end
        assert reached == parent.end


@_quickly
@given(_documents, _ways)
def test_offsets_point_at_the_text_and_a_prefix_is_a_table_header(document: ParsedDocument, way: Way) -> None:
    chunks = way.cut(document)
    headers = {"\n".join(b.text.split("\n")[:2]) + "\n" for b in document.blocks if b.kind == "table"}
    for piece in (*chunks.parents, *chunks.children):
        assert piece.text == piece.prefix + chunks.text[piece.start : piece.end]
        assert piece.prefix == "" or piece.prefix in headers
        assert piece.start < piece.end


@_quickly
@given(_documents, _ways)
def test_sizes_stay_within_their_limits(document: ParsedDocument, way: Way) -> None:
    chunks = way.cut(document)
    for parent in chunks.parents:
        assert len(parent.text) <= SMALL.parent_max
    for child in chunks.children:
        own = child.end - child.start - child.overlap
        assert own <= SMALL.child_max
        assert len(child.prefix) <= SMALL.child


@_quickly
@given(_documents, _ways)
def test_a_fragment_stands_alone_only_where_no_neighbour_has_room(document: ParsedDocument, way: Way) -> None:
    limits = replace(SMALL, fragment=90)
    chunks = way.cut(document, limits)
    for before, after in pairwise(chunks.parents):
        small = min(len(chunks.text[p.start : p.end].strip()) for p in (before, after)) < limits.fragment
        assert not small or len(before.text) + after.end - after.start > limits.parent_max


@_quickly
@given(st.lists(_prose, min_size=1, max_size=8), _ways)
@example(["Mr. Smith of No. 5 paid 3.5 bar. " * 3], Way("recursive", (0.0,), frozenset()))
@example(["The " + "pump and " * 13 + "valve. "] * 2, Way("recursive", (0.0,), frozenset()))
@example(["票据应当" * 30 + "。"] * 2, Way("model+recursive", (0.0,), frozenset(range(500))))
def test_no_sentence_is_cut_that_fits(paragraphs: list[str], way: Way) -> None:
    chunks = way.cut(_document(*(Block("paragraph", text) for text in paragraphs)))
    cuts = {p.start for p in chunks.parents} | {c.start + c.overlap for c in chunks.children}
    for paragraph in re.finditer(r"[^\n]+", chunks.text):
        for sentence in re.finditer(r".+?(?:。|\. |\.$|$)", paragraph.group()):
            start, end = paragraph.start() + sentence.start(), paragraph.start() + sentence.end()
            if end - start <= SMALL.child_max - 2:
                assert not any(start < cut < end for cut in cuts), chunks.text[start:end]


@_quickly
@given(_documents, _ways)
def test_every_heading_is_in_the_outline_with_the_parent_that_holds_it(document: ParsedDocument, way: Way) -> None:
    chunks = way.cut(document)
    headings = [" ".join(b.text.split()) for b in document.blocks if b.kind == "heading"]
    assert [entry.heading for entry in chunks.outline] == headings
    for entry in chunks.outline:
        assert entry.heading in " ".join(chunks.parents[entry.parent_position].text.split())


@_quickly
@given(_documents, _ways)
def test_the_same_document_gives_the_same_chunks(document: ParsedDocument, way: Way) -> None:
    assert way.cut(document) == way.cut(document)


@_quickly
@given(_documents, _ways)
def test_pages_of_a_parent_are_those_of_its_blocks(document: ParsedDocument, way: Way) -> None:
    chunks = way.cut(document)
    pages = {b.page for b in document.blocks}
    for parent in chunks.parents:
        assert parent.page_from in pages | {None}
        if parent.page_from is not None and parent.page_to is not None:
            assert parent.page_from <= parent.page_to


@_quickly
@given(_prose, _word, _tables(), _prose, _ways)
@example(
    "The " * 28 + "end.",
    "Heading",
    "| a | a | a | a | aaaaaaaaaaaaaa |\n| --- | --- | --- | --- | --- |\n| a | aaa | aaaaaaa | aaaaaaaaaaa | aaaaaaaaa |",
    "The end.",
    Way("recursive", (0.0,), frozenset()),
)
def test_a_table_keeps_its_heading_and_every_piece_of_it_its_header(
    before: str, heading: str, table: str, after: str, way: Way
) -> None:
    blocks = Block("heading", heading, 1), Block("table", table)
    chunks = way.cut(_document(Block("paragraph", before), *blocks, Block("paragraph", after)))
    header = "\n".join(table.split("\n")[:2])
    begins = chunks.text.index(f"{heading}\n\n{header}\n", len(before))
    rows = begins + len(heading) + 2, begins + len(heading) + 2 + len(table)
    for piece in (*chunks.parents, *chunks.children):
        own = piece.start + getattr(piece, "overlap", 0)
        if own < rows[1] and piece.end > rows[0] and len(header) + 1 <= SMALL.child:
            assert header in piece.text or rows[0] < own < rows[0] + len(header), "a header may itself be cut"
    assert any(parent.start <= begins and parent.end > rows[0] + len(header) for parent in chunks.parents)


@_quickly
@given(_documents, _ways)
def test_passages_tile_what_may_be_cut_and_begin_where_a_chunk_may(document: ParsedDocument, way: Way) -> None:
    passages = passages_of(document, way.strategy, SMALL)
    text = chunk(document, SMALL).text
    for before, after in pairwise(passages):
        assert before.end == after.start or (before.stretch != after.stretch and before.end < after.start)
    for passage in passages:
        assert passage.text == text[passage.start : min(passage.end, passage.start + 500)] != ""
    if "structure" not in STRATEGIES[way.strategy]:
        assert sum(passage.end - passage.start for passage in passages) == len(text)


def test_cutting_takes_time_linear_in_the_text() -> None:
    page = [
        Block("heading", "Pumps", 2),
        Block("paragraph", "The pump opens at 3.5 bar when pressure falls. " * 20),
        Block("paragraph", "票据应当在三十日内提交所有票据。" * 30),
        Block("table", "| a | b |\n| --- | --- |\n" + "| 1 | 2 |\n" * 30),
        Block("paragraph", "." * 2_000),
        Block("code", "x = 1\n" * 60),
    ]
    for strategy in STRATEGIES:
        way = Way(strategy, (0.9, 0.7, 0.8, 0.9, 0.6), frozenset(range(0, 100_000, 700)))

        def seconds(pages: int, way: Way = way) -> float:
            document = _document(*(page * pages))
            spent = []
            for _ in range(3):
                begun = time.process_time()
                way.cut(document)
                spent.append(time.process_time() - begun)
            return min(spent)

        assert seconds(64) < 8 * seconds(16) + 0.05, strategy
