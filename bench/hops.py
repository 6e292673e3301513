"""Where the CPU of a turn goes: a process for each service, and what each of them uses for a turn and for an event more.

    python -m bench.hops [--rounds 3] [--data DIRECTORY]

The same turns as `bench.turns` (mode DIRECT, everything on, a scripted model without delay), with `PROCESSES=separate`:
what services share in one process when grouped, an event loop and its wake-ups, each of them has here for itself, so the
sum is above a grouped turn. Events are counted by runs whose model speaks every 40 ms, ten turns at once. Two minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path

from bench.load import stream
from bench.processes import INFRASTRUCTURE, CpuClock, helper_process
from bench.report import Figure, median, progress, show
from bench.turns import DELTAS, SPACED_AT_ONCE, SPACING_SECONDS, UNLIMITED, Rig
from dev.fleet import fleet
from dev.grouping import SERVICES

TURNS, AT_ONCE = 60, 10
FEW, MANY = 5, 50
"""Spaced deltas of the turns whose difference is the cost of an event."""
SETTLE_SECONDS = 1.5
IDLE_SECONDS = 4.0


async def measure(data: Path, rounds: int) -> list[Figure]:
    async with (
        helper_process("tests.support.scripted_model") as model,
        helper_process("bench.relay", model[1]) as relay,
        fleet(
            data,
            processes="separate",
            environment={
                **UNLIMITED,
                "LLM_MODEL": "scripted",
                "LLM_API_BASE": model[1],
                "ORCHESTRATOR_PLANNER": "rules",
            },
        ) as running,
    ):
        rig = Rig(running, relay, model)
        await rig.say(DELTAS)
        await rig.sign_up(running.base_url)
        clock = CpuClock({**running.pids, "relay": relay[0]})
        names = [*(name for name in SERVICES if name in running.pids), *INFRASTRUCTURE]
        turn: dict[str, list[float]] = {name: [] for name in [*names, "relay"]}
        event: dict[str, list[float]] = {name: [] for name in [*names, "relay"]}

        async def used_by(load: str, requests: int, at_once: int) -> tuple[dict[str, float], float]:
            """CPU-ms a turn by process, and its events."""
            clock.start()
            answers = await stream(replace(getattr(rig, load), requests=requests, concurrent=at_once))
            await asyncio.sleep(SETTLE_SECONDS)
            return {name: used / requests for name, used in clock.used().items()}, statistics.mean(answers.events)

        for load in ("turn", "relay"):
            await used_by(load, 20, 5)
        await clock.measure_idle(IDLE_SECONDS)
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            await rig.say(DELTAS)
            for load in ("turn", "relay"):
                used, _ = await used_by(load, TURNS, AT_ONCE)
                for name in names if load == "turn" else ["relay"]:
                    turn[name].append(used[name])
            for load in ("turn", "relay"):
                await rig.say(FEW, SPACING_SECONDS)
                few, fewer = await used_by(load, 2 * SPACED_AT_ONCE, SPACED_AT_ONCE)
                await rig.say(MANY, SPACING_SECONDS)
                many, more = await used_by(load, 2 * SPACED_AT_ONCE, SPACED_AT_ONCE)
                for name in names if load == "turn" else ["relay"]:
                    event[name].append((many[name] - few[name]) / (more - fewer))
        floors = {"turn": median(turn.pop("relay")), "event": median(event.pop("relay"))}
        return [
            *(_figure("a turn", name, values, floors["turn"]) for name, values in turn.items()),
            *(_figure("an event more", name, values, floors["event"]) for name, values in event.items()),
        ]


def _figure(what: str, name: str, values: list[float], relay: float) -> Figure:
    return Figure(f"{what}: {name}", median(values), "CPU-ms", relay)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="data folder of the fleet; a temporary one if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary)).absolute()
        show("A turn by hop", asyncio.run(measure(data, options.rounds)))


if __name__ == "__main__":
    main()
