"""/admin/dead-letters over HTTP."""

from __future__ import annotations

import json

from services.gateway.tests.gateway_rig import AT, AT_TEXT, ROOT, Rig
from services.gateway.tests.test_http_problems import assert_problem
from superagent.common.v1 import common_pb2 as pb
from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.errors import Conflict, NotFound, Unavailable

PATH = "/api/v1/admin/dead-letters"
DOCUMENT = "01990000-0000-7000-8000-0000000000d1"


def letter(
    event_id: str = DOCUMENT, topic: str = "superagent.document.uploaded.v1", payload: bytes = b""
) -> pb.DeadLetter:
    event = payload or ingestion_pb2.DocumentUploaded(document_id=DOCUMENT).SerializeToString()
    return pb.DeadLetter(
        event_id=event_id, topic=topic, key=DOCUMENT, payload=event, reason="index_away", attempts=5, failed_at=AT
    )


def shown(event_id: str = DOCUMENT, service: str = "ingestion") -> dict[str, object]:
    return {
        "service": service,
        "event_id": event_id,
        "topic": "superagent.document.uploaded.v1",
        "key": DOCUMENT,
        "reason": "index_away",
        "attempts": 5,
        "failed_at": AT_TEXT,
        "payload": {"document_id": DOCUMENT},
    }


async def test_a_services_dead_letters_are_listed_page_by_page(rig: Rig) -> None:
    ingestion = rig.dead_letters["ingestion"]
    ingestion.answers["ListDeadLetters"] = pb.ListDeadLettersResponse(dead_letters=[letter()], next_cursor="more")
    answer = await rig.http.get(f"{PATH}?service=ingestion&limit=1&cursor=here", headers=rig.as_(ROOT))
    assert (answer.status_code, answer.json()) == (200, {"dead_letters": [shown()], "next_cursor": "more"})
    assert ingestion.requests == [pb.ListDeadLettersRequest(page=pb.PageRequest(limit=1, cursor="here"))]
    assert [identity and identity.principal for identity in ingestion.identities] == [ROOT]


async def test_an_event_that_cannot_be_read_is_shown_without(rig: Rig) -> None:
    letters = [letter("a", payload=b"\xff"), letter("b", topic="superagent.unknown.happened.v1")]
    rig.dead_letters["trace"].answers["ListDeadLetters"] = pb.ListDeadLettersResponse(dead_letters=letters)
    answer = await rig.http.get(f"{PATH}?service=trace", headers=rig.as_(ROOT))
    assert [each["payload"] for each in answer.json()["dead_letters"]] == [None, None]


async def test_only_consumers_are_asked(rig: Rig) -> None:
    for query in ("", "?service=retrieval", "?service=trace&limit=1000"):
        assert_problem(await rig.http.get(PATH + query, headers=rig.as_(ROOT)), 400, "invalid_request")


async def test_an_export_holds_all_pages_of_all_services_a_line_each(rig: Rig) -> None:
    def pages(request: pb.ListDeadLettersRequest) -> pb.ListDeadLettersResponse:
        if request.page.cursor:
            return pb.ListDeadLettersResponse(dead_letters=[letter("second")])
        return pb.ListDeadLettersResponse(dead_letters=[letter("first")], next_cursor="more")

    for name, stub in rig.dead_letters.items():
        stub.answers["ListDeadLetters"] = pages if name == "ingestion" else pb.ListDeadLettersResponse()
    answer = await rig.http.get(f"{PATH}/export", headers=rig.as_(ROOT))
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in answer.text.splitlines()] == [shown("first"), shown("second")]
    assert all(stub.identities[-1].principal == ROOT for stub in rig.dead_letters.values())
    one = await rig.http.get(f"{PATH}/export?service=trace", headers=rig.as_(ROOT))
    assert (one.status_code, one.text) == (200, "")


async def test_an_export_of_a_service_that_is_away_says_so(rig: Rig) -> None:
    rig.dead_letters["trace"].answers["ListDeadLetters"] = Unavailable("service_unavailable")
    answer = await rig.http.get(f"{PATH}/export?service=trace", headers=rig.as_(ROOT))
    assert_problem(answer, 503, "service_unavailable")


async def test_one_is_tried_again_or_forgotten(rig: Rig) -> None:
    trace = rig.dead_letters["trace"]
    trace.answers["RedeliverDeadLetter"] = pb.RedeliverDeadLetterResponse()
    trace.answers["DiscardDeadLetter"] = pb.DiscardDeadLetterResponse()
    assert (await rig.http.post(f"{PATH}/trace/e1/redeliver", headers=rig.as_(ROOT))).status_code == 204
    assert (await rig.http.delete(f"{PATH}/trace/e2", headers=rig.as_(ROOT))).status_code == 204
    assert trace.requests == [
        pb.RedeliverDeadLetterRequest(event_id="e1"),
        pb.DiscardDeadLetterRequest(event_id="e2"),
    ]


async def test_what_cannot_be_tried_again_says_why(rig: Rig) -> None:
    ingestion = rig.dead_letters["ingestion"]
    for error, status in ((NotFound("unknown_document"), 404), (Conflict("redelivery_failed", cause="x"), 409)):
        ingestion.answers["RedeliverDeadLetter"] = error
        answer = await rig.http.post(f"{PATH}/ingestion/e1/redeliver", headers=rig.as_(ROOT))
        assert_problem(answer, status, error.reason)
