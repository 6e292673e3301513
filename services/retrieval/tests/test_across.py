"""A question in one script finds passages in the other, and keeps those in its own."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.tests.brute_force_indexes import BruteForceKeywordIndex, BruteForceVectorIndex
from services.retrieval.tests.index_records import ALICE, ALICES, DIMENSION, EVERYTHING, child
from services.retrieval.tests.retrieval_rig import WordEmbedder
from services.retrieval.tests.test_ranking import SETTINGS, near, order, parent, pool, rank, word
from superagent_common.logging import get_logger
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.channels import Channels, ChannelSettings, Timings
from superagent_retrieval.application.spaces import Space
from superagent_retrieval.domain.across import Across, Turn, is_foreign
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.explaining import placed
from superagent_retrieval.domain.floors import Calibration, RelatedFloors
from superagent_retrieval.domain.ranking import selected
from superagent_retrieval.domain.records import SearchFilters, VectorHit
from superagent_retrieval.domain.variants import Variant, VariantKind

ZH, EN = "员工每年享有十天带薪年假。", "Staff have ten days of paid leave a year."
TURN = Turn(shift=(0.5, 0.0), gain=0.4, floor=0.6, related=0.7)
ACROSS = Across(TURN, replace(TURN, gain=0.3))
FLOORS = replace(SETTINGS, calibration=Calibration(0.5, 0.4, RelatedFloors(0.85, 0.8, 0.7), ACROSS))


def turned(parent_id: str, score: float) -> VectorHit:
    return replace(near(parent_id, score), turned=True)


def test_a_turned_question_scores_by_what_is_left_of_it() -> None:
    question = TURN.turned([0.8, 0.6])
    assert question.vector == pytest.approx([0.3, 0.6])
    cosine = (0.3 * 0.6 + 0.6 * 0.8) / math.hypot(0.3, 0.6)
    assert question.score(cosine) == pytest.approx(0.3 * 0.6 + 0.6 * 0.8 + 0.4)


@given(st.sampled_from(["han", "other", "mixed"]), st.sampled_from(["han", "other", "mixed"]))
def test_only_two_clear_scripts_are_foreign_to_each_other(asked: str, written: str) -> None:
    assert is_foreign(asked, written) == ({asked, written} == {"han", "other"})  # type: ignore[arg-type]


def test_a_passage_in_the_other_script_counts_as_the_turned_question_found_it() -> None:
    parents = {"zh": parent("zh", text=ZH), "en": parent("en", text=EN)}
    found = pool(
        "年假有几天？", [near("zh", 0.86), near("en", 0.6), turned("en", 0.88), turned("zh", 0.99)], [], parents, FLOORS
    )
    (result,) = found.channels
    assert (result.all_vector, result.foreign) == ({"zh": 0.86, "en": 0.88}, {"en"})
    assert [each.parent.parent_id for each in found.ordered] == ["en", "zh"]


def test_a_foreign_passage_that_only_the_plain_question_found_stays() -> None:
    parents = {"zh": parent("zh", text=ZH), "en": parent("en", text=EN)}
    assert order(rank("年假有几天？", [near("zh", 0.86), near("en", 0.6)], [], parents, 5, FLOORS)) == ["zh", "en"]


def test_words_that_cannot_be_shared_do_not_push_foreign_passages_back() -> None:
    """The same cosines and words, once for a passage in the question's script and once for one in the other."""
    parents = {
        "zh": parent("zh", text=ZH),
        "b": parent("b", text="年假之外的假期。"),
        "c": parent("c", text="公司简介。"),
    }
    hits = [near("zh", 0.9), near("b", 0.88), near("c", 0.8)]
    words = [word("b", 3.0)]
    assert order(rank("年假有几天？", hits, words, parents, 5, FLOORS))[0] == "b"
    parents["zh"] = parent("zh", text=EN)
    found = pool("年假有几天？", [turned("zh", 0.9), *hits[1:]], words, parents, replace(FLOORS, foreign_shift=1.0))
    assert found.ordered[0].parent.parent_id == "zh"
    shown = placed(found, selected(found, 5), [])[0]
    assert [(part.weight, part.value) for part in shown.parts if part.channel == "vector"] == [(1.0, 1.0)]


def test_foreign_passages_have_floors_of_their_own() -> None:
    parents = {"en": parent("en", text=EN), "zh": parent("zh", text=ZH)}
    beside = near("zh", 0.6)
    assert order(rank("首都在哪里？", [turned("en", 0.71), beside], [], parents, 5, FLOORS)) == ["en", "zh"]
    unrelated = rank("首都在哪里？", [turned("en", 0.69), beside], [], parents, 5, FLOORS)
    assert (order(unrelated), unrelated.dropped) == ([], {"unrelated": 2})
    alone = rank("首都在哪里？", [turned("en", 0.69)], [], {"en": parents["en"]}, 5, FLOORS)
    assert order(alone) == ["en"]
    alone = rank("首都在哪里？", [turned("en", 0.66)], [], {"en": parents["en"]}, 5, FLOORS)
    assert (order(alone), alone.dropped) == ([], {"unrelated": 1})
    below = rank("首都在哪里？", [turned("en", 0.59)], [], parents, 5, FLOORS)
    assert (order(below), below.dropped) == ([], {"below_floor": 1})


async def _near(
    question: str, filters: SearchFilters, across: Across | None, kind: VariantKind = "question"
) -> list[str]:
    """Languages of the documents found; in brackets what the turned question found."""
    index = BruteForceVectorIndex(DIMENSION)
    for language in ("zh", "en", "und"):
        await index.upsert([child(language, 1.0, document_id=language, attributes=replace(ALICES, language=language))])
    space = Space(IndexName("words", DIMENSION), WordEmbedder(), index, Calibration(0.5, across=across))
    channels = Channels(BruteForceKeywordIndex(), ChannelSettings(), Telemetry("retrieval"), get_logger("retrieval"))
    answer = await channels.near(space, [Variant(kind, question)], ALICE, filters, Timings())
    assert not answer.down
    return sorted(f"({hit.document_id})" if hit.turned else hit.document_id for hit in answer.hits[0])


async def test_the_turned_question_asks_only_documents_in_the_other_script() -> None:
    turn = Turn((0.1,) * DIMENSION, 0.5, 0.6, 0.7)
    across, every = Across(turn, turn), ["en", "und", "zh"]
    assert await _near("年假有几天？", EVERYTHING, across) == ["(en)", "(und)", *every]
    assert await _near("How long is annual leave?", EVERYTHING, across) == ["(zh)", *every]
    assert await _near("How long is 年假?", EVERYTHING, across) == every
    assert await _near("How long is annual leave?", EVERYTHING, None) == every
    assert await _near("How long is annual leave?", EVERYTHING, across, "history") == every


async def test_who_filters_by_language_gets_no_other() -> None:
    turn = Turn((0.1,) * DIMENSION, 0.5, 0.6, 0.7)
    only = SearchFilters(languages=("en",))
    assert await _near("How long is annual leave?", only, Across(turn, turn)) == ["en"]
    assert await _near("年假有几天？", only, Across(turn, turn)) == ["(en)", "en"]
