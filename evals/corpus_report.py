"""The table of what became of each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evals.corpus_index import Row, Seen

_COLUMNS = ("file", "state", "reason", "blocks", "headings", "tables", "pages", "seconds", "agrees")


@dataclass(frozen=True, slots=True)
class Outcome:
    """counts: blocks, headings, tables and pages, as the document's parse stage states them; empty when it failed."""

    row: Row
    seen: Seen
    seconds: float
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        return self.seen in self.row.allowed

    def cells(self) -> tuple[str, ...]:
        counts = (str(self.counts[name]) if name in self.counts else "" for name in _COLUMNS[3:7])
        verdict = "NO" if not self.agrees else "by ruling" if self.row.ruling else "yes"
        return (self.row.path, self.seen.state, self.seen.reason, *counts, f"{self.seconds:.1f}", verdict)

    def line(self) -> str:
        """For the terminal, while it runs."""
        counts = ", ".join(f"{value} {name}" for name, value in self.counts.items() if value)
        verdict = "" if self.agrees else f"   EXPECTED {self.row.expected}"
        return f"{self.row.path:<48} {self.seen!s:<22} {self.seconds:6.1f} s  {counts}{verdict}"


def summary(outcomes: Sequence[Outcome]) -> str:
    """One paragraph: how many, and each that disagrees."""
    wrong = [outcome for outcome in outcomes if not outcome.agrees]
    ruled = sum(outcome.agrees and outcome.row.ruling is not None for outcome in outcomes)
    lines = [f"{len(outcomes)} files, {len(outcomes) - len(wrong)} end as expected ({ruled} of them by a ruling)."]
    lines += [f"  {outcome.row.path}: {outcome.seen}, expected {outcome.row.expected}" for outcome in wrong]
    return "\n".join(lines)


def report(outcomes: Sequence[Outcome], embedder: str, tools: str) -> str:
    """The whole page, Markdown. `embedder` says where the vectors came from, `tools` what helped the parser."""
    table = ["| " + " | ".join(_COLUMNS) + " |", "| --- | --- | --- |" + " ---: |" * 5 + " --- |"]
    table += ["| " + " | ".join(outcome.cells()) + " |" for outcome in outcomes]
    rulings = [
        f"- `{outcome.row.path}`: the index expects {outcome.row.expected}. {outcome.row.ruling.why}"
        for outcome in outcomes
        if outcome.row.ruling
    ]
    return "\n".join(
        [
            "# Documents that others wrote",
            "",
            "Every file of a corpus of real documents, uploaded over HTTP to the embedded fleet, two at once, the largest",
            f"first, with {embedder}; written by `make corpus CORPUS=<folder>`. Seconds are from the first byte sent",
            "until READY or FAILED, on 2 cores that others use too. Blocks, headings, tables and pages are what the",
            "document's parse stage states (`GET /api/v1/documents/{id}`); pages are also the slides of a presentation,",
            f"and 0 where the format has none. On this machine: {tools}.",
            "",
            summary(outcomes),
            "",
            *table,
            "",
            *(["## Where the index is read otherwise", "", *rulings, ""] if rulings else []),
        ]
    )
