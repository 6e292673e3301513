"""How near a plan comes to what a public set says of its question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from evals.plans.clinc_kinds import COMPANY, TALK
from evals.plans.public_sets import Asked
from superagent_orchestrator.domain.plan import Mode
from superagent_orchestrator.domain.planning.proposal import PlanDraft

_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
# Words that carry no topic: two wordings of one question differ in them first.
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """a about all also an and any are as at be been being but by can could did do does for from had has have he her him
        his how i if in into is it its just like me my no not of on or our please she should so some tell than that the
        their them then there these they this those to too us was we were what when where which who whose why will with
        would you your""",
    )
)

Planned = Sequence[tuple[Asked, PlanDraft]]


def figures(planned: Planned) -> dict[str, float]:
    """By `half/group/measure`, each 0 to 1, more is better."""
    groups: dict[str, list[tuple[Asked, PlanDraft]]] = {}
    for asked, plan in planned:
        groups.setdefault(f"{asked.half}/{asked.group}", []).append((asked, plan))
    return {
        f"{name}/{measure}": value
        for name, members in sorted(groups.items())
        for measure, value in _measured(members).items()
    }


def _measured(members: Planned) -> Mapping[str, float]:
    first = members[0][0]
    if first.kind is not None:
        return {"routed": _mean(_ROUTES.get(asked.kind or "", _without_knowledge)(plan) for asked, plan in members)}
    if first.completed is not None:
        return _completion(members)
    return _clarification(members)


def _clarification(members: Planned) -> Mapping[str, float]:
    asked_back = [asked.unclear for asked, plan in members if plan.mode is Mode.CLARIFY]
    unclear = sum(bool(asked.unclear) for asked, _ in members)
    hits = sum(map(bool, asked_back))
    return {
        "precision": hits / len(asked_back) if asked_back else 1.0,
        "recall": hits / unclear,
        "answered": 1 - (len(asked_back) - hits) / (len(members) - unclear),
    }


def _completion(members: Planned) -> Mapping[str, float]:
    """f1: content words of the completion beside a person's. floor_f1: of the question as it was asked. recovered: of the
    content words that the person added, those that the completion has too. exact: word for word."""
    rows = []
    for asked, plan in members:
        gold, given, made = map(content, (asked.completed or "", asked.question, plan.rewritten_question))
        added = gold - given
        rows.append(
            {
                "f1": f1(gold, made),
                "floor_f1": f1(gold, given),
                "recovered": (added & made).total() / added.total() if added else None,
                "exact": float(_plain(plan.rewritten_question) == _plain(asked.completed or "")),
                "unharmed": float(not (gold & given) - made),
            }
        )
    return {
        name: _mean(row[name] for row in rows if row[name] is not None)  # type: ignore[misc]
        for name in ("f1", "floor_f1", "recovered", "exact", "unharmed")
    }


def content(text: str) -> Counter[str]:
    """Words that carry a topic, in the singular as far as an `s` makes the plural."""
    words = (word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))
    return Counter(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words if word not in _EMPTY)


def f1(wanted: Counter[str], said: Counter[str]) -> float:
    """Of two bags of words, 1 when both are empty."""
    if not (wanted or said):
        return 1.0
    both = (wanted & said).total()
    return 2 * both / (wanted.total() + said.total())


def _plain(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _without_knowledge(plan: PlanDraft) -> bool:
    return not plan.use_knowledge and plan.mode in (Mode.DIRECT, Mode.REACT_AGENT)


_ROUTES: dict[str, Callable[[PlanDraft], bool]] = {
    TALK: lambda plan: plan.mode is Mode.DIRECT,
    COMPANY: lambda plan: plan.mode is Mode.RAG_CHAT and plan.use_knowledge,
}


def _mean(values: object) -> float:
    found = [float(value) for value in values]  # type: ignore[attr-defined]
    return sum(found) / len(found) if found else 0.0
