"""Shows the main job: `make demo` uploads documents to a fleet of its own, asks, and prints what comes back.

With FILES it takes those instead of the three samples.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from dev.api_client import ApiClient, SseEvent
from dev.dotenv import read_dotenv
from dev.faults import StartFailed
from dev.fleet import fleet
from dev.grouping import ROOT

SAMPLES = sorted((ROOT / "dev" / "samples").iterdir())
# A question and, where there is one, what the person asks next in the same conversation.
QUESTIONS = (
    ("北京出差住宿每晚最多报多少？发票丢了怎么报销？", None),
    ("How do I restore a bucket from backup?", "And how long does it take?"),
    ("X3 忘记管理密码怎么办？", "那它的保修期呢？"),
    ("DISK_CRIT 出现时该做什么？", None),
)


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]] or SAMPLES
    if missing := [str(path) for path in files if not path.is_file()]:
        sys.exit(f"No such file: {', '.join(missing)}")
    try:
        asyncio.run(_demo(files))
    except StartFailed as error:
        sys.exit(str(error))


async def _demo(files: list[Path]) -> None:
    print("Starting a fleet in a temporary folder …")
    with tempfile.TemporaryDirectory(prefix="superagent-demo-") as folder:
        environment = read_dotenv(ROOT / ".env")
        async with (
            fleet(Path(folder), port=0, environment=environment) as running,
            ApiClient(running.base_url) as client,
        ):
            print(f"It runs at {running.base_url}")
            await client.sign_up()
            titles = [await _ingest(client, path) for path in files]
            questions = QUESTIONS if files is SAMPLES else tuple((f"{title}?", None) for title in titles if title)
            for question, next_question in questions:
                conversation = await _ask(client, question, None)
                if next_question:
                    await _ask(client, next_question, conversation)
        print("\nStopped.")


async def _ingest(client: ApiClient, path: Path) -> str:
    document = await client.settled(await client.upload_file(path), seconds=600)
    if document["state"] == "FAILED":
        print(f"  {path.name}: FAILED, {document['failure']['message']} ({document['failure']['reason']})")
        return ""
    chunks = document["chunks"]
    print(f"  {path.name}: READY, “{document['title']}”, {chunks['parents']} passages, {chunks['children']} pieces")
    return str(document["title"])


async def _ask(client: ApiClient, question: str, conversation_id: str | None) -> str:
    print(f"\n── {question}")
    events: list[SseEvent] = []
    async for event in client.chat(question, conversation_id):
        events.append(event)
        if event.event == "delta":
            print(event.json["text"], end="", flush=True)
        elif event.event == "error":
            print(f"\nerror: {event.json['message']}")
    print()
    for event in events:
        if event.event == "sources":
            for source in event.json["sources"]:
                page = f", page {source['page_from']}" if source.get("page_from") else ""
                place = " > ".join((source["title"], *source["heading_path"]))
                print(f"   [{source['citation_id']}] {place}{page}")
        elif event.event == "follow_ups":
            print("   next: " + " / ".join(event.json["questions"]))
    turn = await client.trace(events[0].json["turn_id"])
    print(f"   {turn['mode']}: " + ", ".join(map(_timed, turn["stages"])))
    return str(events[0].json["conversation_id"])


def _timed(stage: dict[str, Any]) -> str:
    return f"{stage['name']} {stage['duration_ms']:.1f} ms"


if __name__ == "__main__":
    main()
