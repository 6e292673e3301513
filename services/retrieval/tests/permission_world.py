"""A random organisation with documents, and who may read them, told without the product's own rule.

Codes of tags and ids of people are chosen to be taken for each other, for labels, and for the beginning of another.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from superagent_common.ids import new_id

TAGS = ("org1", "org10", "org1.lab", "public", "tag:org1", "anna", "owner:ben", "销售", "ORG1")
PEOPLE = ("anna", "ben", "org1", "public", "tag:org10", "owner:anna", "user-7", "ann")
DOMAINS, CATEGORIES, LANGUAGES = ("hr", "it", "law"), ("", "policy", "manual"), ("zh", "en")
FREE_TAGS = ("draft", "2026", "内部")
QUESTION = "warranty"


@dataclass
class Person:
    user_id: str
    direct_tags: list[str]
    is_administrator: bool


@dataclass
class Paper:
    """A document. `secret` stands in all that is said of it and in nothing else."""

    secret: str
    owner: str
    org_tag: str
    is_public: bool
    domain: str
    category: str
    language: str
    free_tags: list[str]
    document_id: str = field(default_factory=new_id)
    revision: int = 1


@dataclass(frozen=True)
class Narrowing:
    """What a search is narrowed to; an empty list narrows nothing."""

    domains: list[str]
    categories: list[str]
    languages: list[str]
    free_tags: list[str]
    document_ids: list[str]

    def admits(self, paper: Paper) -> bool:
        if self.domains and paper.domain not in self.domains:
            return False
        if self.categories and paper.category not in self.categories:
            return False
        if self.languages and paper.language not in self.languages:
            return False
        if self.free_tags and not any(tag in self.free_tags for tag in paper.free_tags):
            return False
        return not self.document_ids or paper.document_id in self.document_ids


class World:
    """parents: the tag above each tag that has one; it is made anew with `reorganise`."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.parents: dict[str, str] = {}
        self.people = [Person(user_id, [], self.pick.random() < 0.2) for user_id in PEOPLE]
        self.papers: list[Paper] = []
        self.gone: list[Paper] = []
        self._made = 0
        self.reorganise()

    def may_read(self, person: Person, paper: Paper) -> bool:
        """The owner, everybody when it is public, and whoever has its tag or one that is above it."""
        if paper.is_public or paper.owner == person.user_id:
            return True
        above = paper.org_tag
        while above:
            if above in person.direct_tags:
                return True
            above = self.parents.get(above, "")
        return False

    @property
    def children(self) -> dict[str, list[str]]:
        """The tree as the product is told of it."""
        tree: dict[str, list[str]] = {}
        for child, parent in self.parents.items():
            tree.setdefault(parent, []).append(child)
        return tree

    def reorganise(self) -> None:
        """Other tags stand above others, and people have other ones."""
        order = self.pick.sample(TAGS, len(TAGS))
        self.parents = {
            tag: self.pick.choice(order[:place])
            for place, tag in enumerate(order)
            if place and self.pick.random() < 0.7
        }
        for person in self.people:
            person.direct_tags = self.pick.sample(TAGS, self.pick.choice([0, 0, 1, 1, 2]))

    def new_paper(self) -> Paper:
        self._made += 1
        paper = Paper(f"secret{self._made}q", self.pick.choice(self.people).user_id, "", False, "", "", "", [])
        self.papers.append(paper)
        self.change(paper)
        paper.revision = 1
        return paper

    def change(self, paper: Paper) -> None:
        """Everything but the owner becomes another."""
        paper.org_tag = self.pick.choice(["", *TAGS])
        paper.is_public = self.pick.random() < 0.12
        paper.domain = self.pick.choice(DOMAINS)
        paper.category = self.pick.choice(CATEGORIES)
        paper.language = self.pick.choice(LANGUAGES)
        paper.free_tags = self.pick.sample(FREE_TAGS, self.pick.randrange(3))
        paper.revision += 1

    def lose(self, paper: Paper) -> None:
        self.papers.remove(paper)
        self.gone.append(paper)

    def narrowing(self) -> Narrowing:
        def some(values: tuple[str, ...]) -> list[str]:
            return self.pick.sample(values, self.pick.choice([0, 0, 0, 1, 2]))

        asked_for = self.pick.sample(self.papers + self.gone, 3) if self.pick.random() < 0.3 else []
        return Narrowing(
            some((*DOMAINS, "nowhere")),
            some(CATEGORIES[1:]),
            some(LANGUAGES),
            some(FREE_TAGS),
            [paper.document_id for paper in asked_for],
        )
