"""What a turn costs: CPU in the fleet's own processes, turns per second, time to the first token; beside a bare relay
and LangGraph with a checkpointer.

    python -m bench.turns [--rounds 3] [--data DIRECTORY]

The whole fleet runs as `make run` does it, with accounts, limits, traces, storage and events; the model is the scripted
one in a process of its own, without delay, 100 deltas an answer. Turns without knowledge ask for the mode DIRECT. Deltas
that come within 30 ms travel as one event, so what an event costs is found by runs whose model speaks every 40 ms.
About three minutes; a first run makes the embedder's files as well, and installs LangGraph into `build/`.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from bench.beside import Beside, langgraph, langgraph_figures
from bench.load import Answers, Stream, stream
from bench.processes import INFRASTRUCTURE, CpuClock, helper_process, total
from bench.report import Figure, median, percentile, progress, show
from dev.api_client import ApiClient
from dev.fleet import Fleet, fleet
from dev.grouping import ROOT

CPU_MS, CPU_MS_PER_EVENT = 25.0, 0.5
TURNS_PER_SECOND = 30.0
FIRST_TOKEN_MS = 25.0

PEOPLE = 10
DELTAS = 100
ALONE, AT_20, AT_50, SPACED = 25, 60, 250, 20
"""Turns of each kind in a round."""
SPACING_SECONDS = 0.04
SPACED_DELTAS = (5, 25, 50)
SPACED_AT_ONCE = 10
SETTLE_SECONDS = 1.5
"""Until the spans and events of the last turns have been taken in: they belong to what a turn costs."""
IDLE_SECONDS = 5.0
OWN = ("edge", "ingestion", "worker")

_SENTENCE = "The deposit is paid back within fourteen days [1]. "
_ANSWER = (_SENTENCE * 10)[:400]
_FOLLOW_UPS = '{"questions":["Who pays the deposit?","When is it due?","How is it paid back?"]}'
_SAMPLES = ("travel-policy.zh.md", "doorlock-faq.zh.txt", "storage-runbook.en.html")
_QUESTION = "What does the runbook say about backups?"

# No limit of a person's rate is in the way of ten people who ask thousands of questions.
UNLIMITED = {
    "GATEWAY_REGISTRATIONS_PER_10_MINUTES": "1000000",
    "GATEWAY_LOGINS_PER_MINUTE": "1000000",
    "GATEWAY_CHATS_PER_MINUTE": "1000000",
}


@dataclass
class Measured:
    """All rounds of one kind of load."""

    first_ms: list[float] = field(default_factory=list)
    whole_ms: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)
    cpu_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By process: CPU-ms a turn, of each round."""
    events: list[float] = field(default_factory=list)

    def add(self, answers: Answers, used: dict[str, float]) -> None:
        self.first_ms += answers.first_ms
        self.whole_ms += answers.whole_ms
        self.per_second.append(answers.per_second)
        self.events.append(statistics.mean(answers.events))
        for name, milliseconds in {**used, "client": answers.cpu_ms}.items():
            self.cpu_ms[name].append(milliseconds / len(answers.whole_ms))

    def cpu(self, *names: str) -> float:
        """CPU-ms a turn in these processes: the median of the rounds."""
        return median([sum(round_) for round_ in zip(*(self.cpu_ms[name] for name in names), strict=True)])


class Rig:
    """The fleet, the relay and the model, and the loads on them."""

    def __init__(self, running: Fleet, relay: tuple[int, str], model: tuple[int, str]) -> None:
        self._model_url = model[1]
        self.clock = CpuClock({**running.pids, "model": model[0], "relay": relay[0]})
        body = {"message": _QUESTION, "mode": "DIRECT"}
        self.turn = Stream(
            f"{running.base_url}/api/v1/chat", (), body, 0, 1, "event: delta\n", "event: ", "event: done\n"
        )
        self.relay = replace(self.turn, url=f"{relay[1]}/chat", headers=({},), body={"message": _QUESTION})
        asked = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": _QUESTION}]}
        self.model = Stream(
            f"{model[1]}/chat/completions", ({},), asked, 0, 1, '"content":', '"content":', "data: [DONE]"
        )

    async def sign_up(self, base_url: str) -> None:
        """People who ask in turn, each with the samples as an own document."""
        headers = []
        for number in range(PEOPLE):
            async with ApiClient(base_url) as person:
                await person.sign_up()
                headers.append({"authorization": person.http.headers["authorization"]})
                name = _SAMPLES[number % len(_SAMPLES)]
                uploaded = await person.upload_file(ROOT / "dev" / "samples" / name, is_public=True)
                if number < len(_SAMPLES):
                    await person.settled(uploaded)
        self.turn = replace(self.turn, headers=headers)

    async def say(self, deltas: int, spacing_seconds: float = 0.0) -> None:
        """Has the model answer in `deltas` pieces, `spacing_seconds` apart."""
        follow_ups = {"purpose": "follow_ups", "reply": {"text": _FOLLOW_UPS}}
        answer = {"text": _ANSWER, "deltas": deltas, "delay_seconds": spacing_seconds}
        async with httpx.AsyncClient(trust_env=False) as client:
            script = f"{self._model_url.removesuffix('/v1')}/_script"
            (await client.post(script, json={"rules": [follow_ups], "default": answer})).raise_for_status()

    async def run(self, load: Stream, requests: int, concurrent: int, into: Measured) -> None:
        """One round of a load, with all that follows from it."""
        self.clock.start()
        answers = await stream(replace(load, requests=requests, concurrent=concurrent))
        await asyncio.sleep(SETTLE_SECONDS)
        into.add(answers, self.clock.used())


async def measure(data: Path, rounds: int) -> list[Figure]:
    async with (
        helper_process("tests.support.scripted_model") as model,
        helper_process("bench.relay", model[1]) as relay,
        langgraph(model[1]) as graph,
        fleet(
            data,
            # Rules plan: what a planning call adds is a call of the model, which is the model's time.
            environment={
                **UNLIMITED,
                "LLM_MODEL": "scripted",
                "LLM_API_BASE": model[1],
                "LLM_API_KEY": "bench",
                "ORCHESTRATOR_PLANNER": "rules",
            },
        ) as running,
    ):
        rig = Rig(running, relay, model)
        await rig.say(DELTAS)
        progress("people sign up, documents are read")
        await rig.sign_up(running.base_url)
        knowing = replace(rig.turn, body={"message": _QUESTION, "mode": "RAG_CHAT"})
        kinds = {
            "turn alone": (rig.turn, ALONE, 1),
            "relay alone": (rig.relay, ALONE, 1),
            "model alone": (rig.model, ALONE, 1),
            "turn at 20": (rig.turn, AT_20, 20),
            "relay at 20": (rig.relay, AT_20, 20),
            "model at 20": (rig.model, AT_20, 20),
            "turn at 50": (rig.turn, AT_50, 50),
            "relay at 50": (rig.relay, AT_50, 50),
            "knowing alone": (knowing, ALONE, 1),
            "knowing at 20": (knowing, AT_20, 20),
        }
        for load in (rig.turn, rig.relay, rig.model, knowing):
            await rig.run(load, 50, 10, Measured())
        progress(f"idle for {IDLE_SECONDS:.0f} s")
        await rig.clock.measure_idle(IDLE_SECONDS)
        spans = _spans_stored(data)
        measured: dict[str, Measured] = defaultdict(Measured)
        graph_alone, graph_at_50 = Beside(), Beside()
        if graph:
            await graph.run(50, 10, Beside())
        for number in range(rounds):
            for name, (load, requests, concurrent) in kinds.items():
                progress(f"round {number + 1} of {rounds}: {name}")
                await rig.run(load, requests, concurrent, measured[name])
            if graph:
                progress(f"round {number + 1} of {rounds}: LangGraph")
                await graph.run(ALONE, 1, graph_alone)
                await graph.run(AT_50, 50, graph_at_50)
            for deltas in SPACED_DELTAS:
                progress(f"round {number + 1} of {rounds}: {deltas} spaced deltas")
                await rig.say(deltas, SPACING_SECONDS)
                await rig.run(rig.turn, SPACED, SPACED_AT_ONCE, measured[f"turn, {deltas} spaced"])
                await rig.run(rig.relay, SPACED, SPACED_AT_ONCE, measured[f"relay, {deltas} spaced"])
            await rig.say(DELTAS)
        turns = sum(len(m.whole_ms) for name, m in measured.items() if not name.startswith(("relay", "model")))
        figures = _figures(measured, rig.clock.idle, (_spans_stored(data) - spans) / turns)
        return figures + langgraph_figures(graph_alone, graph_at_50)


def _figures(measured: dict[str, Measured], idle: dict[str, float], spans: float) -> list[Figure]:
    alone, at_50, knowing = measured["turn alone"], measured["turn at 50"], measured["knowing alone"]
    relayed, relayed_at_50 = measured["relay alone"], measured["relay at 50"]
    spaced, relayed_spaced = (
        [measured[f"{who}, {deltas} spaced"] for deltas in SPACED_DELTAS] for who in ("turn", "relay")
    )
    events, most_events = median(alone.events), median(spaced[-1].events)

    def added(who: str, how: str, of: Callable[[list[float]], float] = median) -> float:
        return of(measured[f"{who} {how}"].first_ms) - of(measured[f"model {how}"].first_ms)

    def p95(values: list[float]) -> float:
        return percentile(values, 95)

    figures = [
        Figure("turn, alone: own processes", alone.cpu(*OWN), "CPU-ms", relayed.cpu("relay"), _allowed(events)),
        Figure("turn, 50 at once: own processes", at_50.cpu(*OWN), "CPU-ms", relayed_at_50.cpu("relay")),
        Figure("turn with knowledge, alone: own processes", knowing.cpu(*OWN), "CPU-ms"),
        Figure("turn with knowledge, 20 at once: own", measured["knowing at 20"].cpu(*OWN), "CPU-ms"),
        Figure(
            f"turn of {most_events:.0f} events, {SPACED_AT_ONCE} at once: own",
            spaced[-1].cpu(*OWN),
            "CPU-ms",
            relayed_spaced[-1].cpu("relay"),
            at_most=_allowed(most_events),
        ),
        Figure(
            "event more: own processes",
            _slope(spaced, OWN),
            "CPU-ms",
            _slope(relayed_spaced, ("relay",)),
            at_most=CPU_MS_PER_EVENT,
        ),
        Figure("events of a turn with 100 deltas at once", events),
        Figure("spans stored per turn", spans),
    ]
    apart = {
        "  apart, alone: infrastructure": (alone, INFRASTRUCTURE),
        "  apart, alone: scripted model": (alone, ("model",)),
        "  apart, alone: client": (alone, ("client",)),
        "  apart, with knowledge: retrieval, embedder": (knowing, ("retrieval",)),
        "  apart, with knowledge: infrastructure": (knowing, INFRASTRUCTURE),
    }
    figures += [Figure(name, kind.cpu(*names), "CPU-ms") for name, (kind, names) in apart.items()]
    figures += [
        Figure("  idle, own processes", total(idle, OWN), "CPU-ms/s"),
        Figure("  idle, retrieval", total(idle, ("retrieval",)), "CPU-ms/s"),
        Figure("  idle, infrastructure", total(idle, INFRASTRUCTURE), "CPU-ms/s"),
        Figure(
            "turns per second, 50 at once",
            median(at_50.per_second),
            "",
            median(relayed_at_50.per_second),
            at_least=TURNS_PER_SECOND,
        ),
        Figure("turns with knowledge per second, 20 at once", median(measured["knowing at 20"].per_second)),
        Figure("first token added, alone: p50", added("turn", "alone"), "ms", added("relay", "alone"), FIRST_TOKEN_MS),
        Figure("first token added, alone: p95", added("turn", "alone", p95), "ms", added("relay", "alone", p95)),
        Figure("first token added, 20 at once: p50", added("turn", "at 20"), "ms", added("relay", "at 20")),
        Figure("first token added, 20 at once: p95", added("turn", "at 20", p95), "ms", added("relay", "at 20", p95)),
        Figure("whole turn, alone: p50", median(alone.whole_ms), "ms", median(relayed.whole_ms)),
    ]
    return figures


def _allowed(events: float) -> float:
    """CPU-ms that a turn may take."""
    return CPU_MS + CPU_MS_PER_EVENT * events


def _slope(runs: list[Measured], names: tuple[str, ...]) -> float:
    """CPU-ms of one event more: least squares over the rounds of runs with few and many events."""
    points = [
        (events, sum(run.cpu_ms[name][number] for name in names))
        for run in runs
        for number, events in enumerate(run.events)
    ]
    return statistics.linear_regression([events for events, _ in points], [cpu for _, cpu in points]).slope


def _spans_stored(data: Path) -> int:
    with closing(sqlite3.connect(data / "databases" / "trace.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM spans").fetchone()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="data folder of the fleet; a temporary one if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary)).absolute()
        show("Turns", asyncio.run(measure(data, options.rounds)))


if __name__ == "__main__":
    main()
