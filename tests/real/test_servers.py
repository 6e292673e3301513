"""The servers that the runner names are what they are taken for."""

from __future__ import annotations

import os

import httpx
import pytest


@pytest.mark.real("OPENSEARCH_URL")
async def test_opensearch_answers_with_its_version() -> None:
    async with httpx.AsyncClient(base_url=os.environ["OPENSEARCH_URL"]) as client:
        assert (await client.get("/")).json()["version"]["lucene_version"]
