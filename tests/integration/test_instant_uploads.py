"""Instant uploads through the whole fleet: nothing travels, nothing is embedded, nothing leaks."""

from __future__ import annotations

import json

import pytest

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.ids import new_id
from tests.integration.test_bad_input import assert_problem
from tests.support.knowledge import manual
from tests.support.scripted_model import ScriptedModel
from tests.support.upload_steps import Truths, begin, complete, proof_of, prove, send

SAID = {
    "title": "Zebra title",
    "tags": ["zebra-tag"],
    "domain_code": "zebra-domain",
    "business_category": "zebra-category",
    "language": "en",
}


async def ready(person: ApiClient, content: bytes, **said: object) -> str:
    document_id = await person.upload("zebra-name.md", content, **said)
    assert (await person.settled(document_id))["state"] == "READY"
    return document_id


def embedded(embedder: ScriptedModel, word: str) -> int:
    """Requests for vectors of passages with this word."""
    return sum(word in json.dumps(request.to_json()) for request in embedder.requests)


async def answers(person: ApiClient, word: str) -> list[str]:
    """Documents that a search for the word finds."""
    found = await person.http.post("/retrieval/search", json={"question": f"Which valve does step 5 of {word} turn?"})
    return [passage["document_id"] for passage in found.json()["evidence"]]


async def test_a_proof_makes_a_document_that_answers_without_a_part_or_a_vector(
    anna_and_ben: tuple[ApiClient, ApiClient], endpoint_embedder: ScriptedModel, word: str
) -> None:
    anna, ben = anna_and_ben
    content = manual(word)
    annas = await ready(anna, content, **SAID)
    calls = embedded(endpoint_embedder, word)
    assert calls > 0

    upload = await begin(ben, content, title="Mine", tags=["mine"])
    assert upload["instant"] is False and "document_id" not in upload
    done = await prove(ben, upload, proof_of(upload, content))
    assert done.status_code == 200, done.text
    assert done.json()["instant"] is True and "challenge" not in done.json()
    bens = done.json()["document_id"]
    document = await ben.settled(bens)
    assert (document["state"], document["instant"], document["answering"]) == ("READY", True, True)
    assert embedded(endpoint_embedder, word) == calls
    stages = {stage["name"]: stage for stage in document["stages"]}
    original = await anna.document(annas)
    assert document["chunks"] == original["chunks"]
    assert stages["index"]["counts"] == {
        "children": original["chunks"]["children"],
        "embedded": 0,
        "copied": original["chunks"]["children"],
    }
    assert stages["upload"]["counts"]["parts"] == 0

    # It answers Ben, with what Ben said of it, and can be read; neither sees the other's.
    assert set(await answers(ben, word)) == {bens} and set(await answers(anna, word)) == {annas}
    assert (await ben.http.get(f"/documents/{annas}")).status_code == 404
    told = json.dumps([document, (await ben.http.get(f"/documents/{bens}/log")).json()])
    assert "zebra" not in told.lower()
    assert (document["title"], document["tags"], document["domain_code"]) == ("Mine", ["mine"], "general")

    # What Anna deletes stays Ben's.
    assert (await anna.http.delete(f"/documents/{annas}")).status_code == 204
    assert set(await answers(ben, word)) == {bens}
    found = (await ben.http.post("/retrieval/search", json={"question": f"step 5 of {word}"})).json()["evidence"]
    chunk = found[0]["children"][0]["chunk_id"]
    opened = await ben.http.get(f"/documents/{bens}/passages", params={"chunk_id": chunk})
    assert word in opened.text


async def test_a_public_original_makes_no_public_copy(
    fleet_without_model: Fleet, anna_and_ben: tuple[ApiClient, ApiClient], word: str
) -> None:
    anna, ben = anna_and_ben
    content = manual(word)
    annas = await ready(anna, content, is_public=True)
    upload = await begin(ben, content)
    bens = (await prove(ben, upload, proof_of(upload, content))).json()["document_id"]
    assert (await ben.settled(bens))["is_public"] is False
    async with ApiClient(fleet_without_model.base_url) as carl:
        await carl.sign_up()
        assert set(await answers(carl, word)) == {annas}


async def test_ones_own_content_is_there_at_once(
    anna_and_ben: tuple[ApiClient, ApiClient], endpoint_embedder: ScriptedModel, word: str
) -> None:
    anna, _ = anna_and_ben
    content = manual(word)
    first = await ready(anna, content)
    calls = embedded(endpoint_embedder, word)
    upload = await begin(anna, content)
    assert upload["instant"] is True and upload["document_id"] != first
    assert (await complete(anna, upload)).json()["document_id"] == upload["document_id"]
    assert (await anna.settled(upload["document_id"]))["state"] == "READY"
    assert embedded(endpoint_embedder, word) == calls


async def test_only_the_content_itself_answers_a_challenge(
    anna_and_ben: tuple[ApiClient, ApiClient], truths: Truths, word: str
) -> None:
    anna, ben = anna_and_ben
    content = manual(word)
    await ready(anna, content)
    upload = await begin(ben, content)
    right = proof_of(upload, content)
    for digest in ("", "0" * 63, "x" * 64, "0" * 65):
        assert (await prove(ben, upload, digest)).status_code == 400
    assert_problem(await prove(ben, upload, "g" * 64), 400, "invalid_digest")
    assert_problem(await prove(anna, upload, right), 404, "unknown_upload")
    assert_problem(await prove(ben, {"upload_id": "no-upload"}, right), 404, "unknown_upload")
    assert_problem(await prove(ben, upload, proof_of(upload, content[:-1] + b"!")), 403, "possession_not_proved")
    assert_problem(await prove(ben, upload, right), 409, "no_challenge")
    # Parts complete it all the same.
    await send(ben, upload, content, 0)
    document_id = (await complete(ben, upload)).json()["document_id"]
    document = await ben.settled(document_id)
    assert (document["state"], document["instant"]) == ("READY", False)
    assert_problem(await prove(ben, upload, right), 409, "no_challenge")

    late = await begin(anna, manual("other" + word))
    assert_problem(await prove(anna, late, right), 409, "no_challenge")
    late = await begin(await fresh(ben), content)
    assert "challenge" in late


async def fresh(person: ApiClient) -> ApiClient:
    """Another person, in the same client."""
    return await person.sign_up()


async def test_a_proof_comes_too_late_after_ten_minutes(
    anna_and_ben: tuple[ApiClient, ApiClient], truths: Truths, word: str
) -> None:
    anna, ben = anna_and_ben
    content = manual(word)
    await ready(anna, content)
    upload = await begin(ben, content)
    await truths.sql(
        "UPDATE uploads SET challenge = json_set(challenge, '$.expires_at', json_extract(challenge, '$.expires_at') - ?)"
        " WHERE upload_id = ?",
        600 * 1_000_000,
        upload["upload_id"],
    )
    assert_problem(await prove(ben, upload, proof_of(upload, content)), 409, "challenge_expired")
    assert "challenge" not in (await ben.http.get(f"/uploads/{upload['upload_id']}")).json()
    await send(ben, upload, content, 0)
    assert (await ben.settled((await complete(ben, upload)).json()["document_id"]))["state"] == "READY"


async def test_a_lost_object_falls_back_to_parts(
    anna_and_ben: tuple[ApiClient, ApiClient], truths: Truths, word: str
) -> None:
    anna, ben = anna_and_ben
    content = manual(word)
    annas = await ready(anna, content)
    upload = await begin(ben, content)
    await truths.objects.remove([f"documents/{annas}"])
    after = await prove(ben, upload, proof_of(upload, content))
    assert after.status_code == 200 and after.json()["instant"] is False and "challenge" not in after.json()
    assert "challenge" not in await begin(ben, content)
    await send(ben, upload, content, 0)
    assert (await ben.settled((await complete(ben, upload)).json()["document_id"]))["state"] == "READY"


@pytest.fixture
def truths(fleet_without_model: Fleet) -> Truths:
    return Truths(fleet_without_model)


async def test_a_large_content_is_proved_by_ranges(anna_and_ben: tuple[ApiClient, ApiClient], truths: Truths) -> None:
    """Its document need not be readable for that: only what was verified serves, so it is made so."""
    anna, ben = anna_and_ben
    content = (b"MZ\x90\x00" + new_id().encode() * 200_000)[: 6 * 1024 * 1024]
    annas = await anna.upload("large.exe", content)
    assert (await anna.settled(annas))["state"] == "FAILED"
    assert "challenge" not in await begin(ben, content)
    await truths.sql("UPDATE documents SET state = 'ready' WHERE document_id = ?", annas)
    upload = await begin(ben, content, file_name="mine.exe")
    ranges = upload["challenge"]["ranges"]
    assert len(ranges) == 8 and sum(piece["end"] - piece["start"] for piece in ranges) == 512 * 1024
    done = (await prove(ben, upload, proof_of(upload, content))).json()
    assert await truths.objects.get(f"documents/{done['document_id']}") == content
