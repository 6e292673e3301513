"""An upload of a content that somebody else has, step by step."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, chunks
from superagent_common.identity import Principal
from superagent_ingestion.application.uploads import NewUpload
from superagent_ingestion.domain.documents import Metadata
from superagent_ingestion.domain.possession import Challenge, proof
from superagent_ingestion.domain.uploads import Upload

CONTENT = "".join(f"Valve {number} is turned by a quarter. " for number in range(400)).encode()
SAID_BY_ANNA = Metadata(
    domain_code="secret-domain",
    business_category="secret-category",
    title="Secret title",
    language="zh",
    tags=("secret-tag",),
    org_tag="sales",
    is_public=True,
)


async def ready(rig: Rig, who: Principal = ANNA, content: bytes = CONTENT, metadata: Metadata = SAID_BY_ANNA) -> str:
    document_id = await rig.upload(content, who, "anna's secret name.txt", **asdict(metadata))
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"
    return document_id


async def begin(rig: Rig, who: Principal = BEN, content: bytes = CONTENT, **changes: Any) -> Upload:
    digest = hashlib.sha256(content).hexdigest()
    values = {"file_name": "mine.txt", "metadata": Metadata(), **changes}
    wanted = NewUpload(size=len(content), sha256=digest, **values)
    return (await rig.uploads.create(who, wanted))[0]


def answer(challenge: Challenge | None, content: bytes = CONTENT) -> str:
    assert challenge is not None
    return proof(challenge.nonce, (content[start:end] for start, end in challenge.ranges))


async def send_and_complete(rig: Rig, upload: Upload, who: Principal = BEN, content: bytes = CONTENT) -> str:
    await rig.uploads.put_part(who, upload.upload_id, 0, "", chunks(content))
    return await rig.uploads.complete(who, upload.upload_id)


async def proved(rig: Rig, **changes: Any) -> Upload:
    upload = await begin(rig, **changes)
    return (await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge)))[0]
