from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.tests.test_ranking import NO_BONUSES, known, near, order, parent, rank, word
from superagent_retrieval.domain.coverage import searchable, share_joined, share_said
from superagent_retrieval.domain.floors import Calibration, RelatedFloors
from superagent_retrieval.domain.ranking import RankingSettings

FLOORS = RankingSettings(Calibration(0.5, 0.4, RelatedFloors(han=0.85, other=0.8, across=0.7)), bonuses=NO_BONUSES)


def test_the_share_of_words_said_counts_stems() -> None:
    text = searchable(parent("a", text="Both WARRANTIES cover batteries；保固期間兩年", title="Ｅ１"))
    assert share_said(("warranti", "batteri"), text) == 1.0
    assert share_said(("warranti", "moon"), text) == 0.5
    assert share_said(("保固", "期间", "两年", "e1"), text) == 1.0
    assert share_said((), text) == 0.0


@pytest.mark.parametrize(
    ("term", "text", "said"),
    [
        ("use", "It is used.", True),
        ("use", "A house of mice.", False),
        ("i", "mine", False),
        ("i", "Shall I?", True),
        ("50", "In 1950 and 500", False),
        ("50", "the 50th, no: 50", True),
        ("max_connect", "Set max_connections first.", True),
        ("10.0.3.1", "host 10.0.3.1:80", True),
        ("cafe", "Le Café fermé", True),
        ("phone", "新款iPhone手机与Phone", True),
        ("手机", "新款iPhone手机", True),
        ("手机", "徒手，机器", False),
    ],
)
def test_a_word_is_said_where_one_begins_with_it(term: str, text: str, said: bool) -> None:
    assert share_said((term,), searchable(parent("a", text=text))) == float(said)


@pytest.mark.parametrize(
    ("terms", "text", "share"),
    [
        (("nation", "anthem"), "They sang the National Anthem.", 1.0),
        (("battl", "hast"), "The Battle of the Hastings", 1.0),
        (("anthem", "nation"), "They sang the National Anthem.", 0.0),
        (("nation", "anthem"), "National parks are visited by all, and an anthem is sung.", 0.0),
        (("super", "bowl", "50"), "A super idea. Super Bowl is what 50 see.", 1.0),
        (("super", "bowl", "50"), "A super idea. Super Bowl 1950.", 0.5),
        (("huguenot", "descend", "huguenot-descended"), "Huguenot descendants", 1.0),
        (("苹果", "果手", "手机"), "一部苹果手机", 1.0),
        (("苹果", "果手", "手机"), "苹果，果子与手机", 0.0),
        (("苹果",), "苹果", 0.0),
        ((), "苹果", 0.0),
    ],
)
def test_neighbours_among_the_questions_words_are_joined_where_they_stand_close_together(
    terms: tuple[str, ...], text: str, share: float
) -> None:
    assert share_joined(terms, searchable(parent("a", text=text))) == share


def test_nothing_near_enough_is_no_evidence() -> None:
    ranking = rank(
        "capital of Mongolia", [near("a", 0.79), near("b", 0.6)], [word("a", 3.0)], known("a", "b"), 5, FLOORS
    )
    assert (order(ranking), ranking.dropped) == ([], {"unrelated": 2})


def test_one_near_enough_passage_lets_the_others_stay() -> None:
    ranking = rank("capital of Mongolia", [near("a", 0.81), near("b", 0.6)], [], known("a", "b"), 5, FLOORS)
    assert order(ranking) == ["a", "b"]


def test_saying_the_words_makes_a_passage_nearer() -> None:
    parents = {
        "a": parent("a", text="The capital of Mongolia is Ulaanbaatar."),
        "b": parent("b", text="Capital markets"),
    }
    assert order(rank("capital of Mongolia", [near("a", 0.75)], [], parents, 5, FLOORS)) == ["a"]
    assert order(rank("capital of Mongolia", [near("b", 0.75)], [], parents, 5, FLOORS)) == []


def test_each_script_has_its_own_nearness() -> None:
    parents = {"zh": parent("zh", text="员工每年享有十天年假。"), "en": parent("en", text="Ten days of leave.")}
    assert order(rank("首都在哪里？", [near("zh", 0.82)], [], parents, 5, FLOORS)) == []
    assert order(rank("首都在哪里？", [near("zh", 0.6), near("en", 0.72)], [], parents, 5, FLOORS)) == ["en", "zh"]
    assert order(rank("首都在哪里？", [near("zh", 0.6), near("en", 0.69)], [], parents, 5, FLOORS)) == []


def test_where_nothing_is_written_as_the_question_is_every_hit_is_evidence() -> None:
    parents = {"en": parent("en", text="Ten days of leave.")}
    assert order(rank("首都在哪里？", [near("en", 0.41)], [], parents, 5, FLOORS)) == ["en"]
    assert order(rank("首都在哪里？", [near("en", 0.39)], [], parents, 5, FLOORS)) == []


def test_without_the_vector_channel_words_alone_tell() -> None:
    parents = {"a": parent("a", text="capital markets in general")}
    assert order(rank("capital of Mongolia", [], [word("a", 3.0)], parents, 5, FLOORS)) == ["a"]
    assert (
        order(
            rank("what is the capital of the state of Mongolia in Asia today", [], [word("a", 3.0)], parents, 5, FLOORS)
        )
        == []
    )


def test_an_identifier_found_verbatim_is_always_evidence() -> None:
    parents = {"a": parent("a", text="raise E1042 here")}
    assert order(rank("E1042 on the moon", [near("a", 0.5)], [], parents, 5, FLOORS)) == ["a"]


def test_a_model_that_was_not_calibrated_has_no_such_floor() -> None:
    settings = RankingSettings(Calibration(0.45))
    assert order(rank("capital of Mongolia", [near("a", 0.46)], [], known("a"), 5, settings)) == ["a"]


@pytest.mark.parametrize("question", ["???", "。，！", "\x00", "🔥🧯", '{}[]()*:"'])
@pytest.mark.parametrize("settings", [FLOORS, RankingSettings(Calibration(0.45))])
def test_nothing_is_evidence_for_a_question_without_words(question: str, settings: RankingSettings) -> None:
    ranking = rank(question, [near("a", 0.95)], [], known("a"), 5, settings)
    assert (order(ranking), ranking.dropped) == ([], {"unrelated": 1})


@pytest.mark.parametrize("wrong", [{"vector_floor": 2.0}, {"vector_floor": 0.5, "cross_script_floor": -2.0}])
def test_floors_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        Calibration(**wrong)
    with pytest.raises(ValueError):
        RelatedFloors(3.0, 0.0, 0.0)


@given(st.floats(0.5, 1), st.floats(0.5, 1))
def test_a_nearer_passage_is_never_less_related(first: float, second: float) -> None:
    found = [
        bool(order(rank("q of x", [near("a", score)], [], known("a"), 5, FLOORS))) for score in sorted((first, second))
    ]
    assert found[0] <= found[1]
