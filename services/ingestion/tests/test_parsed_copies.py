"""What was parsed once is kept, and read again instead of the file."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, Rig, ingestion_rig
from superagent_common.errors import Unavailable
from superagent_ingestion.adapters.parsed_objects import ParsedObjects


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def test_a_job_that_broke_off_behind_parsing_does_not_parse_again(rig: Rig) -> None:
    document_id = await rig.upload(b"The warranty lasts two years.")
    rig.index.hindrance = Unavailable("embedder_down")
    await rig.pipeline().run(document_id)
    rig.clock.pass_(3)
    rig.index.hindrance = None
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"
    assert rig.parser.parsed == 1


async def test_what_is_read_again_is_what_was_parsed(rig: Rig) -> None:
    document_id = await rig.upload("两年 warranty \ud7ff".encode())
    await rig.pipeline().run(document_id)
    kept = await ParsedObjects(rig.objects).get(await rig.document(document_id))
    assert kept is not None and (kept.parser, kept.blocks[1].text) == ("fake", "两年 warranty \ud7ff")


@pytest.mark.parametrize(
    "copy",
    [
        None,
        b"",
        b"no gzip",
        gzip.compress(b"cut off" * 100)[:-20] + b"x" * 20,
        gzip.compress(b"no json"),
        gzip.compress(json.dumps({"format": 1, "sha256": "another", "document": {}}).encode()),
        gzip.compress(json.dumps({"format": 0}).encode()),
    ],
)
async def test_a_copy_that_is_lost_damaged_or_of_another_content_is_parsed_anew(rig: Rig, copy: bytes | None) -> None:
    document_id = await rig.upload(b"text")
    rig.index.hindrance = Unavailable("embedder_down")
    await rig.pipeline().run(document_id)
    if copy is None:
        del rig.objects.objects[f"parsed/{document_id}"]
    else:
        rig.objects.objects[f"parsed/{document_id}"] = copy
    rig.clock.pass_(3)
    rig.index.hindrance = None
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"
    assert rig.parser.parsed == 2


async def test_deleting_takes_the_copy_along(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    await rig.pipeline().run(document_id)
    assert f"parsed/{document_id}" in rig.objects.objects
    await rig.documents.delete(ANNA, document_id)
    assert rig.objects.objects == {}
