"""Documents fetched from an address, through the public door: what is fetched, and what never is."""

from __future__ import annotations

from typing import Any

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.http_origin import Origin, moved, page

PAGE = b"<!doctype html><title>Depot</title><h1>Depot rules</h1><p>The depot at Zelvograd closes at 21:45 sharp.</p>"


async def import_(person: ApiClient, url: str, **headers: str) -> str:
    answer = await person.http.post("/documents/import", json={"url": url, "tags": ["web"]}, headers=headers)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["document_id"])


async def evidence(person: ApiClient, question: str) -> list[dict[str, Any]]:
    answer = await person.http.post("/retrieval/preview", json={"question": question, "top_k": 5})
    answer.raise_for_status()
    return list(answer.json()["evidence"])


async def test_a_page_is_fetched_and_answers(fleet_with_model: Fleet, person: ApiClient, web: Origin) -> None:
    web.answers["/start"] = moved("/depot")
    web.answers["/depot"] = page(PAGE, content_type="text/html; charset=utf-8")
    url = f"http://127.0.0.7:{web.port}/start"
    document_id = await import_(person, url, **{"idempotency-key": "depot"})
    assert await import_(person, url, **{"idempotency-key": "depot"}) == document_id
    document = await person.settled(document_id)
    assert (document["state"], document["source_url"], document["file_name"]) == ("READY", url, "depot.html")
    assert (document["size"], document["tags"]) == (len(PAGE), ["web"])
    upload = document["stages"][0]
    assert (upload["name"], upload["state"], upload["counts"]) == (
        "upload",
        "completed",
        {"bytes": len(PAGE), "redirects": 1},
    )
    (passage, *_) = await evidence(person, "When does the depot at Zelvograd close?")
    assert "21:45" in passage["text"]


async def test_an_error_page_is_never_indexed(fleet_with_model: Fleet, person: ApiClient, web: Origin) -> None:
    web.answers["/gone"] = page(PAGE, "404 Not Found", content_type="text/html")
    document = await person.settled(await import_(person, f"http://127.0.0.7:{web.port}/gone"))
    assert document["state"] == "FAILED"
    assert (document["failure"]["stage"], document["failure"]["reason"]) == ("upload", "fetch_status")
    assert "404" in document["failure"]["message"]
    assert await evidence(person, "When does the depot at Zelvograd close?") == []


@pytest.mark.parametrize("inner", ["127.0.0.1", "[::1]", "169.254.169.254", "[::ffff:127.0.0.1]", "2130706433"])
async def test_nothing_inside_is_fetched(fleet_with_model: Fleet, person: ApiClient, web: Origin, inner: str) -> None:
    web.answers[f"/to/{inner}"] = moved(f"http://{inner}:{web.port}/healthz")
    for url in (f"http://{inner}:{web.port}/healthz", f"http://127.0.0.7:{web.port}/to/{inner}"):
        document = await person.settled(await import_(person, url))
        assert (document["state"], document["failure"]["reason"]) == ("FAILED", "fetch_forbidden_address")


async def test_other_ports_are_closed(fleet_with_model: Fleet, person: ApiClient) -> None:
    gateway = int(fleet_with_model.base_url.rpartition(":")[2])
    document = await person.settled(await import_(person, f"http://127.0.0.7:{gateway}/"))
    assert document["failure"]["reason"] == "fetch_forbidden_address"


@pytest.mark.parametrize("url", ["ftp://example.com/a", "http://user:pw@example.com/", "https://e.com/" + "a" * 2000])
async def test_what_is_no_web_address_is_refused_at_the_door(
    fleet_with_model: Fleet, person: ApiClient, url: str
) -> None:
    answer = await person.http.post("/documents/import", json={"url": url})
    assert answer.status_code == 400
    assert answer.json()["reason"] == "invalid_url"
