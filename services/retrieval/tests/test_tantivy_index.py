"""What only tantivy does: fail without losing its tongue, and refuse what it did not make."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from tantivy import Index, SchemaBuilder

from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex

# In a process of its own, because the limit that plays the full disk is one of the whole process.
FULL_DISK = """
import asyncio, pathlib, resource, sys
from services.retrieval.tests.index_records import ALICE, EVERYTHING, parent
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex

async def main():
    index = await TantivyKeywordIndex.open(pathlib.Path(sys.argv[1]))
    await index.upsert([parent("before", "tea")])
    await index.refresh()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))
    failures = 0
    for attempt in range(2):
        await index.upsert([parent("while full", "tea " * 50)])
        try:
            await index.refresh()
        except ValueError:
            failures += 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await index.upsert([parent("after", "tea")])
    await index.refresh()
    hits = await index.search("tea", ALICE, EVERYTHING, 10)
    print(failures, sorted(hit.parent_id for hit in hits))
    await index.close()

asyncio.run(main())
"""


async def test_a_full_disk_fails_the_refresh_and_writing_goes_on_when_there_is_room(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        FULL_DISK,
        str(tmp_path),
        cwd=Path(__file__).parents[3],
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert output.decode().strip() == "2 ['after', 'before']"


async def test_an_index_with_other_fields_is_refused(tmp_path: Path) -> None:
    Index(SchemaBuilder().add_text_field("text").build(), str(tmp_path))
    with pytest.raises(ValueError, match="schema"):
        await TantivyKeywordIndex.open(tmp_path)
