"""pytest plugin: the fixture `scripted_model`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from .scripted_model import ScriptedModel


@pytest.fixture
async def scripted_model() -> AsyncIterator[ScriptedModel]:
    """A scripted model of this test's own, serving in the test's loop; `answer_with` sets what it says."""
    async with ScriptedModel() as model:
        yield model
