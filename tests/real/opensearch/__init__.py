"""OpenSearch: one node from its own jars, which Maven fetches, or in Docker."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real.container import container
from tests.real.servers import NotHere, Running, Server
from tests.real.waiting import answer_of

_IMAGE = "opensearchproject/opensearch:2.19.6"
_SOURCES = Path(__file__).parent


@contextmanager
def _from_jars(folder: Path) -> Iterator[Running]:
    for program in ("mvn", "java"):
        if shutil.which(program) is None:
            raise NotHere(f"{program} is not installed")
    classpath = folder / "classpath"
    fetched = subprocess.run(
        [
            *("mvn", "--batch-mode", "--quiet", "--file", str(_SOURCES / "pom.xml")),
            *("dependency:build-classpath", f"-Dmdep.outputFile={classpath}"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if fetched.returncode != 0:
        raise NotHere(f"Maven could not fetch its jars: {fetched.stdout.strip().splitlines()[-1]}")
    with (folder / "log").open("w") as log:
        # It ends when its standard input does, so also with the death of this process.
        process = subprocess.Popen(
            [
                *("java", "-Xms256m", "-Xmx512m", "--class-path", classpath.read_text()),
                *(str(_SOURCES / "OneNode.java"), str(folder)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError(f"OpenSearch did not start: {(folder / 'log').read_text()[-2_000:]}")
            yield Running(f"http://{address}", f"{_version(address)} from its jars, one node started here")
        finally:
            process.stdin.close()
            process.wait()


@contextmanager
def _in_docker(_: Path) -> Iterator[Running]:
    environment = {
        "discovery.type": "single-node",
        "DISABLE_SECURITY_PLUGIN": "true",
        "DISABLE_INSTALL_DEMO_CONFIG": "true",
        "OPENSEARCH_JAVA_OPTS": "-Xms256m -Xmx512m",
    }
    with container(_IMAGE, 9200, environment) as address:
        yield Running(f"http://{address}", f"{_version(address)}, Docker image {_IMAGE}")


def _version(address: str) -> str:
    return str(answer_of(f"http://{address}").json()["version"]["number"])


OPENSEARCH = Server("OpenSearch", "OPENSEARCH_URL", (_from_jars, _in_docker))
