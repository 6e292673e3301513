"""What a turn does with its models: tiers, failures, usage and cost."""

from __future__ import annotations

import pytest

from dev.api_client import ApiClient
from tests.conftest import PRICE_INPUT, PRICE_OUTPUT
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel, plan_json
from tests.support.turn_events import TurnStory, assert_whole

FOLLOW_UPS = Rule(Reply(text='{"questions": ["a?", "b?", "c?"]}', usage=(300, 20)), purpose="follow_ups")
DOWN = Reply(failure=Failure("status", status=503))
MINIO_AND_BACKUP = "MinIO 的管理控制台端口是多少?另外,备份保留多少天?"


async def asked(person: ApiClient, question: str = MARKDOWN.question) -> TurnStory:
    events = await person.ask(question)
    assert_whole(events)
    return TurnStory(events)


async def stored_turn(person: ApiClient, story: TurnStory) -> dict[str, object]:
    answer = await person.http.get(f"/conversations/{story.conversation_id}/turns")
    return answer.json()["turns"][0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", ["cut", "no_finish", "garbage", "error_event"])
async def test_a_model_that_breaks_off_leaves_an_error_to_retry_and_what_it_said(
    reader: ApiClient, model: ScriptedModel, kind: str
) -> None:
    said = "The console listens on port 9001 [1] and the"
    broken = Reply(text=said + " rest is never sent.", deltas=16, failure=Failure(kind, after_deltas=10))  # type: ignore[arg-type]
    model.answer_with(Rule(broken, purpose="answer", times=1), FOLLOW_UPS)
    story = await asked(reader)
    error = story.only("error")
    assert error["retryable"] is True
    assert error["reason"].startswith("model_")
    assert story.text
    assert said.startswith(story.text[:30])
    turn = await stored_turn(reader, story)
    assert (turn["answer"], turn["state"]) == (story.text, "FAILED")
    trace = await reader.trace(story.turn_id)
    assert trace["state"] == "FAILED"
    assert trace["error"]["reason"] == error["reason"]
    # Asking again works: nothing of the conversation is locked.
    model.answer_with(Rule(Reply(text="Port 9001 [1]."), purpose="answer"), FOLLOW_UPS)
    again = TurnStory(await reader.ask(MARKDOWN.question, story.conversation_id))
    assert (again.finish_reason, again.text) == ("stop", "Port 9001 [1].")


async def test_with_all_models_down_the_answer_is_quoted(reader: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(Rule(DOWN))
    story = await asked(reader)
    assert story.degraded == ["extractive"]
    assert story.only("degraded")["reason"] == "model_down"
    assert MARKDOWN.fact in story.text
    assert story.cited <= story.sources.keys()
    assert story.finish_reason == "stop"
    trace = await reader.trace(story.turn_id)
    assert [tier["tier"] for tier in trace["degraded"]] == ["extractive"]


async def test_the_backup_answers_when_the_primary_is_down(reader: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(
        Rule(DOWN, model="scripted", purpose="answer"),
        Rule(Reply(text="The backup knows: 9001 [1]."), model="scripted-backup", purpose="answer"),
        FOLLOW_UPS,
    )
    story = await asked(reader)
    assert story.degraded == ["backup_model"]
    assert story.text == "The backup knows: 9001 [1]."
    assert story.all("usage")[0]["model"] == "scripted-backup"
    assert [request.body["model"] for request in model.requests] == ["scripted", "scripted-backup", "scripted"]


async def test_tokens_and_cost_are_the_providers_in_stream_trace_and_usage(
    reader: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(
        Rule(Reply(text=plan_json(MARKDOWN.question), usage=(200, 30)), purpose="plan"),
        Rule(Reply(text="Port 9001 [1].", usage=(1000, 500)), purpose="answer"),
        FOLLOW_UPS,
    )
    story = await asked(reader)
    # Planning, answer and follow-ups together.
    cost = (1500 * PRICE_INPUT + 550 * PRICE_OUTPUT) / 1e6
    usage = story.all("usage")[-1]
    assert (usage["model"], usage["input"], usage["output"]) == ("scripted", 1500, 550)
    assert usage["model_calls"] == 3
    assert usage["cost"] == pytest.approx(cost)
    assert usage["limits"]["model_calls"] == 8
    traced = (await reader.trace(story.turn_id))["usage"]
    assert (traced["input_tokens"], traced["output_tokens"], traced["model_calls"]) == (1500, 550, 3)
    assert traced["cost"] == pytest.approx(cost)


async def test_two_questions_in_one_are_both_searched_and_answered(reader: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(Rule(Reply(text="1. 9001 [1]\n2. 30 天 [1]"), purpose="answer"), FOLLOW_UPS)
    story = await asked(reader, MINIO_AND_BACKUP)
    questions = [question["text"] for question in story.plan["sub_questions"]]
    assert len(questions) == 2
    retrieve = next(
        stage for stage in story.all("stage") if stage["name"] == "retrieve" and stage["state"] != "STARTED"
    )
    assert [searched["question"] for searched in retrieve["detail"]["questions"]] == questions
    prompt = model.requests[0].body["messages"][-1]["content"]
    assert all(question in prompt for question in questions)
    assert story.text == "1. 9001 [1]\n2. 30 天 [1]"


async def test_two_questions_in_one_are_both_quoted_without_a_model(person_without_model: ApiClient) -> None:
    document_id = await person_without_model.upload(MARKDOWN.file_name, MARKDOWN.content)
    await person_without_model.settled(document_id)
    story = await asked(person_without_model, MINIO_AND_BACKUP)
    assert len(story.plan["sub_questions"]) == 2
    first, second = story.text.split("2. **")
    assert first.startswith("1. **")
    assert "9001" in first
    assert "30 天" in second


async def test_an_empty_answer_of_the_model_is_replaced_by_quotes(reader: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(Rule(Reply(text=""), purpose="answer"), FOLLOW_UPS)
    story = await asked(reader)
    assert story.degraded == ["extractive"]
    assert MARKDOWN.fact in story.text


async def test_citations_are_checked_while_they_stream(reader: ApiClient, model: ScriptedModel) -> None:
    said = "Port 9001【１】, not 9000 [7], see `rows[7]` and [1, 8]."
    model.answer_with(Rule(Reply(text=said, deltas=len(said), delay_seconds=0.002), purpose="answer"), FOLLOW_UPS)
    story = await asked(reader)
    assert story.text == "Port 9001[1], not 9000 , see `rows[7]` and [1]."
    assert list(story.sources) == [1]


async def test_small_talk_costs_no_model_call(person: ApiClient, model: ScriptedModel) -> None:
    story = await asked(person, "你好")
    assert story.plan["mode"] == "DIRECT"
    assert story.finish_reason == "stop"
    assert list(model.requests) == []


async def test_a_plain_question_without_knowledge_is_answered_by_the_model_alone(
    person: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(Rule(Reply(text="Sunny, I suppose [1].")))
    story = await asked(person, "What is the weather in Berlin today?")
    assert story.text == "Sunny, I suppose ."
    assert not story.all("sources")
