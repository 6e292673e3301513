"""The measuring of planners on public sets: what is read, counted, and held against what was accepted."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from evals.plans import __main__ as eval_plans
from evals.plans.accepted import ACCEPTED, accept, compared, read_accepted, run_of
from evals.plans.cases import planning_input
from evals.plans.public import judged, measured
from evals.plans.public_sets import PUBLIC, Asked, clinc, gecor, mtrag, mtragun
from evals.plans.scores import content, f1, figures
from superagent_orchestrator.adapters.rule_planner import RulePlanner
from superagent_orchestrator.domain.planning.rules import plan_by_rules


def lines(path: Path, *rows: object) -> None:
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Each set with a question or two."""
    user, agent = (lambda text: {"speaker": "user", "text": text}), (lambda text: {"speaker": "agent", "text": text})
    lines(
        tmp_path / "mtragun_reference.jsonl",
        {"conversation_id": "a", "answerability": ["UNDERSPECIFIED"], "input": [user("How old is the actor?")]},
        {
            "conversation_id": "a",
            "answerability": ["ANSWERABLE"],
            "input": [user("What is MinIO?"), agent("A store."), user("How do I install it?")],
        },
    )
    for collection in ("clapnq", "cloud", "fiqa", "govt"):
        asked = "|user|: What is MinIO?\n|user|: How do I install it?"
        lines(tmp_path / f"mtrag_{collection}_questions.jsonl", {"_id": "b<::>2", "text": asked})
        lines(
            tmp_path / f"mtrag_{collection}_rewrite.jsonl", {"_id": "b<::>2", "text": "|user|: How do I install MinIO?"}
        )
    said = {
        "usr": "A Korean restaurant please",
        "complete": "",
        "ellipsis": "",
        "coref": "",
        "sys": "Little Seoul is good.",
    }
    then = {
        "usr": "Its address?",
        "complete": "Address of Little Seoul?",
        "ellipsis": "Address?",
        "coref": "Its address?",
        "sys": "",
    }
    (tmp_path / "camrest_gecor.json").write_text(json.dumps([[said, then]]), "utf-8")
    parts = {f"{oos}{part}": [] for part in ("train", "val", "test") for oos in ("", "oos_")}
    parts |= {
        "val": [["hello there", "greeting"]],
        "oos_test": [["who invented ink", "oos"]],
        "test": [["x", "balance"]],
    }
    (tmp_path / "clinc150_small.json").write_text(json.dumps(parts), "utf-8")
    return tmp_path


def test_each_set_is_read_with_its_history_and_what_is_known(data: Path) -> None:
    first, second = mtragun(data)
    assert (first.unclear, first.history, second.unclear) == (True, (), False)
    assert [(turn.question, turn.answer) for turn in second.history] == [("What is MinIO?", "A store.")]
    assert first.half == second.half, "a conversation is not divided"
    assert [(each.question, each.completed) for each in mtrag(data)] == [
        ("How do I install it?", "How do I install MinIO?")
    ] * 4
    assert [(each.group, each.question) for each in gecor(data)] == [
        ("ellipsis", "Address?"),
        ("coreference", "Its address?"),
    ]
    assert [(each.half, each.kind) for each in clinc(data)] == [("seen", "talk"), ("unseen", "out_of_scope")]


def test_figures_count_what_a_plan_says() -> None:
    def planned(asked: Asked) -> tuple[Asked, object]:
        return asked, plan_by_rules(planning_input(asked.question, asked.history))

    unclear = Asked("seen", "x", "How old is the actor?", (), unclear=True)
    rows = [
        planned(unclear),
        planned(replace(unclear, unclear=False)),
        planned(replace(unclear, question="What is X?")),
    ]
    assert figures(rows) == {"seen/x/precision": 0.5, "seen/x/recall": 0.5, "seen/x/answered": 0.0}  # type: ignore[arg-type]
    told = replace(unclear, question="What is MinIO?", unclear=None, completed="What is MinIO storage?")
    assert figures([planned(told)]) == {  # type: ignore[list-item]
        "seen/x/f1": pytest.approx(2 / 3),
        "seen/x/floor_f1": pytest.approx(2 / 3),
        "seen/x/recovered": 0.0,
        "seen/x/exact": 0.0,
        "seen/x/unharmed": 1.0,
    }
    assert f1(content("The phone numbers"), content("its phone number?")) == 1.0


def test_a_drop_is_told_and_floors_and_other_questions_are_not_compared() -> None:
    asked = [Asked("seen", "x", "?", (), kind="talk")]
    before = run_of("set", "rules", 1, asked, {"seen/x/f1": 0.5, "seen/x/floor_f1": 0.9})
    now = replace(before, figures={"seen/x/f1": 0.49, "seen/x/floor_f1": 0.1})
    assert dict(compared(now, [before]).dropped) == {"seen/x/f1": (0.5, 0.49)}
    assert not compared(replace(now, figures={"seen/x/f1": 0.4951}), [before]).dropped
    assert dict(compared(replace(now, figures={}), [before]).dropped) == {"seen/x/f1": (0.5, None)}
    assert "other questions" in compared(replace(now, digest="other"), [before]).refused
    assert "yet" in compared(replace(now, planner="a-model"), [before]).refused


async def test_figures_are_accepted_and_a_drop_ends_with_1(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "accepted.json"
    accept([], path)
    runs = await measured(data, (), 1, {"rules": RulePlanner()})
    assert judged(runs, accepting=True, path=path) == judged(runs, accepting=False, path=path) == 0
    assert {run.set for run in read_accepted(path)} == set(PUBLIC)
    accept([replace(run, figures=dict.fromkeys(run.figures, 2.0)) for run in runs], path)
    assert judged(runs, accepting=False, path=path) == 1
    assert "DROPPED" in capsys.readouterr().out
    (data / "camrest_gecor.json").unlink()
    assert judged(await measured(data, ["gecor"], 1, {"rules": RulePlanner()}), accepting=False, path=path) == 2
    assert "not run" in capsys.readouterr().out


def test_the_command_takes_a_folder_without_a_model(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("LLM_MODEL", raising=False)
    monkeypatch.setattr(sys, "argv", ["eval-plans", str(data), "--sets", "gecor"])
    assert eval_plans.main() == 0
    assert "planned by rules" in capsys.readouterr().out
    (data / "camrest_gecor.json").write_text("[[{}]]", "utf-8")
    assert eval_plans.main() == 2


def test_what_is_accepted_here_can_be_read() -> None:
    assert {(run.set, run.planner) for run in read_accepted(ACCEPTED)} >= {(name, "rules") for name in PUBLIC}
