"""Optimises a copy of a shard in a process of its own.

`EdgeShard.optimize()` builds the graph with the GIL held, seconds for ten thousand vectors, and would stop a service
that did it in its own process.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import qdrant_edge as qdrant

from superagent_common.parent_death import end_with_parent

_IMPROVED = 0
_NOTHING_TO_DO = 3


async def optimize_copy(copy: Path) -> bool:
    """Whether the optimiser changed the shard at `copy`. Cancelling kills it; RuntimeError when it fails."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, str(copy), stdin=asyncio.subprocess.DEVNULL
    )
    try:
        code = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if code not in (_IMPROVED, _NOTHING_TO_DO):
        raise RuntimeError(f"the optimiser of {copy} ended with {code}")
    return code == _IMPROVED


def _main(path: str) -> int:
    os.nice(10)
    # A service that is killed takes its optimiser along.
    end_with_parent()
    shard = qdrant.EdgeShard.load(path)
    improved = shard.optimize()
    shard.flush()
    shard.close()
    return _IMPROVED if improved else _NOTHING_TO_DO


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
