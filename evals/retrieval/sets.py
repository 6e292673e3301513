"""What a set of questions is, which part of it is asked, and the documents that its passages become."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from typing import Literal

Form = Literal["paragraphs", "articles"]
"""What is a document: each passage, its text alone, or an article of passages with its title."""


@dataclass(frozen=True, slots=True)
class Passage:
    """key: unique in its corpus."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """Passages that belong together, in order. title: empty when nobody gave one. chapters: it comes as one Markdown
    document whatever the form, each passage beginning with its heading. domain: code, or empty."""

    title: str
    passages: tuple[Passage, ...]
    chapters: bool = False
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What one person has. No text is there twice."""

    name: str
    articles: tuple[Article, ...]

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(passage for article in self.articles for passage in article.passages)


@dataclass(frozen=True, slots=True)
class Question:
    """group: what it is counted under, such as `zh` or `zh→en`. gold: keys of its right passages in the corpus of that
    name; empty: the corpus does not answer it. domains: where alone it is asked; empty: everywhere."""

    key: str
    group: str
    text: str
    corpus: str
    gold: tuple[str, ...]
    history_hint: str = ""
    use_outline: bool = False
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    name: str
    corpora: tuple[Corpus, ...]
    questions: tuple[Question, ...]

    def every(self, number: int) -> QuestionSet:
        """With each `number`-th question of every group, answered and unanswered ones apart, and all passages."""
        seen: dict[tuple[str, bool], int] = defaultdict(int)
        kept = []
        for question in self.questions:
            kind = (question.group, bool(question.gold))
            if seen[kind] % number == 0:
                kept.append(question)
            seen[kind] += 1
        return replace(self, questions=tuple(kept))

    def digest(self) -> str:
        """16 hexadecimal digits that stand for exactly these passages and questions."""
        said = json.dumps(
            [*map(asdict, self.corpora), *map(asdict, self.questions)], ensure_ascii=True, separators=(",", ":")
        )
        return hashlib.sha256(said.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Document:
    """A file to upload. title: empty leaves it to ingestion."""

    file_name: str
    title: str
    domain: str
    content: bytes
    passages: tuple[Passage, ...]


def documents(corpus: Corpus, form: Form) -> list[Document]:
    """The corpus as files. Their names say nothing that a question could ask for: they become titles, which count."""
    found: list[Document] = []
    for article in corpus.articles:
        whole = form == "articles" or article.chapters
        for passages in [article.passages] if whole else [(passage,) for passage in article.passages]:
            name = f"{_letters(len(found))}.{'md' if article.chapters else 'txt'}"
            content = "\n\n".join(passage.text for passage in passages).encode()
            found.append(Document(name, article.title if whole else "", article.domain, content, passages))
    return found


def _letters(number: int) -> str:
    """A word that no text has: digits would be taken for identifiers."""
    return "zq" + "".join("bcdfghjkmw"[int(digit)] for digit in f"{number:05}")
