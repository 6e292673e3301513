"""Public question sets that say what a plan must do: ask back, complete, route. Read from their files as published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evals.plans.clinc_kinds import KINDS, OUT_OF_SCOPE
from superagent_orchestrator.domain.plan import PastTurn

Half = Literal["seen", "unseen"]
_USER = "|user|:"
_MTRAG = ("clapnq", "cloud", "fiqa", "govt")


@dataclass(frozen=True)
class Asked:
    """A question in its conversation, and what is known of its right plan; one of the last three is given.

    half: rules may be made by looking at `seen` questions; `unseen` ones only measure. Conversations are not divided.
    group: what is counted together. completed: the question as a person completed it. unclear: whether it says too
    little to be answered. kind: of CLINC150, which decides the route.
    """

    half: Half
    group: str
    question: str
    history: tuple[PastTurn, ...]
    completed: str | None = None
    unclear: bool | None = None
    kind: str | None = None


def mtragun(folder: Path) -> list[Asked]:
    """The last questions of human conversations; underspecified ones need a question back, the others do not."""
    found = []
    for task in _lines(folder / "mtragun_reference.jsonl"):
        *before, last = task["input"]
        found.append(
            Asked(
                _half(task["conversation_id"]),
                "mtragun",
                last["text"],
                tuple(_exchanges(before)),
                unclear=task["answerability"] == ["UNDERSPECIFIED"],
            )
        )
    return found


def mtrag(folder: Path) -> list[Asked]:
    """Later turns of human conversations, of which only the questions are published, and what people made of them."""
    found = []
    for collection in _MTRAG:
        asked, completed = (
            {line["_id"]: line["text"] for line in _lines(folder / f"mtrag_{collection}_{part}.jsonl")}
            for part in ("questions", "rewrite")
        )
        for key, text in asked.items():
            *before, last = (part.strip() for part in text.split(_USER)[1:])
            if before:
                history = tuple(PastTurn(f"turn-{place}", question, "") for place, question in enumerate(before))
                gold = completed[key].replace(_USER, "").strip()
                found.append(Asked(_half(key.partition("<")[0]), "mtrag", last, history, completed=gold))
    return found


def gecor(folder: Path) -> list[Asked]:
    """What people say to a restaurant guide, shortened or with pronouns, and the same said in full."""
    found = []
    for number, dialogue in enumerate(json.loads((folder / "camrest_gecor.json").read_text("utf-8"))):
        history: tuple[PastTurn, ...] = ()
        for place, turn in enumerate(dialogue):
            for group, name in (("ellipsis", "ellipsis"), ("coreference", "coref")):
                if history and turn[name] and turn[name] != turn["complete"]:
                    half = _half(f"gecor-{number}")
                    found.append(Asked(half, group, turn[name], history, completed=turn["complete"]))
            history = (*history, PastTurn(f"turn-{place}", turn["usr"], turn["sys"]))
    return found


def clinc(folder: Path) -> list[Asked]:
    """Everyday requests in one sentence, of the intents that `clinc_kinds` gives a route, and of none."""
    data: dict[str, list[tuple[str, str]]] = json.loads((folder / "clinc150_small.json").read_text("utf-8"))
    found = []
    for part, half in (("val", "seen"), ("test", "unseen")):
        for question, intent in (*data[part], *data[f"oos_{part}"]):
            kind = OUT_OF_SCOPE if intent == "oos" else KINDS.get(intent)
            if kind is not None:
                found.append(Asked("seen" if half == "seen" else "unseen", kind, question, (), kind=kind))
    return found


PUBLIC: dict[str, tuple[Callable[[Path], list[Asked]], tuple[str, ...]]] = {
    "mtragun": (mtragun, ("mtragun_reference.jsonl",)),
    "mtrag": (mtrag, tuple(f"mtrag_{name}_{part}.jsonl" for name in _MTRAG for part in ("questions", "rewrite"))),
    "gecor": (gecor, ("camrest_gecor.json",)),
    "clinc": (clinc, ("clinc150_small.json",)),
}
"""By name: how a set is read, and the files it needs."""


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _exchanges(said: list[dict[str, str]]) -> Iterator[PastTurn]:
    """Questions with the answers behind them."""
    for place in range(0, len(said) - 1, 2):
        yield PastTurn(f"turn-{place}", said[place]["text"], said[place + 1]["text"])


def _half(conversation: str) -> Half:
    return "seen" if hashlib.sha256(conversation.encode()).digest()[0] % 2 else "unseen"
