"""The project's own set: the passages of own_set.json among those of evals/calibration, asked in both languages.

The floors were chosen from the calibration's questions, so these are not asked here; its passages are neighbours.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from evals.retrieval.sets import Article, Corpus, Passage, Question, QuestionSet

OWN = "own"
_FOLDER = Path(__file__).parent
_NEIGHBOURS = _FOLDER.parent / "calibration" / "passages.json"
_HAN = re.compile(r"[\u4e00-\u9fff]")


def own() -> QuestionSet:
    """One person's documents in both languages, each a domain. Groups: `zh`, `en`, `outline`; `zh→en` (asked in Chinese,
    written in English) and `en→zh`, asked of that domain alone and, as `zh→en of both`, of everything.

    Questions without an answer are counted by their language.
    """
    data = json.loads((_FOLDER / "own_set.json").read_text("utf-8"))
    articles: list[Article] = []
    questions: list[Question] = []

    def ask(text: str, group: str, *gold: str, domains: tuple[str, ...] = ()) -> None:
        key, by_heading = f"q{len(questions)}", group == "outline"
        questions.append(Question(key, group, text, OWN, gold, use_outline=by_heading, domains=domains))

    for article in data["articles"]:
        chapters = article.get("chapters", False)
        passages = tuple(Passage(each["key"], each["text"]) for each in article["passages"])
        written = _language(passages[0].text)
        articles.append(Article(article["title"], passages, chapters, written))
        for each in article["passages"]:
            for text in each["asked"]:
                if chapters:
                    ask(text, "outline", each["key"])
                elif _language(text) == written:
                    ask(text, written, each["key"])
                else:
                    pair = f"{_language(text)}→{written}"
                    ask(text, pair, each["key"], domains=(written,))
                    ask(text, f"{pair} of both", each["key"])
    for text in data["unanswered"]:
        ask(text, _language(text))
    neighbours = json.loads(_NEIGHBOURS.read_text("utf-8"))["passages"]
    articles += [
        Article(each["title"], (Passage(f"c-{key}", each["text"]),), domain=_language(each["text"]))
        for key, each in neighbours.items()
    ]
    return QuestionSet(OWN, (Corpus(OWN, tuple(articles)),), tuple(questions))


def _language(text: str) -> str:
    return "zh" if _HAN.search(text) else "en"
