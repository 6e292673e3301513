"""pytest plugin: the scripted model, recorded spans, and models that talk to the one and write the other."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.model_calls import ModelAt, RecordedSpans, models_that_close
from tests.support.scripted_model import ScriptedModel


@pytest.fixture
async def scripted_model() -> AsyncIterator[ScriptedModel]:
    """A scripted model of this test's own, serving in the test's loop; `answer_with` sets what it says."""
    async with ScriptedModel() as model:
        yield model


@pytest.fixture
def recorded_spans() -> RecordedSpans:
    return RecordedSpans()


@pytest.fixture
async def model_at(recorded_spans: RecordedSpans) -> AsyncIterator[ModelAt]:
    async with models_that_close(recorded_spans) as make:
        yield make
