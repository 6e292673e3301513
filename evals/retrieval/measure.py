"""Asks a set's questions and turns what came back into figures."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.retrieval.metrics import Ranks, figures, ranks_of
from evals.retrieval.service import Searching
from evals.retrieval.sets import Question, QuestionSet

_SEARCHES_AT_ONCE = 4
CHANNELS = ("vector", "keyword", "outline", "fused")


@dataclass
class Group:
    """Questions that are counted together. ranks: by channel, one per answered question. kept: answered questions for
    which anything was returned. refused: unanswered questions for which nothing was."""

    ranks: dict[str, list[Ranks]] = field(default_factory=lambda: defaultdict(list))
    answered: int = 0
    kept: int = 0
    unanswered: int = 0
    refused: int = 0

    def figures(self) -> dict[str, float]:
        """`fused/recall@1` …, and `refusal/kept`, `refusal/refused` where there are unanswered questions."""
        found = {
            f"{channel}/{name}": value
            for channel in CHANNELS
            if channel in self.ranks
            for name, value in figures(self.ranks[channel]).items()
        }
        if self.unanswered:
            found["refusal/refused"] = self.refused / self.unanswered
        if self.answered:
            found["refusal/kept"] = self.kept / self.answered
        return found


async def measured(questions: QuestionSet, searching: Mapping[str, Searching]) -> dict[str, Group]:
    """The set's groups, in the order of its questions; `searching` by the name of the corpus. Raises grpc.RpcError."""
    gate = asyncio.Semaphore(_SEARCHES_AT_ONCE)
    groups: dict[str, Group] = {question.group: Group() for question in questions.questions}

    async def one(question: Question) -> None:
        async with gate:
            results = await searching[question.corpus].ask(question)
        group = groups[question.group]
        if not question.gold:
            group.unanswered += 1
            group.refused += not results["fused"]
            return
        group.answered += 1
        group.kept += bool(results["fused"])
        channels = CHANNELS if question.use_outline else tuple(name for name in CHANNELS if name != "outline")
        for channel in channels:
            group.ranks[channel].append(ranks_of(question.gold, results.get(channel, [])))

    await asyncio.gather(*map(one, questions.questions))
    return groups
