"""The gateway on fakes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import openai
import pytest

from services.gateway.tests.gateway_rig import Rig, gateway_rig, make_template, served
from services.gateway.tests.openai_client import official


@pytest.fixture(scope="session")
async def gateway_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gateway")
    await make_template(folder)
    return folder


@pytest.fixture
async def rig(gateway_template: Path, tmp_path: Path) -> AsyncIterator[Rig]:
    async with gateway_rig(gateway_template, tmp_path) as made:
        yield made


@pytest.fixture
async def address(rig: Rig) -> AsyncIterator[str]:
    """Where `rig` is served."""
    async with served(rig) as found:
        yield found


@pytest.fixture
async def openai_client(address: str, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[openai.AsyncOpenAI]:
    """The official client, logged in to `rig`."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with official(address, rig.token()) as made:
        yield made


@pytest.fixture
async def impatient(gateway_template: Path, tmp_path: Path) -> AsyncIterator[Rig]:
    """A gateway that soon breaks off a body that stands still."""
    async with gateway_rig(gateway_template, tmp_path, body_seconds=0.2) as made:
        yield made
