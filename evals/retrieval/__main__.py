"""Sets of questions through a whole fleet with the local embedder: figures, beside those of evals/accepted.json.

    python -m evals.retrieval [DATA] [--sets own,xquad] [--every 4] [--documents articles] [--keep FOLDER] [--accept]

Without DATA only the set of this repository is asked. The exit status is 1 when a figure drops by more than 0.5 points,
2 when nothing could be measured.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import httpx

from dev.faults import StartFailed
from dev.fleet import fleet
from evals.retrieval.accepted import Run, accept, compared, read_accepted
from evals.retrieval.own_set import OWN, own
from evals.retrieval.public_sets import PUBLIC
from evals.retrieval.report import table, verdict
from evals.retrieval.run import evaluate
from evals.retrieval.service import NotIngested
from evals.retrieval.sets import QuestionSet


def main() -> None:
    arguments = _arguments()
    try:
        sets, absent = _sets(arguments.data, arguments.sets)
    except (OSError, ValueError, KeyError) as error:
        _stop(f"The data cannot be read: {error!r}")
    if not sets:
        _stop("No set is meant." if not absent else "\n".join(absent))
    runs: list[Run] = []
    try:
        asyncio.run(_run(arguments, sets, runs))
    except (StartFailed, NotIngested, httpx.HTTPError, grpc.RpcError) as error:
        _stop(str(error) or repr(error))
    accepted = read_accepted()
    comparisons = {run.subset.set: compared(run, accepted) for run in runs}
    print()
    for name, comparison in comparisons.items():
        print(verdict(name, comparison))
    for line in absent:
        print(line)
    if arguments.accept:
        accept(runs)
        print("Accepted.")
    elif any(comparison.dropped for comparison in comparisons.values()):
        sys.exit(1)


async def _run(arguments: argparse.Namespace, sets: list[QuestionSet], runs: list[Run]) -> None:
    # An environment of its own: figures must not depend on a configured model or embedder.
    environment = {
        "GATEWAY_REGISTRATIONS_PER_10_MINUTES": "1000000",
        "GATEWAY_LOGINS_PER_MINUTE": "1000000",
        **dict(arguments.setting),
    }
    for questions in sets:
        # A fleet for each: the keyword index weighs words by all of its documents, so sets would move each other's figures.
        with _folder(arguments.keep and arguments.keep / f"{questions.name}-{arguments.documents}") as folder:
            print(f"{questions.name}: starting a fleet", flush=True)
            async with fleet(folder / "fleet", environment=environment) as running:
                run, groups = await evaluate(
                    questions,
                    arguments.documents,
                    arguments.every,
                    base_url=running.base_url,
                    retrieval_address=running.environment["RETRIEVAL_ADDRESS"],
                    password=_password(folder / "password"),
                    say=_say,
                )
        print(table(run.subset, groups), flush=True)
        runs.append(run)


def _say(line: str) -> None:
    print(line, flush=True)


def _sets(data: Path | None, names: list[str]) -> tuple[list[QuestionSet], list[str]]:
    """The sets that are meant and there, and a line for each that is meant and not."""
    sets, absent = [], []
    for name in names or ([OWN, *PUBLIC] if data else [OWN]):
        if name == OWN:
            sets.append(own())
            continue
        read, files = PUBLIC[name]
        missing = [file for file in files if data is None or not (data / file).exists()]
        if data is None or missing:
            absent.append(f"{name}: not run, without {', '.join(missing)}.")
        else:
            sets.append(read(data))
    return sets, absent


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix="superagent-eval-") as folder:
            yield Path(folder)


def _password(path: Path) -> str:
    """Of the people who own the corpora, made once per folder."""
    if not path.exists():
        path.write_text(secrets.token_urlsafe(24), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def _stop(why: str) -> None:
    print(why, file=sys.stderr)
    sys.exit(2)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", help="folder of the public sets' files")
    parser.add_argument(
        "--sets", type=_names, default=[], help=f"of {', '.join([OWN, *PUBLIC])}; without: all there are"
    )
    parser.add_argument("--every", type=_positive, default=1, metavar="N", help="only each N-th question of a group")
    parser.add_argument("--documents", choices=("paragraphs", "articles"), default="paragraphs")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the fleet's data stay; again: only searches")
    parser.add_argument("--setting", type=_setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--accept", action="store_true", help="write the figures to evals/accepted.json")
    arguments = parser.parse_args()
    if arguments.accept and arguments.setting:
        parser.error("figures of other settings than the defaults are not accepted")
    return arguments


def _names(said: str) -> list[str]:
    names = said.split(",")
    if unknown := [name for name in names if name != OWN and name not in PUBLIC]:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}")
    return names


def _positive(said: str) -> int:
    number = int(said)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _setting(said: str) -> tuple[str, str]:
    name, equals, value = said.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("NAME=VALUE")
    return name, value


if __name__ == "__main__":
    main()
