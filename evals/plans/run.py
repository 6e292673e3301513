"""Plans every case with a planner and counts, per kind, how many plans say what was expected."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evals.plans.cases import Case, planning_input, shipped_skills
from evals.plans.public_sets import Asked
from superagent_orchestrator.domain.plan import PlannerKind
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningUsage
from superagent_orchestrator.ports import Planner

_AT_ONCE = 8

Judge = Callable[[Case, PlanDraft], list[str]]


@dataclass
class Outcome:
    """What a planner made of the cases. `wrong` holds each failed case with what it missed."""

    right: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrong: dict[str, list[tuple[Case, list[str]]]] = field(default_factory=lambda: defaultdict(list))
    by: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Plans by who spoke: a planner's kind, with the cause where it stood in for another."""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def score(self, kind: str) -> float:
        """Share of right plans, 0 to 1."""
        right, wrong = self.right[kind], len(self.wrong[kind])
        return right / (right + wrong)

    @property
    def whole(self) -> float:
        """Share of right plans over all kinds."""
        right = sum(self.right.values())
        return right / (right + sum(map(len, self.wrong.values())))

    def add(self, case: Case, plan: PlanDraft, missed: list[str]) -> None:
        if missed:
            self.wrong[case.kind].append((case, missed))
        else:
            self.right[case.kind] += 1
        spoke = plan.planner
        self.by[f"{spoke.kind} ({spoke.fallback_cause})" if spoke.fallback_cause else spoke.kind] += 1
        self._pay(plan.usage)

    def _pay(self, usage: PlanningUsage) -> None:
        self.calls += usage.model_calls
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cost += usage.cost

    @property
    def model_spoke(self) -> int:
        """Plans that a model made."""
        return self.by[PlannerKind.MODEL]


async def evaluate(planner: Planner, cases: Sequence[Case], judge: Judge) -> Outcome:
    """Plans the cases with the shipped skills, several at once."""
    outcome, skills, turns = Outcome(), shipped_skills(), asyncio.Semaphore(_AT_ONCE)

    async def one(case: Case) -> PlanDraft:
        async with turns:
            return await planner.plan(planning_input(case.question, case.history, skills=skills))

    for case, plan in zip(cases, await asyncio.gather(*map(one, cases)), strict=True):
        outcome.add(case, plan, judge(case, plan))
    return outcome


async def plan_public(planner: Planner, asked: Sequence[Asked]) -> list[tuple[Asked, PlanDraft]]:
    """Plans the questions of a public set, several at once."""
    skills, turns = shipped_skills(), asyncio.Semaphore(_AT_ONCE)

    async def one(each: Asked) -> PlanDraft:
        async with turns:
            return await planner.plan(planning_input(each.question, each.history, skills=skills))

    return list(zip(asked, await asyncio.gather(*map(one, asked)), strict=True))


def table(outcomes: dict[str, Outcome]) -> str:
    """Per kind the number of cases and each planner's share of right plans."""
    kinds = sorted({kind for outcome in outcomes.values() for kind in (*outcome.right, *outcome.wrong)})
    first = next(iter(outcomes.values()))
    lines = [f"{'kind':<24}{'cases':>6}" + "".join(f"{name:>10}" for name in outcomes)]
    for kind in kinds:
        cases = first.right[kind] + len(first.wrong[kind])
        lines.append(f"{kind:<24}{cases:>6}" + "".join(f"{o.score(kind):>10.1%}" for o in outcomes.values()))
    cases = sum(first.right.values()) + sum(map(len, first.wrong.values()))
    lines.append(f"{'all':<24}{cases:>6}" + "".join(f"{outcome.whole:>10.1%}" for outcome in outcomes.values()))
    return "\n".join(lines)
