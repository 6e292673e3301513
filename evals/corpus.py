"""Every file of a folder of real documents through a whole fleet: what became of it beside what was expected.

    python -m evals.corpus CORPUS [--only WORD] [--seconds 900] [--quick] [--report evals/documents.md]

CORPUS holds INDEX.tsv with the columns path, kind, expected and others. Everything goes through HTTP, as a person would
do it, two files at once. The exit status is 1 when a file ends otherwise than expected or does not end in time. --quick
takes the vectors from a stand-in endpoint: what becomes of a file does not depend on them, how long it takes does.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx

from dev.api_client import ApiClient
from dev.faults import StartFailed
from dev.fleet import fleet
from evals.corpus_index import Row, Seen, read_index
from evals.corpus_report import Outcome, report, summary
from superagent_ingestion.adapters.parsing.equipment import Equipment, equipment
from tests.support.scripted_model import ScriptedModel
from tests.support.scripted_model.embeddings import DIMENSIONS

_AT_ONCE = 2
_REPORT = Path(__file__).parent / "documents.md"
_COUNTED = ("blocks", "headings", "tables", "pages")


def main() -> None:
    arguments = _arguments()
    # What the fleet's workers find, too: they run on this machine, with the defaults.
    tools = equipment("auto", "auto")
    try:
        index = read_index(arguments.corpus, with_ocr=tools.ocr)
        rows = [row for row in index if arguments.only in row.path]
    except (OSError, ValueError) as error:
        sys.exit(f"The corpus cannot be read: {error}")
    if not rows:
        sys.exit("No file of the index is meant.")
    try:
        outcomes = asyncio.run(_run(arguments.corpus, rows, arguments.seconds, quick=arguments.quick))
    except StartFailed as error:
        sys.exit(str(error))
    print("\n" + summary(outcomes))
    if not arguments.only:
        embedder = "a stand-in endpoint for vectors" if arguments.quick else "the local embedder"
        arguments.report.write_text(report(outcomes, embedder, _said(tools)), encoding="utf-8")
        print(f"Written: {arguments.report.name}")
    sys.exit(0 if all(outcome.agrees for outcome in outcomes) else 1)


async def _run(corpus: Path, rows: Sequence[Row], seconds: float, *, quick: bool) -> list[Outcome]:
    print("Starting a fleet in a temporary folder …", flush=True)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="superagent-corpus-"))
        # An environment of its own: the outcome must not depend on a configured model or embedder.
        environment: dict[str, str] = {}
        if quick:
            endpoint = await stack.enter_async_context(ScriptedModel())
            environment = {
                "EMBEDDING_MODEL": "stand-in",
                "EMBEDDING_API_BASE": endpoint.base_url,
                "EMBEDDING_DIMENSION": str(DIMENSIONS),
            }
        running = await stack.enter_async_context(fleet(Path(folder), environment=environment))
        async with ApiClient(running.base_url) as client:
            await client.sign_up()
            gate = asyncio.Semaphore(_AT_ONCE)

            async def one(row: Row) -> Outcome:
                async with gate:
                    outcome = await _ingest(client, corpus, row, seconds)
                print(outcome.line(), flush=True)
                return outcome

            # The largest first, so that the rest is done beside them.
            largest_first = sorted(rows, key=lambda row: (corpus / row.path).stat().st_size, reverse=True)
            outcomes = dict(zip(largest_first, await asyncio.gather(*map(one, largest_first)), strict=True))
            return [outcomes[row] for row in rows]


async def _ingest(client: ApiClient, corpus: Path, row: Row, seconds: float) -> Outcome:
    began = time.monotonic()
    try:
        document = await client.settled(await client.upload_file(corpus / row.path), seconds=seconds)
    except TimeoutError:
        return Outcome(row, Seen("HANGS"), time.monotonic() - began)
    except httpx.HTTPStatusError as error:
        reason = str(error.response.json().get("reason", error.response.status_code))
        return Outcome(row, Seen("REFUSED", reason), time.monotonic() - began)
    failed = document["state"] == "FAILED"
    seen = Seen(document["state"], document["failure"]["reason"] if failed else "")
    return Outcome(row, seen, time.monotonic() - began, _counts(document))


def _said(tools: Equipment) -> str:
    """What is there for scans and for the old formats of Office."""
    ocr = "text recognition (the extra `ocr`)" if tools.ocr else "no text recognition"
    return f"{ocr}, {'LibreOffice' if tools.soffice else 'no LibreOffice'}"


def _counts(document: dict[str, Any]) -> dict[str, int]:
    """What the parse stage says it found; nothing for a document that failed there."""
    parse = next(stage for stage in document["stages"] if stage["name"] == "parse")
    return {name: parse["counts"][name] for name in _COUNTED if name in parse["counts"]}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.corpus", description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="folder with INDEX.tsv")
    parser.add_argument("--only", default="", help="only paths that contain this; the report is not written then")
    parser.add_argument("--seconds", type=float, default=900, help="how long one file may take")
    parser.add_argument("--quick", action="store_true", help="vectors from a stand-in endpoint instead of the embedder")
    parser.add_argument("--report", type=Path, default=_REPORT, help="where the table goes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
