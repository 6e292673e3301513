"""docs/api.md, run as it stands: the only thing changed is the address."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.scripted_model import ScriptedModel

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
ADDRESS = "http://127.0.0.1:8080"


def blocks(language: str, base_url: str) -> str:
    """All blocks in one language, one behind the other."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert len(found) >= 5
    return "\n".join(found).replace(ADDRESS, base_url)


async def output_of(folder: Path, *command: str, **environment: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, **environment, "no_proxy": "127.0.0.1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(120):
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


async def test_the_bash_examples_run(fleet_with_model: Fleet, model: ScriptedModel, tmp_path: Path) -> None:
    first = fleet_with_model.administrator
    assert first is not None
    script = tmp_path / "page.sh"
    script.write_text("set -euo pipefail\n" + blocks("bash", fleet_with_model.base_url))
    said = await output_of(tmp_path, "bash", str(script), ADMIN_PASSWORD=first.password)
    assert "That is what the documents say [1]." in said
    assert "RAG_CHAT" in said and '"retrieval_mode":"HYBRID"' in said


async def test_the_python_examples_run(fleet_with_model: Fleet, model: ScriptedModel, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(blocks("python", fleet_with_model.base_url))
    said = await output_of(tmp_path, sys.executable, str(script))
    assert "That is what the documents say [1]." in said
    assert "[1] Warranty" in said and "401 " in said


async def test_every_path_of_the_page_is_described(anybody: ApiClient) -> None:
    described = (await anybody.http.get(str(anybody.http.base_url).replace("/api/v1/", "/openapi.json"))).json()[
        "paths"
    ]
    known = {re.sub(r"\{[^}]*\}", "*", path) for path in described}
    used = {
        re.sub(r"\$[A-Z]+", "*", path).rstrip("/") for path in re.findall(r"\$API(/[A-Za-z0-9/$_-]+)", PAGE.read_text())
    }
    assert used and not {f"/api/v1{path}" for path in used} - {re.sub(r"/parts/\*", "/parts/0", path) for path in known}
