"""Both keyword engines score alike, so that what an evaluation finds on one holds for the other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from services.retrieval.tests.index_engines import KEYWORD_ENGINES, OPENSEARCH
from services.retrieval.tests.index_records import WORDS, random_world
from superagent_retrieval.domain.records import KeywordHit, ParentText

pytestmark = [pytest.mark.usefixtures("search_servers"), pytest.mark.real(OPENSEARCH)]


def titled(number: int, parent: ParentText) -> ParentText:
    """As in the product each has a title; every third has headings, too.

    (Entries without either OpenSearch leaves out when it counts how rare a heading's word is, tantivy does not.)
    """
    words = WORDS[number % len(WORDS)]
    headings = (words, WORDS[number // 7 % len(WORDS)]) if number % 3 == 2 else ()
    return replace(parent, title=f"{words} {number % 5}", heading_path=headings)


async def test_the_same_texts_have_the_same_scores(tmp_path: Path) -> None:
    world = random_world(seed=13, documents=200, searches=200)
    answers: list[list[list[KeywordHit]]] = []
    for engine in ("tantivy", "opensearch"):
        index = await KEYWORD_ENGINES[engine](tmp_path)
        await index.upsert([titled(number, each) for number, each in enumerate(world.parents)])
        await index.refresh()
        answers.append(
            [await index.search(query, scope, filters, 1_000) for scope, filters, _, query in world.searches]
        )
        await index.close()
    assert sum(map(len, answers[0])) > 2_000
    for embedded, served in zip(*answers, strict=True):
        scores = {hit.parent_id: hit.score for hit in served}
        assert [scores[hit.parent_id] for hit in embedded] == pytest.approx([hit.score for hit in embedded], rel=1e-4)
        assert len(scores) == len(embedded)
