"""`make run`: the whole product on one machine, until Ctrl-C.

Settings, from the environment or `.env`: PORT (8080; 0 takes a free one), DATA_DIR (./data), PROCESSES (grouped or
separate), and everything the services read.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast, get_args

from dev.dotenv import read_dotenv
from dev.faults import StartFailed
from dev.fleet import Fleet, fleet
from dev.grouping import ROOT, Processes
from superagent_common.parent_death import end_with_parent

__all__ = ["fleet", "main"]

_PORT = "8080"
_DATA_DIR = "data"


def main() -> None:
    """Runs until SIGINT, SIGTERM or SIGHUP; exits with 1 and one line when it cannot start."""
    arguments = argparse.ArgumentParser(description="Runs the whole product on this machine.")
    arguments.add_argument("--stop-with-parent", action="store_true", help="stop when the calling process is gone")
    if arguments.parse_args().stop_with_parent:
        end_with_parent(signal.SIGTERM)
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO, stream=sys.stderr)
    try:
        asyncio.run(_run())
    except StartFailed as fault:
        sys.exit(f"Cannot start: {fault}")


async def _run() -> None:
    began = time.monotonic()
    settings = {**read_dotenv(ROOT / ".env"), **os.environ}
    port, data_dir, processes = _choices(settings)
    running = asyncio.current_task()
    assert running is not None
    stopping = False

    def stop() -> None:
        nonlocal stopping
        # Once only: a second Ctrl-C must not break off the stopping itself, which takes 5 s at most.
        if not stopping:
            stopping = True
            print("Stopping ...", flush=True)
            running.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    print(f"Starting; data and logs are in {data_dir}", flush=True)
    try:
        async with fleet(data_dir, port=port, processes=processes) as started:
            _announce(started, time.monotonic() - began)
            await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("Stopped.", flush=True)


def _choices(settings: Mapping[str, str]) -> tuple[int, Path, Processes]:
    port, processes = settings.get("PORT") or _PORT, settings.get("PROCESSES") or "grouped"
    if not re.fullmatch(r"\d{1,5}", port) or int(port) > 65535:
        raise StartFailed(f"PORT={port} is not a port number")
    if processes not in get_args(Processes):
        raise StartFailed(f"PROCESSES={processes} is neither of {', '.join(get_args(Processes))}")
    data_dir = ROOT / Path(settings.get("DATA_DIR") or _DATA_DIR).expanduser()
    return int(port), data_dir.absolute(), cast(Processes, processes)


def _announce(started: Fleet, seconds: float) -> None:
    print(f"\nSuper Agent is ready after {seconds:.1f} s: {started.base_url}")
    if started.administrator is not None:
        print(f"Administrator (shown this once): {started.administrator.username}")
        print(f"Password:                        {started.administrator.password}")
    print(f"Data:  {started.data_dir} (logs in {started.logs})")
    print("Stop:  Ctrl-C", flush=True)


if __name__ == "__main__":
    main()
