import asyncio
from contextlib import aclosing

import pytest

from superagent_common.circuit_breaker import FAILURES_IN_A_ROW, OPEN_SECONDS
from superagent_common.errors import Exhausted, Timeout, Unavailable
from superagent_common.llm import (
    MODEL_FAILURES,
    Degraded,
    Finished,
    ModelEvent,
    ResilientModel,
    TextDelta,
    Timeouts,
    Tool,
    ToolCall,
)
from tests.support.model_calls import ModelAt, asking, events_of, text_of
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel, ScriptedToolCall

DOWN = Reply(failure=Failure("status", status=503))
BACKUP_ANSWERS = Rule(Reply(text="from backup", reports_usage=False), model="backup")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model(scripted_model: ScriptedModel, model_at: ModelAt, clock: Clock) -> ResilientModel:
    primary, backup = (model_at(scripted_model.base_url, name) for name in ("primary", "backup"))
    return ResilientModel(primary, backup, monotonic=clock)


def asked(scripted_model: ScriptedModel) -> list[str]:
    return [request.body["model"] for request in scripted_model.requests]


async def test_a_healthy_primary_answers_and_nothing_is_degraded(
    scripted_model: ScriptedModel, model: ResilientModel
) -> None:
    events = await events_of(model, asking())
    assert not any(isinstance(event, Degraded) for event in events)
    assert (await model.complete(asking())).degraded is None
    assert asked(scripted_model) == ["primary", "primary"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (DOWN, "model_down"),
        (Reply(failure=Failure("status", status=401)), "model_auth"),
        (Reply(failure=Failure("status", status=429)), "model_rate_limited"),
        (Reply(failure=Failure("status", status=400)), "model_rejected_request"),
        (Reply(text="x", failure=Failure("garbage", after_deltas=0)), "model_bad_response"),
        (Reply(text="x", failure=Failure("cut", after_deltas=0)), "model_stream_broken"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_primary_that_fails_before_its_first_token_is_replaced_and_the_reason_told(
    scripted_model: ScriptedModel, model: ResilientModel, reply: Reply, reason: str
) -> None:
    scripted_model.answer_with(Rule(reply, model="primary"), BACKUP_ANSWERS)
    events = await events_of(model, asking())
    assert events[0] == Degraded("backup", "backup", reason)
    assert text_of(events) == "from backup"
    assert events[-1] == Finished("stop")


async def test_a_primary_that_does_not_begin_is_replaced(
    scripted_model: ScriptedModel, model_at: ModelAt, clock: Clock
) -> None:
    scripted_model.answer_with(
        Rule(Reply(text="x", failure=Failure("hang", after_deltas=0)), model="primary"), BACKUP_ANSWERS
    )
    silent = model_at(scripted_model.base_url, "primary", timeouts=Timeouts(first_token=0.5))
    model = ResilientModel(silent, model_at(scripted_model.base_url, "backup"), monotonic=clock)
    events = await events_of(model, asking())
    assert events[0] == Degraded("backup", "backup", "model_first_token_timeout")
    assert text_of(events) == "from backup"


async def test_a_whole_answer_of_the_backup_says_so(scripted_model: ScriptedModel, model: ResilientModel) -> None:
    scripted_model.answer_with(Rule(DOWN, model="primary"), BACKUP_ANSWERS)
    answer = await model.complete(asking())
    assert answer.text == "from backup"
    assert answer.degraded == Degraded("backup", "backup", "model_down")


async def test_after_the_first_token_the_break_is_told_and_no_second_answer_begins(
    scripted_model: ScriptedModel, model: ResilientModel
) -> None:
    scripted_model.answer_with(
        Rule(Reply(text="abcd", deltas=4, failure=Failure("cut", after_deltas=2)), model="primary"), BACKUP_ANSWERS
    )
    events: list[ModelEvent] = []
    with pytest.raises(Unavailable, match="broke off"):
        async with aclosing(model.stream(asking())) as stream:
            async for event in stream:
                events.append(event)
    assert events == [TextDelta("ab")]
    assert asked(scripted_model) == ["primary"]


async def test_when_both_fail_the_last_failure_is_raised(scripted_model: ScriptedModel, model: ResilientModel) -> None:
    scripted_model.answer_with(
        Rule(DOWN, model="primary"), Rule(Reply(failure=Failure("status", status=429)), model="backup")
    )
    with pytest.raises(Exhausted):
        await events_of(model, asking())
    with pytest.raises(Exhausted):
        await model.complete(asking())


async def test_a_primary_that_failed_five_times_is_left_alone_then_probed_once(
    scripted_model: ScriptedModel, model: ResilientModel, clock: Clock
) -> None:
    scripted_model.answer_with(Rule(DOWN, model="primary", times=FAILURES_IN_A_ROW), BACKUP_ANSWERS)
    for _ in range(FAILURES_IN_A_ROW):
        await model.complete(asking())
    answer = await model.complete(asking())
    assert answer.degraded == Degraded("backup", "backup", "model_circuit_open")
    assert asked(scripted_model).count("primary") == FAILURES_IN_A_ROW
    clock.now += OPEN_SECONDS
    assert (await model.complete(asking())).degraded is None
    assert (await events_of(model, asking()))[-1] == Finished("stop")
    assert asked(scripted_model).count("primary") == FAILURES_IN_A_ROW + 2


async def test_requests_the_endpoint_rejects_do_not_open_the_circuit(
    scripted_model: ScriptedModel, model: ResilientModel
) -> None:
    rejected = Rule(Reply(failure=Failure("status", status=400)), user="bad")
    scripted_model.answer_with(rejected, default=Reply(text="good"))
    for _ in range(FAILURES_IN_A_ROW + 1):
        with pytest.raises(Unavailable):
            await model.complete(asking("bad"))
    assert (await model.complete(asking("fine"))).degraded is None


async def test_streams_that_break_in_the_middle_open_the_circuit_too(
    scripted_model: ScriptedModel, model: ResilientModel
) -> None:
    scripted_model.answer_with(
        Rule(Reply(text="abcd", failure=Failure("cut", after_deltas=1)), model="primary"), BACKUP_ANSWERS
    )
    for _ in range(FAILURES_IN_A_ROW):
        with pytest.raises(Unavailable):
            await events_of(model, asking())
    assert (await events_of(model, asking()))[0] == Degraded("backup", "backup", "model_circuit_open")


async def test_a_viewer_who_leaves_the_probe_does_not_keep_the_circuit_open(
    scripted_model: ScriptedModel, model: ResilientModel, clock: Clock
) -> None:
    scripted_model.answer_with(Rule(DOWN, model="primary", times=FAILURES_IN_A_ROW), BACKUP_ANSWERS)
    for _ in range(FAILURES_IN_A_ROW):
        await model.complete(asking())
    clock.now += OPEN_SECONDS
    async with aclosing(model.stream(asking())) as events:
        assert isinstance(await anext(events), TextDelta)
    assert (await model.complete(asking())).degraded is None


async def test_a_probe_cancelled_before_its_first_token_makes_room_for_another(
    scripted_model: ScriptedModel, model: ResilientModel, clock: Clock
) -> None:
    scripted_model.answer_with(
        Rule(DOWN, model="primary", times=FAILURES_IN_A_ROW),
        Rule(Reply(first_delay_seconds=60), model="primary", times=1),
        BACKUP_ANSWERS,
    )
    for _ in range(FAILURES_IN_A_ROW):
        await model.complete(asking())
    clock.now += OPEN_SECONDS
    probe = asyncio.ensure_future(model.complete(asking()))
    await scripted_model.received(2 * FAILURES_IN_A_ROW + 1)
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    assert (await model.complete(asking())).degraded is None


async def test_the_first_token_of_a_probe_lets_others_in(
    scripted_model: ScriptedModel, model: ResilientModel, clock: Clock
) -> None:
    scripted_model.answer_with(
        Rule(DOWN, model="primary", times=FAILURES_IN_A_ROW),
        Rule(Reply(text="long " * 1000, delay_seconds=0.01), user="at length"),
        BACKUP_ANSWERS,
    )
    for _ in range(FAILURES_IN_A_ROW):
        await model.complete(asking())
    clock.now += OPEN_SECONDS
    async with aclosing(model.stream(asking("at length"))) as probe:
        assert isinstance(await anext(probe), TextDelta)
        assert (await model.complete(asking())).degraded is None


async def test_leaving_the_stream_cancels_the_call_below(scripted_model: ScriptedModel, model: ResilientModel) -> None:
    scripted_model.answer_with(default=Reply(text="x" * 1000, deltas=1000, delay_seconds=0.01))
    async with aclosing(model.stream(asking())) as events:
        await anext(events)
    await scripted_model.requests[0].ended.wait()
    assert scripted_model.requests[0].outcome == "client_closed"


async def test_without_a_backup_the_circuit_refuses_at_once(
    scripted_model: ScriptedModel, model_at: ModelAt, clock: Clock
) -> None:
    model = ResilientModel(model_at(scripted_model.base_url), None, monotonic=clock)
    scripted_model.answer_with(default=Reply(text="x", failure=Failure("status", status=504)))
    for _ in range(FAILURES_IN_A_ROW):
        with pytest.raises(Timeout):
            await model.complete(asking())
    with pytest.raises(MODEL_FAILURES) as refusal:
        await events_of(model, asking())
    assert refusal.value.reason == "model_circuit_open"
    assert len(scripted_model.requests) == FAILURES_IN_A_ROW


BLANK = Reply(text=" \n\t", deltas=3)
UNASKED = Reply(tool_calls=(ScriptedToolCall("find", "{}"),))


@pytest.mark.parametrize("reply", [BLANK, UNASKED], ids=["blanks", "a tool that was not offered"])
async def test_what_nobody_can_read_is_no_answer(
    scripted_model: ScriptedModel, model_at: ModelAt, model: ResilientModel, reply: Reply
) -> None:
    scripted_model.answer_with(BACKUP_ANSWERS, default=reply)
    told = await events_of(model, asking())
    assert (told[0], text_of(told)) == (Degraded("backup", "backup", "model_said_nothing"), "from backup")
    answer = await model.complete(asking())
    assert (answer.text, answer.degraded) == ("from backup", Degraded("backup", "backup", "model_said_nothing"))
    alone = ResilientModel(model_at(scripted_model.base_url, "primary"), None, monotonic=Clock())
    assert not any(isinstance(event, TextDelta | ToolCall) for event in await events_of(alone, asking()))
    assert (await alone.complete(asking())).tool_calls == ()


async def test_a_tool_that_was_offered_is_an_answer(scripted_model: ScriptedModel, model: ResilientModel) -> None:
    scripted_model.answer_with(BACKUP_ANSWERS, default=UNASKED)
    offered = asking(tools=(Tool("find", "Finds.", {"type": "object"}),))
    assert ToolCall("call_1", "find", "{}") in await events_of(model, offered)
    assert (await model.complete(offered)).tool_calls == (ToolCall("call_1", "find", "{}"),)
