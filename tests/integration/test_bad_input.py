"""Bad input gets a clear answer with a reason, and whoever comes next is served as before."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import httpx
import pytest

from dev.api_client import ApiClient
from services.ingestion.tests.document_samples import docx, pdf, png, text_page, zip_of
from superagent_common.ids import new_id
from tests.support.scripted_model import ScriptedModel


def assert_problem(answer: httpx.Response, status: int, reason: str) -> dict[str, Any]:
    assert (answer.status_code, answer.json()["reason"]) == (status, reason), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in answer.text
    return answer.json()  # type: ignore[no-any-return]


async def assert_still_served(person: ApiClient) -> None:
    assert (await person.ask("你好"))[-1].event == "done"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("", "empty_question"),
        (" \r\n\t　​", "empty_question"),
        ("long " * 40_000, "question_too_long"),
        ("问" * 60_000, "question_too_long"),
    ],
    ids=["empty", "only space", "200 kB", "180 kB of Chinese"],
)
async def test_a_question_that_is_none_is_refused_and_leaves_nothing_behind(
    person: ApiClient, model: ScriptedModel, message: str, reason: str
) -> None:
    assert_problem(await person.http.post("/chat", json={"message": message}), 400, reason)
    assert (await person.http.get("/conversations")).json()["conversations"] == []
    assert list(model.requests) == []
    await assert_still_served(person)


async def test_a_body_beyond_the_limit_is_refused(anybody: ApiClient) -> None:
    assert_problem(await anybody.http.post("/chat", json={"message": "x" * 400_000}), 413, "body_too_large")
    await assert_still_served(anybody)


@pytest.mark.parametrize("conversation_id", [new_id(), "no-id-at-all", "../../etc/passwd", "'; DROP TABLE turns; --"])
async def test_an_unknown_conversation_is_not_found(anybody: ApiClient, conversation_id: str) -> None:
    body = {"message": "你好", "conversation_id": conversation_id}
    assert_problem(await anybody.http.post("/chat", json=body), 404, "unknown_conversation")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"message": "hi"', "malformed_json"),
        (b"message=hi", "malformed_json"),
        (b"\xff\xfe{}", "malformed_json"),
        (b'{"message": NaN}', None),
        (b'{"message": "\\ud800"}', None),
        (b"[" * 100_000, "malformed_request"),
        (b"", "invalid_request"),
        (b"[]", "invalid_request"),
        (b"null", "invalid_request"),
        (b'{"message": 5}', "invalid_request"),
        (b'{"message": "hi", "mode": "ANYTHING"}', "invalid_request"),
        (b'{"message": "hi", "time_zone": "Mars/Olympus"}', "unknown_time_zone"),
        (b'{"message": "hi", "time_zone": "../../etc/passwd"}', "unknown_time_zone"),
    ],
    ids=lambda value: None if isinstance(value, str) else repr(value)[:40],
)
async def test_json_of_the_wrong_form_is_refused(anybody: ApiClient, content: bytes, reason: str | None) -> None:
    answer = await anybody.http.post("/chat", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 400, answer.text
    if reason is not None:
        assert_problem(answer, 400, reason)
    await assert_still_served(anybody)


@pytest.mark.parametrize(
    "file_name",
    [
        "../secret.md",
        "a/b.md",
        "C:\\secret.md",
        "..",
        "",
        "a\x00.md",
        "a\n.md",
        "a\x1b[31m.md",
        "gpj.\u202eexe.md",
        "x" * 300,
    ],
    ids=repr,
)
async def test_file_names_with_paths_or_control_characters_are_refused(anybody: ApiClient, file_name: str) -> None:
    wanted = {"file_name": file_name, "size": 3, "sha256": "0" * 64}
    assert_problem(await anybody.http.post("/uploads", json=wanted), 400, "invalid_file_name")


async def test_uploads_of_impossible_size_or_hash_are_refused(anybody: ApiClient) -> None:
    wanted = {"file_name": "a.md", "size": 3, "sha256": "0" * 64}
    for changes, reason in (
        ({"size": -1}, "invalid_request"),
        ({"size": 11 * 1024**3}, "too_large"),
        ({"sha256": "nonsense"}, "invalid_sha256"),
    ):
        assert_problem(await anybody.http.post("/uploads", json={**wanted, **changes}), 400, reason)


async def test_a_part_must_have_its_size_and_its_hash(anybody: ApiClient) -> None:
    content = b"# Right\n\nThese are the right bytes.\n"
    wanted = {"file_name": "a.md", "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    address = f"/uploads/{(await anybody.http.post('/uploads', json=wanted)).json()['upload_id']}"

    async def put(body: bytes, number: int | str = 0, digest: str = "") -> httpx.Response:
        headers = {"content-digest": digest} if digest else {}
        return await anybody.http.put(f"{address}/parts/{number}", content=body, headers=headers)

    other = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    assert_problem(await put(content[:-1]), 400, "part_size_mismatch")
    assert_problem(await put(content + b"!"), 400, "part_size_mismatch")
    assert_problem(await put(b""), 400, "part_size_mismatch")
    assert_problem(await put(content, digest=f"sha-256=:{other}:"), 400, "part_hash_mismatch")
    assert_problem(await put(content, digest="sha-256=nonsense"), 400, "invalid_content_digest")
    assert_problem(await put(content, digest=f"md5=:{other}:"), 400, "unsupported_content_digest")
    assert_problem(await put(content, number=1), 400, "invalid_part_number")
    assert_problem(await put(content, number=-1), 400, "invalid_request")
    assert_problem(await put(content, number="zero"), 400, "invalid_request")
    assert_problem(await put(bytes(6 * 1024 * 1024)), 413, "body_too_large")
    # None of that has spoilt the upload.
    assert (await anybody.http.get(address)).json()["parts_received"] == []
    assert (await put(content)).status_code == 200
    assert_problem(await put(content[::-1]), 409, "part_differs")
    document_id = (await anybody.http.post(f"{address}/complete")).json()["document_id"]
    assert (await anybody.settled(document_id))["state"] == "READY"


async def test_a_file_that_is_not_what_its_hash_says_fails(anybody: ApiClient) -> None:
    content = b"# Swapped\n\nNot what was announced.\n"
    wanted = {"file_name": "a.md", "size": len(content), "sha256": hashlib.sha256(b"something else").hexdigest()}
    address = f"/uploads/{(await anybody.http.post('/uploads', json=wanted)).json()['upload_id']}"
    assert (await anybody.http.put(f"{address}/parts/0", content=content)).status_code == 200
    document = await anybody.settled((await anybody.http.post(f"{address}/complete")).json()["document_id"])
    assert (document["state"], document["failure"]["reason"]) == ("FAILED", "hash_mismatch")


BAD_FILES = {
    "an empty file": ("notes.txt", b"", "empty_file"),
    "a PDF of no bytes": ("report.pdf", b"", "empty_file"),
    "an encrypted PDF": ("secret.pdf", pdf([text_page("secret")], (b"open", b"own")), "encrypted"),
    "a picture named .pdf": ("photo.pdf", png(), "wrong_type"),
    "a zip bomb named .docx": ("bomb.docx", zip_of({"word/document.xml": bytes(64 << 20)}), "archive_bomb"),
    "an XML bomb in Word": (
        "lol.docx",
        docx("", prolog='<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'),
        "unsafe_xml",
    ),
    "a PDF cut short": ("cut.pdf", pdf([text_page("whole")])[:400], "unreadable"),
    "a program": ("setup.exe", b"MZ\x90\x00" + bytes(500), "unsupported_format"),
}


@pytest.mark.parametrize("case", BAD_FILES)
async def test_a_file_that_cannot_be_read_fails_with_its_reason_and_hurts_no_other(
    anybody: ApiClient, case: str
) -> None:
    file_name, content, reason = BAD_FILES[case]
    bad = await anybody.upload(file_name, content)
    good = await anybody.upload("good.md", f"# Good\n\nIt came right behind {case}.\n".encode())
    document = await anybody.settled(bad)
    assert document["state"] == "FAILED"
    assert (document["failure"]["stage"], document["failure"]["reason"]) == ("parse", reason)
    assert document["failure"]["message"].endswith(".")
    log = (await anybody.http.get(f"/documents/{bad}/log")).json()["entries"]
    assert log[-1]["level"] == "error"
    assert (await anybody.settled(good))["state"] == "READY"
    found = (await anybody.http.post("/retrieval/search", json={"question": f"Who came behind {case}?"})).json()
    assert bad not in [passage["document_id"] for passage in found["evidence"]]
    assert (await anybody.http.delete(f"/documents/{bad}")).status_code == 204
    assert (await anybody.http.delete(f"/documents/{good}")).status_code == 204


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"question": ""}, "empty_question"),
        ({"question": "x" * 9000}, "question_too_long"),
        ({"question": "x", "top_k": 0}, "invalid_request"),
        ({"question": "x", "top_k": 51}, "invalid_request"),
        ({"question": "x", "domains": "general"}, "invalid_request"),
        ({}, "invalid_request"),
    ],
    ids=lambda value: None if isinstance(value, str) else repr(value)[:40],
)
async def test_a_search_of_the_wrong_form_is_refused(anybody: ApiClient, body: dict[str, Any], reason: str) -> None:
    for path in ("/retrieval/search", "/retrieval/preview"):
        assert_problem(await anybody.http.post(path, json=body), 400, reason)


async def test_accounts_of_the_wrong_form_are_refused(anybody: ApiClient) -> None:
    good = {"username": "somebody-else", "password": "long enough for all"}
    for changes, status, reason in (
        ({"username": "a"}, 400, "invalid_username"),
        ({"username": "two words"}, 400, "invalid_username"),
        ({"password": "short"}, 400, "invalid_password"),
        ({"password": "somebody-else"}, 400, "invalid_password"),
        ({"username": anybody.user["username"].upper()}, 409, None),
    ):
        answer = await anybody.http.post("/auth/register", json={**good, **changes})
        assert answer.status_code == status, answer.text
        if reason is not None:
            assert_problem(answer, status, reason)
    wrong = {"username": anybody.user["username"], "password": "not the password"}
    unknown = {"username": "nobody-at-all", "password": "not the password"}
    for attempt in (wrong, unknown):
        assert_problem(await anybody.http.post("/auth/login", json=attempt), 401, "wrong_credentials")


async def test_addresses_and_methods_that_do_not_exist_are_problems(anybody: ApiClient) -> None:
    assert_problem(await anybody.http.get("/no/such/path"), 404, "unknown_path")
    assert_problem(await anybody.http.put("/chat", json={}), 405, "method_not_allowed")
    assert_problem(await anybody.http.get("/documents", params={"limit": 0}), 400, "invalid_request")
    answer = await anybody.http.get("/documents", params={"cursor": "nonsense"})
    assert answer.status_code == 400
