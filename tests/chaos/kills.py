"""Kills whatever belongs to a fleet: servers, services, workers, and the children that parse and embed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter

import psutil

from dev.fleet import Fleet

_LONGEST_PAUSE_SECONDS = 1.2
_WHOLE_SECONDS = 300.0
_ROUND = 8


def victims(fleet: Fleet) -> dict[str, list[int]]:
    """Pids by what they are: the name of a process of the fleet, or that with "'s child"."""
    found: dict[str, list[int]] = {}
    for name, pid in fleet.pids.items():
        found[name] = [pid]
        try:
            children = psutil.Process(pid).children(recursive=True)
        except psutil.NoSuchProcess:
            continue
        if children:
            found[f"{name}'s child"] = [child.pid for child in children]
    return found


def kill_one(fleet: Fleet, chance: random.Random) -> str | None:
    """Kills one with -9 and tells which; each kind of process is as likely as the others. None when it was gone."""
    found = victims(fleet)
    if not found:
        return None
    kind = chance.choice(sorted(found))
    try:
        os.kill(chance.choice(found[kind]), signal.SIGKILL)
    except ProcessLookupError:
        return None
    return kind


class Killing:
    """Kills so many processes at random moments, in rounds.

    In a round nothing waits for what is down; after it the fleet comes back. Without rounds a process would be killed more
    often than it can start, and from some number of kills on nothing would ever be up.
    """

    def __init__(self, fleet: Fleet, kills: int, seed: int) -> None:
        self._fleet = fleet
        self._kills = kills
        self._chance = random.Random(seed)
        self._changed = asyncio.Condition()
        self.died: Counter[str] = Counter()
        """How often each kind of process died."""

    async def run(self) -> None:
        """Kills until it is done, and waits until every process answers. Raises StartFailed."""
        while self.died.total() < self._kills:
            await asyncio.sleep(self._chance.uniform(0, _LONGEST_PAUSE_SECONDS))
            kind = kill_one(self._fleet, self._chance)
            if kind is None:
                continue
            async with self._changed:
                self.died[kind] += 1
                self._changed.notify_all()
            if self.died.total() % _ROUND == 0:
                await whole_again(self._fleet)
        await whole_again(self._fleet)

    async def reached(self, kills: int) -> None:
        """Waits until so many have died."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.died.total() >= kills)


async def whole_again(fleet: Fleet) -> None:
    """Waits until every process answers. Raises StartFailed."""
    for process in fleet.processes.values():
        await process.wait_ready(_WHOLE_SECONDS)
