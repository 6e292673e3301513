"""Documents, people and chunks for the tests of the two indexes."""

from __future__ import annotations

import math
import random
import uuid
from dataclasses import dataclass

from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.records import ChildVector, DocumentAttributes, ParentText, SearchFilters

DIMENSION = 8
ALICE = AccessScope("alice")
BOB = AccessScope("bob")
EVERYTHING = SearchFilters()
ALICES = DocumentAttributes(DocumentAccess("alice", None, False), domain="hr")
WORDS = ("holiday", "travel", "invoice", "年假", "报销", "max_connections", "router", "合同", "E1042", "tea")


def child(
    name: str,
    *vector: float,
    document_id: str = "document",
    generation: str = "g1",
    attributes: DocumentAttributes = ALICES,
) -> ChildVector:
    """A child whose vector begins with the given numbers; the same name is the same chunk."""
    padded = [*vector, *[0.0] * (DIMENSION - len(vector))]
    return ChildVector(chunk_id(name), f"parent of {name}", document_id, generation, attributes, 3, 17, padded)


def chunk_id(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def parent(
    name: str,
    text: str,
    document_id: str = "document",
    generation: str = "g1",
    attributes: DocumentAttributes = ALICES,
    title: str = "",
    heading_path: tuple[str, ...] = (),
) -> ParentText:
    return ParentText(name, document_id, generation, attributes, title, heading_path, text)


@dataclass(frozen=True)
class World:
    """Random documents with what is in them, and random searches by random people."""

    children: list[ChildVector]
    parents: list[ParentText]
    searches: list[tuple[AccessScope, SearchFilters, list[float], str]]


def random_world(seed: int, documents: int, searches: int) -> World:
    pick = random.Random(seed)
    users, tags = [f"user{n}" for n in range(6)], [f"org{n}" for n in range(6)]
    children, parents = [], []
    for number in range(documents):
        access = DocumentAccess(pick.choice(users), pick.choice([None, *tags]), pick.random() < 0.15)
        attributes = DocumentAttributes(
            access,
            domain=pick.choice(["hr", "it", "law"]),
            business_category=pick.choice(["", "policy", "manual"]),
            tags=tuple(pick.sample(["draft", "2024", "内部"], pick.randrange(3))),
            language=pick.choice(["zh", "en"]),
        )
        for part in range(3):
            name = f"{number}/{part}"
            vector = [pick.gauss(0, 1) for _ in range(DIMENSION)]
            children.append(child(name, *vector, document_id=f"doc{number}", attributes=attributes))
            text = " ".join(pick.choices(WORDS, k=4))
            parents.append(parent(name, text, document_id=f"doc{number}", attributes=attributes))
    return World(
        children,
        parents,
        [
            (
                AccessScope(pick.choice(users), frozenset(pick.sample(tags, pick.randrange(4)))),
                SearchFilters(
                    domains=tuple(pick.sample(["hr", "it", "law", "unknown"], pick.randrange(3))),
                    business_categories=pick.choice([(), (), ("policy",)]),
                    tags=pick.choice([(), (), ("draft", "内部")]),
                    languages=pick.choice([(), ("zh",)]),
                    document_ids=pick.choice([(), (), tuple(f"doc{n}" for n in range(documents // 2))]),
                ),
                [pick.gauss(0, 1) for _ in range(DIMENSION)],
                " ".join(pick.choices(WORDS, k=2)),
            )
            for _ in range(searches)
        ],
    )


def angle(degrees: float) -> tuple[float, float]:
    """A unit vector whose cosine with (1, 0) is that of `degrees`."""
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
