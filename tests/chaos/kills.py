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
_WHOLE_SECONDS = 60.0


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


async def kill_at_random(fleet: Fleet, kills: int, seed: int) -> Counter[str]:
    """Kills so many processes at random moments, not waiting for what is down; gives how often each kind died."""
    chance = random.Random(seed)
    died: Counter[str] = Counter()
    while died.total() < kills:
        await asyncio.sleep(chance.uniform(0, _LONGEST_PAUSE_SECONDS))
        if kind := kill_one(fleet, chance):
            died[kind] += 1
    return died


async def whole_again(fleet: Fleet) -> None:
    """Waits until every process answers. Raises StartFailed."""
    for process in fleet.processes.values():
        await process.wait_ready(_WHOLE_SECONDS)
