"""The main job over HTTP: register, log in, upload in parts, wait for READY, ask, get an answer with citations."""

from __future__ import annotations

import asyncio
import base64
import hashlib

import pytest

from dev.api_client import ApiClient
from tests.support.knowledge import SAMPLES, Sample, large_word_file
from tests.support.scripted_model import Reply, Rule, ScriptedModel
from tests.support.turn_events import TurnStory, assert_whole


async def indexed(person: ApiClient, sample: Sample) -> str:
    document_id = await person.upload(sample.file_name, sample.content)
    document = await person.settled(document_id)
    assert document["state"] == "READY", document.get("failure")
    return document_id


async def asked(person: ApiClient, question: str, conversation_id: str | None = None) -> TurnStory:
    events = await person.ask(question, conversation_id)
    assert_whole(events)
    return TurnStory(events)


def assert_cites(story: TurnStory, document_id: str, sample: Sample) -> None:
    """Every number in the text is a source, and the best source is the passage that answers."""
    assert story.cited
    assert story.cited <= story.sources.keys()
    source = story.sources[min(story.cited)]
    assert source["document_id"] == document_id
    assert "".join(sample.fact.split()) in "".join(source["snippet"].split())
    assert (source.get("page_from"), source.get("page_to")) == (sample.page, sample.page)
    if sample.heading:
        assert sample.heading in source["heading_path"] or sample.heading in source["snippet"]


@pytest.mark.parametrize("kind", SAMPLES)
async def test_the_model_answers_from_a_document_with_citations_and_follow_ups(
    person: ApiClient, model: ScriptedModel, kind: str
) -> None:
    sample = SAMPLES[kind]
    document_id = await indexed(person, sample)
    model.answer_with(
        Rule(Reply(text=f"{sample.fact} [1], and nothing else [7]."), purpose="answer"),
        Rule(Reply(text='{"questions": ["One?", "Two?", "Three?"]}'), purpose="follow_ups"),
    )
    story = await asked(person, sample.question)
    # The model was shown the passage; the citation it invented is gone.
    assert "".join(sample.fact.split()) in "".join(model.requests[0].body["messages"][-1]["content"].split())
    assert sample.fact in story.text
    assert story.cited == {1}
    assert_cites(story, document_id, sample)
    assert story.only("follow_ups")["questions"] == ["One?", "Two?", "Three?"]
    assert story.only("sources")["retrieval_mode"] == "HYBRID"
    assert story.finish_reason == "stop"
    assert not story.degraded


@pytest.mark.parametrize("kind", SAMPLES)
async def test_without_a_model_the_answer_is_quoted_from_the_document(
    person_without_model: ApiClient, kind: str
) -> None:
    sample = SAMPLES[kind]
    document_id = await indexed(person_without_model, sample)
    story = await asked(person_without_model, sample.question)
    assert sample.fact in story.text
    assert_cites(story, document_id, sample)
    # Rules suggest what the evidence's headings hold, which may be fewer than a model's three.
    assert 1 <= len(story.only("follow_ups")["questions"]) <= 3
    assert story.degraded == ["extractive"]
    assert story.finish_reason == "stop"
    assert story.all("usage")[-1]["model_calls"] == 0


async def test_a_large_file_comes_in_parts_in_any_order_and_goes_on_after_a_break(
    person: ApiClient, model: ScriptedModel
) -> None:
    sample = large_word_file()
    digest = hashlib.sha256(sample.content).hexdigest()
    wanted = {"file_name": sample.file_name, "size": len(sample.content), "sha256": digest}
    upload = (await person.http.post("/uploads", json=wanted)).json()
    address, size = f"/uploads/{upload['upload_id']}", upload["part_size"]
    assert (upload["parts_total"], upload["parts_received"], upload["instant"]) == (3, [], False)

    async def put(number: int) -> list[int]:
        part = sample.content[number * size : (number + 1) * size]
        announced = base64.b64encode(hashlib.sha256(part).digest()).decode()
        headers = {"content-digest": f"sha-256=:{announced}:"}
        answer = await person.http.put(f"{address}/parts/{number}", content=part, headers=headers)
        assert answer.status_code == 200, answer.text
        return list(answer.json()["parts_received"])

    assert await put(2) == [2]
    early = await person.http.post(f"{address}/complete")
    assert (early.status_code, early.json()["reason"]) == (409, "parts_missing")
    # A client that comes back asks what is there, and sends the rest.
    assert (await person.http.get(address)).json()["parts_received"] == [2]
    await asyncio.gather(put(0), put(1))
    assert await put(1) == [0, 1, 2]

    completed = [(await person.http.post(f"{address}/complete")).json()["document_id"] for _ in range(2)]
    assert completed[0] == completed[1]
    document = await person.settled(completed[0])
    assert document["state"] == "READY", document.get("failure")
    assert (document["size"], document["sha256"]) == (len(sample.content), digest)
    story = await asked(person, sample.question)
    assert_cites(story, completed[0], sample)


async def test_a_deleted_document_answers_no_more(person: ApiClient, model: ScriptedModel) -> None:
    sample = SAMPLES["markdown"]
    document_id = await indexed(person, sample)
    assert (await person.http.delete(f"/documents/{document_id}")).status_code == 204
    assert (await person.http.get(f"/documents/{document_id}")).status_code == 404
    found = (await person.http.post("/retrieval/search", json={"question": sample.question})).json()
    assert found["evidence"] == []
    # The same file again is a new document.
    assert await indexed(person, sample) != document_id


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("公司的差旅报销标准是什么?", "当前文档中没有检索到足够证据"),
        ("What is the travel expense policy of the company?", "do not hold enough evidence"),
    ],
)
async def test_without_evidence_no_model_is_asked_for_an_answer(
    person: ApiClient, model: ScriptedModel, question: str, said: str
) -> None:
    story = await asked(person, question)
    assert said in story.text
    assert question[:-1] in story.text
    assert story.finish_reason == "no_evidence"
    assert story.only("sources") | {"sources": [], "retrieval_mode": "NONE"} == story.only("sources")
    assert list(model.requests) == []
    assert story.all("usage")[-1]["model_calls"] == len(model.planning_requests) == 1
