"""pytest plugin: a test marked `real("QDRANT_URL", ...)` needs the servers that these settings name."""

from __future__ import annotations

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real(setting, ...): needs real servers, by the settings with their URLs")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for setting in needed(item):
        if not os.environ.get(setting):
            pytest.skip(f"{setting} is not set")


def needed(item: pytest.Item) -> list[str]:
    """Settings with the URLs of the servers that a test needs."""
    return [setting for marker in item.iter_markers("real") for setting in marker.args]
