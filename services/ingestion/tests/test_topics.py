"""Where topics change, by meaning and by a model; and what becomes of that."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import Rig, ingestion_rig
from services.ingestion.tests.processing_fakes import FakeTopicModel
from superagent_common.errors import Conflict, Unavailable
from superagent_common.llm import ModelAnswer, ModelRequest
from superagent_ingestion.adapters.model_topics import ModelTopics
from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.chunking import MOST_PASSAGES, ChunkLimits, chunk, passages_of, topic_changes
from superagent_ingestion.domain.chunking.topics import valley_depths
from superagent_ingestion.domain.topic_jumps import topic_jumps
from superagent_ingestion.domain.topic_reply import BadReply, read_topics
from superagent_ingestion.prompts import TopicsPrompt

LIMITS = ChunkLimits()


def story(topic: str, sentences: int) -> str:
    return " ".join(f"{topic} number {n} is told of in this sentence about {topic.lower()}." for n in range(sentences))


def prose(*paragraphs: str) -> ParsedDocument:
    return ParsedDocument(
        tuple(Block("paragraph", text) for text in paragraphs), None, "en", "text/plain", None, "test"
    )


def test_a_valley_is_as_deep_as_the_peaks_beside_it() -> None:
    assert valley_depths([0.9, 0.7, 0.9, 0.8, 0.85]) == pytest.approx([0, 0.4, 0, 0.15, 0])
    assert valley_depths([]) == [] and valley_depths([0.5, 0.5]) == [0, 0]
    assert valley_depths([0.2, 0.6]) == pytest.approx([0.4, 0]), "at the edge there is one side"


def test_shallow_valleys_are_no_change_of_topic() -> None:
    document = prose(*(story(name, 4) for name in "ABCDEFGH"))
    passages = passages_of(document, "recursive+semantic", LIMITS)
    assert len(passages) == 8
    topics = topic_changes(passages, [0.9, 0.88, 0.9, 0.4, 0.9, 0.89, 0.9])
    assert list(topics) == [passages[4].start]
    assert topic_changes(passages, [0.9] * 7) == {}


def test_passages_tile_the_text_and_tables_are_one() -> None:
    table = "| a | b |\n| --- | --- |\n" + "| 1 | 2 |\n" * 80
    document = ParsedDocument(
        (Block("heading", "One", 1), Block("paragraph", story("Pumps", 30)), Block("table", table.strip())),
        None,
        "en",
        "text/plain",
        None,
        "test",
    )
    passages = passages_of(document, "recursive+semantic", LIMITS)
    text = chunk(document).text
    assert [p.start for p in passages] == [0, *(p.end for p in passages)][: len(passages)]
    assert passages[-1].end == len(text) and passages[0].text.startswith("One\n\nPumps")
    assert text[passages[-1].start :].startswith("| a | b |") and len(passages[-1].text) == 500


def test_with_structure_only_long_sections_are_compared() -> None:
    document = ParsedDocument(
        (
            Block("heading", "Short", 1),
            Block("paragraph", story("Pumps", 10)),
            Block("heading", "Long", 1),
            Block("paragraph", story("Valves", 40)),
        ),
        None,
        "en",
        "text/plain",
        None,
        "test",
    )
    passages = passages_of(document, "structure+recursive+semantic", LIMITS)
    assert len({passage.stretch for passage in passages}) == 1 and passages[0].text.startswith("Long")


def test_a_chunk_ends_where_the_topic_changes_most_within_its_size() -> None:
    document = prose(story("Pumps", 20) + " " + story("Valves", 30))
    text = chunk(document).text
    change = text.index("Valves")
    assert all(parent.start != change for parent in chunk(document, strategy="recursive").parents)
    passages = passages_of(document, "recursive+semantic", LIMITS)
    shallow = next(p.start for p in passages if 600 < p.start < change)
    for strategy in ("recursive+semantic", "model+recursive"):
        parents = chunk(document, strategy=strategy, topics={shallow: 0.1, change: 0.3}).parents
        assert [parent.start for parent in parents][:2] == [0, change]
    ignored = chunk(document, strategy="recursive", topics={change: 0.3})
    assert ignored == chunk(document, strategy="recursive")


def test_structure_begins_a_chunk_with_a_section_and_recursive_alone_need_not() -> None:
    sections = [
        block
        for n in range(4)
        for block in (Block("heading", f"Section {n}", 1), Block("paragraph", story("Pumps", 8)))
    ]
    document = ParsedDocument(tuple(sections), None, "en", "text/plain", None, "test")
    assert len(chunk(document, strategy="structure+recursive").parents) == 4
    assert len(chunk(document, strategy="recursive").parents) < 4


def test_words_that_change_at_once_are_a_jump_in_any_script() -> None:
    words = ("pump", "wolf", "mind", "tree", "rain", "gold")
    english = [f"{word} {word}s {word}ing about the {word}" for word in words for _ in range(4)]
    subjects = ("水泵维修", "财务报销", "天气预报", "公司年会", "员工培训", "网络安全")
    chinese = [subject * 3 + "的说明" for subject in subjects for _ in range(4)]
    assert topic_jumps(english) == topic_jumps(chinese) == 5
    assert topic_jumps(["pump valve seal"] * 20) == 0 and topic_jumps([]) == 0


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def chosen(rig: Rig, strategy: str, text: str = "") -> str:
    """A document that waits for a worker to cut it by a strategy."""
    document_id = await rig.upload((text or story("Pumps", 15) + " " + story("Valves", 30)).encode())
    await rig.choose(document_id, strategy)
    return document_id


async def test_semantic_asks_for_the_passages_once_and_keeps_what_it_found(rig: Rig) -> None:
    document_id = await chosen(rig, "recursive+semantic")
    rig.index.hindrance = Unavailable("embedder_down")
    await rig.pipeline().run(document_id)
    compared = rig.neighbours.compared
    assert compared > 5
    rig.clock.pass_(3)
    rig.index.hindrance = None
    await rig.pipeline().run(document_id)
    ready = await rig.document(document_id)
    assert (ready.state, ready.strategy, rig.neighbours.compared) == ("ready", "recursive+semantic", compared)


async def test_an_embedder_that_does_not_answer_makes_semantic_wait(rig: Rig) -> None:
    document_id = await chosen(rig, "recursive+semantic")
    rig.neighbours.hindrance = Unavailable("embedder_down")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.waiting_reason) == ("chunking", "embedder_down")


async def test_a_very_long_text_is_compared_in_its_beginning_and_says_so(rig: Rig) -> None:
    document_id = await chosen(rig, "recursive+semantic", story("Pumps", 12_000))
    await rig.pipeline().run(document_id)
    assert rig.neighbours.compared == MOST_PASSAGES
    warnings = [entry.message for entry in await rig.store.log(document_id) if entry.level == "warning"]
    assert len(warnings) == 1 and warnings[0].startswith(f"Topics were looked for in the first {MOST_PASSAGES} of ")


async def test_a_model_says_where_topics_begin(rig: Rig) -> None:
    rig.topic_model = FakeTopicModel([5])
    document_id = await chosen(rig, "model+recursive")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.strategy, rig.topic_model.calls) == ("ready", "model+recursive", 1)


@pytest.mark.parametrize("failure", [Unavailable("model_unavailable"), Conflict("too_long_for_model"), None])
async def test_without_its_model_a_document_is_cut_by_length_and_says_why(rig: Rig, failure: Exception | None) -> None:
    rig.topic_model = FakeTopicModel(failure) if failure else None
    document_id = await chosen(rig, "model+recursive")
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"
    (warning,) = [entry for entry in await rig.store.log(document_id) if entry.level == "warning"]
    reason = failure.reason if isinstance(failure, Unavailable | Conflict) else "no_model"
    assert warning.stage == "chunk" and reason in warning.message


class SayingModel:
    """Answers one text after the other, the last again and again."""

    name = "saying"

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return ModelAnswer(answer, (), None, "stop")


def asking(model: SayingModel, most_calls: int = 20) -> ModelTopics:
    return ModelTopics(model, TopicsPrompt(), most_calls=most_calls)  # type: ignore[arg-type]


async def test_the_model_is_shown_numbered_passages_in_bounded_calls() -> None:
    model = SayingModel('{"topics": []}')
    texts = [f"passage {n} " + "x" * 400 for n in range(80)]
    assert await asking(model).topics_begin(texts) == set()
    shown = [json.loads(request.messages[-1].content)["passages"] for request in model.requests]
    assert len(shown) == 3
    assert all(sum(map(len, passages.values())) <= 8_000 for passages in shown)
    numbers = [sorted(map(int, passages)) for passages in shown]
    assert sorted({n for window in numbers for n in window}) == list(range(80))
    assert [window[0] for window in numbers[1:]] == [window[-1] for window in numbers[:-1]], (
        "each shows what came before"
    )


async def test_a_bad_answer_is_sent_back_once() -> None:
    model = SayingModel("Topic 3, I would say.", '```json\n{"topics": [2, 0]}\n```')
    assert await asking(model).topics_begin(["a", "b", "c"]) == {2}
    assert "not one JSON object" in model.requests[1].messages[-1].content


async def test_two_bad_answers_or_too_much_text_are_refused() -> None:
    with pytest.raises(Unavailable, match="There is no passage 9"):
        await asking(SayingModel('{"topics": [9]}')).topics_begin(["a", "b"])
    with pytest.raises(Unavailable) as raised:
        await asking(SayingModel(Unavailable("model_unavailable"))).topics_begin(["x" * 240] * 100)
    assert raised.value.reason == "model_unavailable"
    model = SayingModel('{"topics": []}')
    with pytest.raises(Conflict):
        await asking(model, most_calls=2).topics_begin(["x" * 240] * 100)
    assert model.requests == []


@pytest.mark.parametrize(
    "answer",
    ["", "[1]", '{"topics": "1"}', '{"topics": [true]}', '{"topics": [1.0]}', "{" * 5_000, "9" * 9_000, "null"],
)
def test_answers_that_are_none_are_refused(answer: str) -> None:
    with pytest.raises(BadReply):
        read_topics(answer, range(3))


def test_one_passage_has_no_change_of_topic() -> None:
    assert topic_changes(passages_of(prose("One."), "recursive+semantic", LIMITS), []) == {}
