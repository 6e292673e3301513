"""An upload of four parts, and one of a single part, step by step."""

from __future__ import annotations

import hashlib

from services.ingestion.tests.ingestion_rig import ANNA, Rig, chunks
from superagent_ingestion.application.uploads import NewUpload
from superagent_ingestion.domain.documents import Metadata
from superagent_ingestion.domain.uploads import PART_BYTES, Upload, part_key

CONTENT = bytes(range(256)) * (3 * PART_BYTES // 256) + b"the end"
SMALL = b"one part"
PARTS = [CONTENT[start : start + PART_BYTES] for start in range(0, len(CONTENT), PART_BYTES)]


async def begin(rig: Rig) -> Upload:
    digest = hashlib.sha256(CONTENT).hexdigest()
    upload, _ = await rig.uploads.create(ANNA, NewUpload("a.txt", len(CONTENT), digest, Metadata()))
    return upload


async def begin_small(rig: Rig) -> Upload:
    """An upload of a single part, which is not sent."""
    digest = hashlib.sha256(SMALL).hexdigest()
    upload, _ = await rig.uploads.create(ANNA, NewUpload("small.txt", len(SMALL), digest, Metadata()))
    return upload


async def send_small(rig: Rig, upload: Upload) -> str:
    """Sends the only part; gives its object's key."""
    await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(SMALL))
    return part_key(upload.upload_id, 0, hashlib.sha256(SMALL).hexdigest())


async def send(rig: Rig, upload: Upload, *numbers: int) -> list[int]:
    received: list[int] = []
    for number in numbers:
        _, received = await rig.uploads.put_part(ANNA, upload.upload_id, number, "", chunks(PARTS[number]))
    return received


async def received(rig: Rig, upload: Upload) -> list[int]:
    return (await rig.uploads.get(ANNA, upload.upload_id))[1]


async def assert_completes(rig: Rig, upload: Upload) -> None:
    document_id = await rig.uploads.complete(ANNA, upload.upload_id)
    assert rig.objects.objects == {f"documents/{document_id}": CONTENT}
    assert await rig.topics() == ["uploaded"]
