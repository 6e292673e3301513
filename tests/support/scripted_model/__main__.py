"""`python -m tests.support.scripted_model --port 9000 [--script file.json]`; prints its base URL, stops on SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from tests.support.scripted_model import ScriptedModel
from tests.support.scripted_model.script import Script, script_from_json


async def _serve(port: int, script: Script) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with ScriptedModel(script, port=port) as model:
        sys.stdout.write(model.base_url + "\n")
        sys.stdout.flush()
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripted_model")
    parser.add_argument("--port", type=int, default=0, help="0: any free port")
    parser.add_argument("--script", type=Path, help="JSON as for POST /_script")
    arguments = parser.parse_args()
    script = script_from_json(json.loads(arguments.script.read_text())) if arguments.script else Script()
    asyncio.run(_serve(arguments.port, script))


if __name__ == "__main__":
    main()
