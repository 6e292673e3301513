"""What a parse stage says it found, which people and `make corpus` read."""

from __future__ import annotations

from pathlib import Path

from services.ingestion.tests.ingestion_rig import ingestion_rig
from superagent_ingestion.domain.blocks import Block, ParsedDocument


class TableParser:
    """Finds two headings, a table and a paragraph on three pages, whatever it is given."""

    async def parse(self, path: Path, file_name: str) -> ParsedDocument:
        blocks = (
            Block("heading", "Limits", 1, 1),
            Block("table", "| City | Limit |\n| --- | --- |\n| Beijing | 500 |", page=1),
            Block("heading", "Exceptions", 2, 3),
            Block("paragraph", "Fairs.", page=3),
        )
        return ParsedDocument(blocks, None, "en", "application/pdf", 3, "test 1")


async def test_blocks_headings_tables_and_pages_are_counted(tmp_path: Path) -> None:
    async with ingestion_rig(tmp_path) as rig:
        rig.parser = TableParser()  # type: ignore[assignment]
        document_id = await rig.upload(b"content")
        await rig.pipeline().run(document_id)
        stages = {stage.name: stage for stage in (await rig.document(document_id)).stages}
    assert dict(stages["parse"].counts) == {"blocks": 4, "headings": 2, "tables": 1, "pages": 3}


class ScanParser:
    """Finds one page that was recognised and one that says nothing."""

    async def parse(self, path: Path, file_name: str) -> ParsedDocument:
        blocks = (Block("paragraph", "Recognised.", page=1),)
        return ParsedDocument(blocks, None, "en", "application/pdf", 2, "test 1", 1, 1, 87)


async def test_how_well_scans_were_recognised_is_counted(tmp_path: Path) -> None:
    async with ingestion_rig(tmp_path) as rig:
        rig.parser = ScanParser()  # type: ignore[assignment]
        document_id = await rig.upload(b"content")
        await rig.pipeline().run(document_id)
        stages = {stage.name: stage for stage in (await rig.document(document_id)).stages}
    assert dict(stages["parse"].counts) == {
        "blocks": 1,
        "headings": 0,
        "tables": 0,
        "pages": 2,
        "pages_without_text": 1,
        "ocr_pages": 1,
        "ocr_confidence": 87,
    }
