"""The gateway on fakes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.gateway.tests.gateway_rig import Rig, gateway_rig, make_template


@pytest.fixture(scope="session")
async def gateway_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gateway")
    await make_template(folder)
    return folder


@pytest.fixture
async def rig(gateway_template: Path, tmp_path: Path) -> AsyncIterator[Rig]:
    async with gateway_rig(gateway_template, tmp_path) as made:
        yield made
