"""Reads the public sets of a folder, in the files' own formats; see evals/README.md for what counts as right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from evals.retrieval.sets import Article, Corpus, Passage, Question, QuestionSet

# A hint takes 200 characters; what was asked last says most.
_HINT = 200


class _Texts:
    """Gives each different text a key, so that no text is there twice."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}

    def new(self, texts: Iterable[str]) -> tuple[Passage, ...]:
        """Passages of the texts that were not there."""
        fresh = []
        for text in texts:
            if text not in self._keys:
                self._keys[text] = f"p{len(self._keys)}"
                fresh.append(Passage(self._keys[text], text))
        return tuple(fresh)

    def key(self, text: str) -> str:
        return self._keys[text]


def cmrc2018(folder: Path) -> QuestionSet:
    """Chinese questions about Wikipedia."""
    corpus, questions = _squad(folder / "cmrc2018_dev.json", "cmrc2018", "zh")
    return QuestionSet("cmrc2018", (corpus,), tuple(questions))


def squad2(folder: Path) -> QuestionSet:
    """English questions about Wikipedia, half of them on the topic and yet not answered."""
    corpus, questions = _squad(folder / "squad2_cs224n_dev.json", "squad2", "en")
    return QuestionSet("squad2", (corpus,), tuple(questions))


def xquad(folder: Path) -> QuestionSet:
    """The same paragraphs and questions in both languages: each asked of both."""
    zh, asked_zh = _squad(folder / "xquad.zh.json", "xquad-zh", "zh")
    en, asked_en = _squad(folder / "xquad.en.json", "xquad-en", "en")
    right_zh = {question.key: question.gold for question in asked_zh}
    right_en = {question.key: question.gold for question in asked_en}
    across = [
        *(Question(q.key, "zh→en", q.text, en.name, right_en[q.key]) for q in asked_zh),
        *(Question(q.key, "en→zh", q.text, zh.name, right_zh[q.key]) for q in asked_en),
    ]
    return QuestionSet("xquad", (zh, en), (*asked_zh, *asked_en, *across))


def mtragun(folder: Path) -> QuestionSet:
    """Last turns of English conversations, alone and with what was asked before as a hint."""
    with (folder / "mtragun_reference.jsonl").open(encoding="utf-8") as lines:
        tasks = [json.loads(line) for line in lines]
    texts = _Texts()
    articles = tuple(
        Article("", passages)
        for task in tasks
        for context in task["contexts"]
        if (passages := texts.new([context["text"].strip()]))
    )

    def asked() -> Iterator[Question]:
        for task in tasks:
            kind = task["answerability"][0]
            if kind not in ("ANSWERABLE", "UNANSWERABLE"):
                continue
            said = [turn["text"] for turn in task["input"] if turn["speaker"] == "user"]
            right = dict.fromkeys(texts.key(context["text"].strip()) for context in task["contexts"])
            gold = tuple(right) if kind == "ANSWERABLE" else ()
            if kind == "ANSWERABLE" and not gold:
                continue
            yield Question(task["task_id"], "last turn", said[-1], "mtragun", gold)
            hint = " ".join(said[-3:-1])[-_HINT:]
            yield Question(task["task_id"], "last turn, hint", said[-1], "mtragun", gold, history_hint=hint)

    return QuestionSet("mtragun", (Corpus("mtragun", articles),), tuple(asked()))


def strategyqa(folder: Path) -> QuestionSet:
    """English questions that need several facts, which are the passages."""
    rows = json.loads((folder / "strategyqa_dev.json").read_text("utf-8"))
    texts = _Texts()
    articles = tuple(
        Article("", passages) for row in rows for fact in row["facts"] if (passages := texts.new([fact.strip()]))
    )
    questions = tuple(
        Question(
            row["qid"],
            "en",
            row["question"],
            "strategyqa",
            tuple(dict.fromkeys(texts.key(fact.strip()) for fact in row["facts"])),
        )
        for row in rows
    )
    return QuestionSet("strategyqa", (Corpus("strategyqa", articles),), questions)


PUBLIC: dict[str, tuple[Callable[[Path], QuestionSet], tuple[str, ...]]] = {
    "cmrc2018": (cmrc2018, ("cmrc2018_dev.json",)),
    "squad2": (squad2, ("squad2_cs224n_dev.json",)),
    "xquad": (xquad, ("xquad.zh.json", "xquad.en.json")),
    "mtragun": (mtragun, ("mtragun_reference.jsonl",)),
    "strategyqa": (strategyqa, ("strategyqa_dev.json",)),
}
"""By name: how it is read, and the files it is in."""


def _squad(path: Path, corpus: str, language: str) -> tuple[Corpus, list[Question]]:
    """A file in SQuAD's format; questions that are impossible have no right passage."""
    data: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["data"]
    texts = _Texts()
    articles, questions = [], []
    for article in data:
        passages = texts.new(paragraph["context"] for paragraph in article["paragraphs"])
        if passages:
            articles.append(Article(article["title"].replace("_", " ") if "title" in article else "", passages))
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                gold = () if asked.get("is_impossible") else (texts.key(paragraph["context"]),)
                questions.append(Question(asked["id"], language, asked["question"], corpus, gold))
    return Corpus(corpus, tuple(articles)), questions
