"""Starts every server that this machine has, runs the tests that need them, and says which were run and which not.

python -m tests.real [arguments of pytest]
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.real.mariadb import MARIADB
from tests.real.marker import needed
from tests.real.opensearch import OPENSEARCH
from tests.real.postgresql import POSTGRESQL
from tests.real.qdrant import QDRANT
from tests.real.servers import NotHere, Server, started
from tests.support.no_outside_network import ALLOWED_HOSTS

SERVERS: tuple[Server, ...] = (OPENSEARCH, QDRANT, POSTGRESQL, MARIADB)


class Tally:
    """Outcomes of tests by the setting of the server that they need."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Counter[str]] = {server.setting: Counter() for server in SERVERS}
        self._needed: dict[str, list[str]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._needed = {item.nodeid: needed(item) for item in session.items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # A test that passes counts when it was called, another one at whatever went wrong.
        if report.when == "call" or report.outcome != "passed":
            for setting in self._needed[report.nodeid]:
                self.outcomes[setting][report.outcome] += 1


def main(arguments: list[str]) -> int:
    about: dict[str, str] = {}
    urls: dict[str, str] = {}
    tally = Tally()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="test-real-")))
        for server in SERVERS:
            folder = scratch / server.setting.lower()
            folder.mkdir()
            try:
                running = stack.enter_context(started(server, folder))
                urls[server.setting], about[server.setting] = running.url, running.what
            except NotHere as missing:
                about[server.setting] = f"not run: {missing}"
        os.environ.update(urls)
        os.environ[ALLOWED_HOSTS] = ",".join(sorted({urlsplit(url).hostname or "" for url in urls.values()}))
        # What this runner shares with its plugins is imported before pytest could rewrite it, which is no matter.
        quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
        code = pytest.main(["-m", "real", *quiet, *arguments], plugins=[tally])
    print("\nReal servers")
    for server in SERVERS:
        counted = ", ".join(f"{number} {outcome}" for outcome, number in sorted(tally.outcomes[server.setting].items()))
        print(f"  {server.name:<12} {about[server.setting]}\n  {'':<12} {counted or 'no tests'}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
