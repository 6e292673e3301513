"""How the sets of questions are read, and what their passages become."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from evals.retrieval.own_set import own
from evals.retrieval.public_sets import cmrc2018, mtragun, squad2, strategyqa, xquad
from evals.retrieval.sets import documents


def squad_file(path: Path, paragraphs: list[tuple[str, list[tuple[str, bool]]]]) -> None:
    """(context, [(question, is_impossible)]) of one article named A_B."""
    rows = [
        {
            "context": context,
            "qas": [{"id": f"{n}-{m}", "question": q, "is_impossible": no} for m, (q, no) in enumerate(asked)],
        }
        for n, (context, asked) in enumerate(paragraphs)
    ]
    path.write_text(json.dumps({"data": [{"title": "A_B", "paragraphs": rows}]}), "utf-8")


def test_an_impossible_question_has_no_right_passage_and_a_repeated_context_is_one(tmp_path: Path) -> None:
    squad_file(
        tmp_path / "squad2_cs224n_dev.json",
        [("one", [("q1", False), ("q2", True)]), ("two", [("q3", False)]), ("one", [("q4", False)])],
    )
    found = squad2(tmp_path)
    assert [passage.text for passage in found.corpora[0].passages] == ["one", "two"]
    assert [(q.text, q.gold, q.group) for q in found.questions] == [
        ("q1", ("p0",), "en"),
        ("q2", (), "en"),
        ("q3", ("p1",), "en"),
        ("q4", ("p0",), "en"),
    ]


def test_cmrc_is_chinese(tmp_path: Path) -> None:
    squad_file(tmp_path / "cmrc2018_dev.json", [("一", [("问", False)])])
    assert [q.group for q in cmrc2018(tmp_path).questions] == ["zh"]


def test_xquad_asks_each_question_of_both_languages(tmp_path: Path) -> None:
    squad_file(tmp_path / "xquad.zh.json", [("一", [("问", False)])])
    squad_file(tmp_path / "xquad.en.json", [("one", [("ask", False)])])
    assert [(q.text, q.group, q.corpus, q.gold) for q in xquad(tmp_path).questions] == [
        ("问", "zh", "xquad-zh", ("p0",)),
        ("ask", "en", "xquad-en", ("p0",)),
        ("问", "zh→en", "xquad-en", ("p0",)),
        ("ask", "en→zh", "xquad-zh", ("p0",)),
    ]


def test_a_conversation_asks_its_last_turn_with_and_without_the_turns_before(tmp_path: Path) -> None:
    turns = [("user", "first"), ("agent", "yes"), ("user", "second"), ("agent", "no"), ("user", "third")]
    said = [{"speaker": who, "text": text} for who, text in turns]
    rows = [
        {"task_id": "a", "answerability": ["ANSWERABLE"], "contexts": [{"text": "x"}, {"text": "y "}], "input": said},
        {"task_id": "b", "answerability": ["UNANSWERABLE"], "contexts": [{"text": "y"}], "input": said[:1]},
        {"task_id": "c", "answerability": ["UNDERSPECIFIED"], "contexts": [{"text": "z"}], "input": said[:1]},
    ]
    (tmp_path / "mtragun_reference.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    found = mtragun(tmp_path)
    assert [passage.text for passage in found.corpora[0].passages] == ["x", "y", "z"]
    assert [(q.key, q.text, q.history_hint, q.gold) for q in found.questions] == [
        ("a", "third", "", ("p0", "p1")),
        ("a", "third", "first second", ("p0", "p1")),
        ("b", "first", "", ()),
        ("b", "first", "", ()),
    ]


def test_strategy_questions_want_all_of_their_facts(tmp_path: Path) -> None:
    rows = [{"qid": "a", "question": "q", "facts": ["f", "g"]}, {"qid": "b", "question": "r", "facts": ["g"]}]
    (tmp_path / "strategyqa_dev.json").write_text(json.dumps(rows), "utf-8")
    assert [q.gold for q in strategyqa(tmp_path).questions] == [("p0", "p1"), ("p1",)]


def test_a_part_has_some_questions_of_every_kind_and_all_passages() -> None:
    whole, part = own(), own().every(5)
    kinds = Counter((q.group, bool(q.gold)) for q in whole.questions)
    assert Counter((q.group, bool(q.gold)) for q in part.questions) == {
        kind: -(-count // 5) for kind, count in kinds.items()
    }
    assert part.corpora == whole.corpora
    assert len({whole.digest(), part.digest(), whole.every(4).digest()}) == 3 and whole.digest() == own().digest()


def test_the_own_set_asks_in_both_languages_and_of_what_is_not_there() -> None:
    found = own()
    keys = {passage.key for passage in found.corpora[0].passages}
    assert len(keys) == len(found.corpora[0].passages) >= 50
    assert all(set(question.gold) <= keys for question in found.questions)
    answered = Counter(question.group for question in found.questions if question.gold)
    assert set(answered) == {"zh", "en", "zh→en", "en→zh", "zh→en of both", "en→zh of both", "outline"}
    assert min(answered.values()) >= 10
    assert Counter(question.group for question in found.questions if not question.gold).keys() == {"zh", "en"}


def test_a_document_is_a_passage_alone_or_an_article_with_its_title(tmp_path: Path) -> None:
    squad_file(tmp_path / "cmrc2018_dev.json", [("一", []), ("二", [])])
    corpus = cmrc2018(tmp_path).corpora[0]
    alone = documents(corpus, "paragraphs")
    assert [(document.title, document.content.decode()) for document in alone] == [("", "一"), ("", "二")]
    assert len({document.file_name for document in alone}) == 2
    (article,) = documents(corpus, "articles")
    assert (article.title, article.content.decode()) == ("A B", "一\n\n二")


def test_chapters_stay_one_markdown_document() -> None:
    chapters = [document for document in documents(own().corpora[0], "paragraphs") if len(document.passages) > 1]
    assert len(chapters) == 2
    for document in chapters:
        assert document.file_name.endswith(".md") and document.title and document.content.startswith(b"# ")
