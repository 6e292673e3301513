"""A start of the fleet with stand-in services that a test may kill: `python -m tests.integration.stand_in_fleet DATA_DIR`.

Prints the pids as one JSON line once everything answers, then runs until it is killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from dev.fleet import Programs, fleet
from tests.integration.stand_in_services import PROGRAM

STAND_INS = Programs(group=PROGRAM, worker=(*PROGRAM, "worker"))


async def main(data_dir: Path) -> None:
    settings = {name: value for name, value in os.environ.items() if name.startswith("STAND_IN_")}
    async with fleet(data_dir, environment=settings, programs=STAND_INS) as running:
        sys.stdout.write(json.dumps(running.pids) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
