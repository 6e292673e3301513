"""Runs one group of the fleet's services in this process: `python -m dev.group <service>...`.

Everything is imported first; serving begins when a line arrives on standard input, so that the imports and the start of
the embedded servers overlap.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from superagent_common.runtime import run_services
from superagent_common.settings import load


def main(services: list[str]) -> None:
    # Nothing of what is imported is garbage, and looking for it takes a fifth of the time. `run_services` turns it on.
    gc.disable()
    packages = [f"superagent_{service.replace('-', '_')}" for service in services]
    roots = [
        (import_module(f"{package}.build").build, import_module(f"{package}.settings").Settings) for package in packages
    ]
    if not sys.stdin.readline():
        return
    run_services(*((build, load(settings)) for build, settings in roots))
    # All is closed. Tearing down two thousand modules would cost each process another quarter of a CPU second.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
