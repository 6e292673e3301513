"""The quick form of `make eval`: a few documents of the own set through the fleet, and their figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dev.fleet import Fleet
from evals.retrieval.accepted import accept, compared, read_accepted
from evals.retrieval.own_set import own
from evals.retrieval.report import table
from evals.retrieval.run import evaluate
from evals.retrieval.sets import Corpus, QuestionSet

ARTICLES = ("Laboratory rules", "茶厂工艺", "Sailing club statutes")


def quick() -> QuestionSet:
    whole = own()
    articles = tuple(article for article in whole.corpora[0].articles if article.title in ARTICLES)
    corpus = Corpus(whole.corpora[0].name, articles)
    keys = {passage.key for passage in corpus.passages}
    return replace(
        whole, corpora=(corpus,), questions=tuple(each for each in whole.questions if set(each.gold) <= keys)
    )


async def test_the_own_set_is_found_in_both_languages_and_nothing_for_what_is_not_there(
    fleet_with_model: Fleet, tmp_path: Path
) -> None:
    said: list[str] = []
    door = {
        "base_url": fleet_with_model.base_url,
        "retrieval_address": fleet_with_model.environment["RETRIEVAL_ADDRESS"],
        "password": "a long enough password",
    }
    run, groups = await evaluate(quick(), "paragraphs", 1, **door, say=said.append)
    assert "own: 7 documents, 0 of them there already" in said

    figures = run.figures
    for group in ("zh", "en"):
        for channel in ("vector", "keyword", "fused"):
            assert figures[f"{group}/{channel}/recall@5"] >= 0.8, (group, channel)
        assert figures[f"{group}/fused/recall@1"] >= 0.8
        assert figures[f"{group}/refusal/refused"] >= 0.7
        assert figures[f"{group}/refusal/kept"] == 1
    for group in ("zh→en", "en→zh"):
        assert figures[f"{group}/vector/recall@5"] >= 0.6 > figures[f"{group}/keyword/recall@1"]
    assert figures["outline/outline/recall@5"] >= 0.8 and figures["outline/fused/recall@5"] >= 0.9
    assert "  zh                 fused" in table(run.subset, groups)

    # Again: nothing is uploaded, and the same figures are no drop beside what was accepted.
    accept([run], tmp_path / "accepted.json")
    again, _ = await evaluate(quick(), "paragraphs", 1, **door, say=said.append)
    assert "own: 7 documents, 7 of them there already" in said
    comparison = compared(again, read_accepted(tmp_path / "accepted.json"))
    assert (comparison.refused, comparison.dropped, comparison.gained) == ("", {}, {})
