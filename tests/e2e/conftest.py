"""The browser of the page tests, and visits to the fleets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

import pytest
from playwright.async_api import Browser, expect

from dev.fleet import Fleet
from tests.e2e.browser import PATIENCE_MS, Visit, chromium, chromium_path, visit

Visits = Callable[..., AbstractAsyncContextManager[Visit]]


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    executable = chromium_path()
    if executable is None:
        pytest.skip(
            "page tests need Chromium: install it (Debian: apt-get install chromium-headless-shell) "
            "or name it with CHROMIUM="
        )
    # A machine under load is slow, and a test that waits is not wrong.
    expect.set_options(timeout=PATIENCE_MS)
    async with chromium(executable) as running:
        yield running


@pytest.fixture
def visits(browser: Browser, fleet_with_model: Fleet) -> Visits:
    """Opens visits to `fleet_with_model`; keywords as `visit` has them."""
    return partial(visit, browser, fleet_with_model.base_url)


@pytest.fixture
def visits_without_model(browser: Browser, fleet_without_model: Fleet) -> Visits:
    """Opens visits to `fleet_without_model`."""
    return partial(visit, browser, fleet_without_model.base_url)
