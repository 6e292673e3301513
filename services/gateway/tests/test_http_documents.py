"""Uploads and documents over HTTP: the shapes that scripts rely on."""

from __future__ import annotations

from typing import Any

from services.gateway.tests.gateway_rig import ANNA, AT, AT_TEXT, ROOT, Rig
from superagent.common.v1.common_pb2 import PageRequest
from superagent.ingestion.v1 import ingestion_pb2


async def test_an_upload_begins(rig: Rig) -> None:
    rig.ingestion.answers["CreateUpload"] = ingestion_pb2.CreateUploadResponse(
        upload=ingestion_pb2.Upload(upload_id="u", part_size=5, parts_total=2)
    )
    body = {
        "file_name": "手册.md",
        "size": 10,
        "sha256": "a" * 64,
        "domain_code": "ops",
        "tags": ["x"],
        "org_tag": "acme",
        "is_public": True,
    }
    headers = {**rig.as_(), "idempotency-key": "once"}
    answer = await rig.http.post("/api/v1/uploads", json=body, headers=headers)
    assert (answer.status_code, answer.json()) == (
        201,
        {"upload_id": "u", "part_size": 5, "parts_total": 2, "parts_received": [], "instant": False},
    )
    assert rig.ingestion.requests == [ingestion_pb2.CreateUploadRequest(**body, idempotency_key="once")]


async def test_an_instant_upload_and_one_that_must_be_proved(rig: Rig) -> None:
    rig.ingestion.answers["GetUpload"] = ingestion_pb2.GetUploadResponse(
        upload=ingestion_pb2.Upload(
            upload_id="u",
            part_size=5,
            parts_total=2,
            parts_received=[0, 1],
            instant=True,
            document_id="d",
            challenge=ingestion_pb2.Challenge(nonce=b"\x01\xff", ranges=[ingestion_pb2.ByteRange(start=0, end=9)]),
        )
    )
    assert (await rig.http.get("/api/v1/uploads/u", headers=rig.as_())).json() == {
        "upload_id": "u",
        "part_size": 5,
        "parts_total": 2,
        "parts_received": [0, 1],
        "instant": True,
        "document_id": "d",
        "challenge": {"nonce": "01ff", "ranges": [{"start": 0, "end": 9}]},
    }


async def test_an_upload_is_completed(rig: Rig) -> None:
    rig.ingestion.answers["CompleteUpload"] = ingestion_pb2.CompleteUploadResponse(document_id="d")
    answer = await rig.http.post("/api/v1/uploads/u/complete", headers=rig.as_())
    assert (answer.status_code, answer.json()) == (202, {"document_id": "d"})


def a_document(**fields: Any) -> ingestion_pb2.Document:
    return ingestion_pb2.Document(
        document_id="d",
        file_name="手册.md",
        title="手册",
        state=ingestion_pb2.DOCUMENT_STATE_INDEXING,
        progress=70,
        children=4,
        parents=2,
        strategy="structure+recursive",
        stages=[
            ingestion_pb2.DocumentStage(
                name="parse",
                state="completed",
                started_at=AT,
                ended_at=AT,
                attempts=1,
                counts={"pages": 3, "blocks": 9},
            ),
            ingestion_pb2.DocumentStage(name="index", state="pending"),
        ],
        size=10,
        sha256="a" * 64,
        domain_code="ops",
        owner_id="somebody",
        created_at=AT,
        updated_at=AT,
        **fields,
    )


DOCUMENT: dict[str, Any] = {
    "id": "d",
    "file_name": "手册.md",
    "title": "手册",
    "state": "INDEXING",
    "progress": 70,
    "chunks": {"children": 4, "parents": 2},
    "strategy": "structure+recursive",
    "recommended_strategy": "",
    "strategy_reasons": [],
    "answering": False,
    "instant": False,
    "source_url": "",
    "stages": [
        {
            "name": "parse",
            "state": "completed",
            "started_at": AT_TEXT,
            "ended_at": AT_TEXT,
            "attempts": 1,
            "counts": {"blocks": 9, "pages": 3},
        },
        {"name": "index", "state": "pending", "started_at": None, "ended_at": None, "attempts": 0, "counts": {}},
    ],
    "size": 10,
    "sha256": "a" * 64,
    "pages": 0,
    "domain_code": "ops",
    "domain_name": "ops",
    "business_category": "",
    "tags": [],
    "language": "",
    "org_tag": "",
    "is_public": False,
    "owner_id": "somebody",
    "mine": False,
    "created_at": AT_TEXT,
    "updated_at": AT_TEXT,
}


async def test_a_document(rig: Rig) -> None:
    rig.ingestion.answers["GetDocument"] = ingestion_pb2.GetDocumentResponse(document=a_document())
    assert (await rig.http.get("/api/v1/documents/d", headers=rig.as_())).json() == DOCUMENT
    failure = ingestion_pb2.Failure(stage="parse", reason="encrypted", message="The file is encrypted.")
    rig.ingestion.answers["GetDocument"] = ingestion_pb2.GetDocumentResponse(
        document=a_document(waiting_reason="queued", failure=failure)
    )
    assert (await rig.http.get("/api/v1/documents/d", headers=rig.as_())).json() == {
        **DOCUMENT,
        "waiting_reason": "queued",
        "failure": {"stage": "parse", "reason": "encrypted", "message": "The file is encrypted."},
    }


async def test_a_document_says_whose_it_is_and_what_its_domain_is_called(rig: Rig) -> None:
    own = a_document()
    own.owner_id = ANNA.user_id
    rig.ingestion.answers["GetDocument"] = ingestion_pb2.GetDocumentResponse(document=own)
    domain = {"code": "ops", "name": "运维", "owner_org_tag": None}
    await rig.http.post("/api/v1/admin/domains", json=domain, headers=rig.as_(ROOT))
    answer = (await rig.http.get("/api/v1/documents/d", headers=rig.as_())).json()
    assert (answer["mine"], answer["domain_code"], answer["domain_name"]) == (True, "ops", "运维")


async def test_documents_page_by_page(rig: Rig) -> None:
    rig.ingestion.answers["ListDocuments"] = ingestion_pb2.ListDocumentsResponse(
        documents=[a_document()], next_cursor="n"
    )
    url = "/api/v1/documents?state=READY&state=FAILED&domain_code=ops&query=%E6%89%8B&limit=2&cursor=c"
    answer = await rig.http.get(url, headers=rig.as_())
    assert answer.json() == {"documents": [DOCUMENT], "next_cursor": "n"}
    assert rig.ingestion.requests == [
        ingestion_pb2.ListDocumentsRequest(
            page=PageRequest(limit=2, cursor="c"),
            states=[ingestion_pb2.DOCUMENT_STATE_READY, ingestion_pb2.DOCUMENT_STATE_FAILED],
            domain_code="ops",
            query="手",
        )
    ]
    rig.ingestion.answers["ListDocuments"] = ingestion_pb2.ListDocumentsResponse()
    last = await rig.http.get("/api/v1/documents", headers=rig.as_())
    assert last.json() == {"documents": [], "next_cursor": None}


async def test_a_documents_log_and_its_end(rig: Rig) -> None:
    rig.ingestion.answers["GetDocumentLog"] = ingestion_pb2.GetDocumentLogResponse(
        entries=[ingestion_pb2.LogEntry(at=AT, stage="parse", level="info", message="3 pages")]
    )
    answer = await rig.http.get("/api/v1/documents/d/log", headers=rig.as_())
    assert answer.json() == {"entries": [{"at": AT_TEXT, "stage": "parse", "level": "info", "message": "3 pages"}]}
    rig.ingestion.answers["DeleteDocument"] = ingestion_pb2.DeleteDocumentResponse()
    assert (await rig.http.delete("/api/v1/documents/d", headers=rig.as_())).status_code == 204
