"""Runs the benches one after the other, each in a process of its own: `python -m bench [name ...]`."""

from __future__ import annotations

import subprocess
import sys

from dev.grouping import ROOT

NAMES = ("embedding", "search", "start", "memory", "turns", "hops", "streams", "parsing", "ingest", "busy", "uploads")


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.stderr.write(f"{unknown[0]} is none of {', '.join(NAMES)}\n")
        return 1
    failed = 0
    for name in names or NAMES:
        failed += bool(subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=ROOT, check=False).returncode)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
