"""What may be asked of a provider at a time and a minute, and who comes next."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import NoOpTracer

from superagent_common.errors import Exhausted
from superagent_common.llm import (
    QUEUE_FULL,
    Degraded,
    Finished,
    Message,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    ProviderGate,
    ProviderLimits,
    Queued,
    QueuedModel,
    ResilientModel,
    TextDelta,
    Usage,
)
from superagent_common.llm.fair_queue import FairQueue
from superagent_common.llm.token_bucket import BURST_SECONDS, TokenBucket
from tests.support.model_calls import RecordedSpans


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class HeldModel:
    """Answers once it is let."""

    name = "held"

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.asked: list[str] = []
        self.running = 0
        self.most = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.asked.append(request.messages[0].content)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.let.wait()
            yield TextDelta(request.messages[0].content)
            yield Usage(self.name, 100, 50, None)
            yield Finished("stop")
        finally:
            self.running -= 1

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        async with aclosing(self.stream(request)) as events:
            text = "".join([event.text async for event in events if isinstance(event, TextDelta)])
        return ModelAnswer(text, (), Usage(self.name, 100, 50, None), "stop")

    async def close(self) -> None:
        pass


class Asking:
    """A gate with a model behind it, and people who ask; `ask` gives the running call and what it was told."""

    def __init__(self, **limits: Any) -> None:
        self.model = HeldModel()
        self.person = ""
        self.clock = Clock()
        self.spans = RecordedSpans()
        self.gate = ProviderGate(ProviderLimits(**limits), self.clock)
        self.queued = QueuedModel(self.model, self.gate, lambda: self.person, self.spans.tracer)
        self.calls: list[asyncio.Task[None]] = []

    async def ask(self, person: str, text: str) -> tuple[asyncio.Task[None], list[ModelEvent]]:
        told: list[ModelEvent] = []

        async def call() -> None:
            self.person = person
            async with aclosing(self.queued.stream(asked(text))) as events:
                async for event in events:
                    told.append(event)

        task = asyncio.create_task(call())
        self.calls.append(task)
        await turns()
        return task, told


def asked(text: str, **more: Any) -> ModelRequest:
    return ModelRequest((Message("user", text),), "answer", **more)


async def turns(count: int = 20) -> None:
    """Lets everything happen that can without time passing."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.fixture
async def nobody_left() -> AsyncIterator[list[Asking]]:
    made: list[Asking] = []
    yield made
    for asking in made:
        for task in asking.calls:
            task.cancel()
        await asyncio.gather(*asking.calls, return_exceptions=True)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers()), max_size=30))
def test_people_take_turns_and_each_is_served_in_order(arrivals: list[tuple[str, int]]) -> None:
    queue: FairQueue[tuple[str, int]] = FairQueue()
    for number, (person, _) in enumerate(arrivals):
        queue.add(person, (person, number))
    foretold = list(queue)
    served = [queue.pop() for _ in range(len(queue))]
    assert served == foretold and not len(queue)
    for person in "abc":
        numbers = [number for who, number in served if who == person]
        assert numbers == sorted(numbers)
        # Between two of mine everybody else who waits has at most one.
        places = [place for place, (who, _) in enumerate(served) if who == person]
        for first, second in itertools.pairwise(places):
            between = [who for who, _ in served[first + 1 : second]]
            assert len(between) == len(set(between))


@given(st.lists(st.tuples(st.floats(0, 5), st.integers(1, 40)), min_size=1, max_size=60))
def test_no_minute_holds_more_than_the_rate_and_one_burst(arrivals: list[tuple[float, int]]) -> None:
    """Each waits for so long and then wants so much; whoever must wait does."""
    clock = Clock()
    bucket = TokenBucket(60, clock)
    taken: list[tuple[float, int]] = []
    for pause, cost in arrivals:
        clock.now += pause
        clock.now += bucket.seconds_until(cost)
        assert bucket.seconds_until(cost) == 0
        bucket.take(cost)
        taken.append((clock.now, cost))
    for start, _ in taken:
        window = sum(cost for at, cost in taken if start <= at < start + 60)
        assert window <= 60 + BURST_SECONDS + 40 + 1e-6, "the last one may leave a debt, which the next ones pay"


async def test_no_more_than_the_limit_are_under_way_and_who_waits_sees_its_place(nobody_left: list[Asking]) -> None:
    asking = Asking(concurrent=1)
    nobody_left.append(asking)
    first, said = await asking.ask("anna", "one")
    second, waiting = await asking.ask("anna", "two")
    third, behind = await asking.ask("anna", "three")
    other, turn = await asking.ask("ben", "other")
    assert (said, waiting, behind, turn) == ([], [Queued(1, "held")], [Queued(2, "held")], [Queued(2, "held")])
    asking.model.let.set()
    await asyncio.gather(first, second, third, other)
    assert asking.model.asked == ["one", "two", "other", "three"], "Ben does not wait behind all that Anna asked"
    assert asking.model.most == 1
    assert not any(isinstance(event, Queued) for event in said)
    assert [span.name for span in asking.spans.finished] == ["queue held"] * 3, "who did not wait has no such span"


async def test_whoever_leaves_the_queue_makes_room(nobody_left: list[Asking]) -> None:
    asking = Asking(concurrent=1, queue_length=1)
    nobody_left.append(asking)
    running, _ = await asking.ask("anna", "one")
    waiting, _ = await asking.ask("anna", "two")
    with pytest.raises(Exhausted) as full:
        await (await asking.ask("ben", "refused"))[0]
    assert full.value.reason == QUEUE_FULL and full.value.retry_after_seconds >= 1
    waiting.cancel()
    await turns()
    last, _ = await asking.ask("ben", "three")
    running.cancel()
    asking.model.let.set()
    await last
    assert asking.model.asked == ["one", "three"], "a call that was left is never made"


async def test_without_a_queue_what_cannot_go_now_is_refused(nobody_left: list[Asking]) -> None:
    asking = Asking(concurrent=1, queue_length=0)
    nobody_left.append(asking)
    running, _ = await asking.ask("anna", "one")
    with pytest.raises(Exhausted):
        await asking.queued.complete(asked("two"))
    asking.model.let.set()
    await running
    assert (await asking.queued.complete(asked("three"))).text == "three"


async def test_requests_beyond_the_rate_wait_until_it_allows_them() -> None:
    clock = Clock()
    gate = ProviderGate(ProviderLimits(requests_per_minute=6), clock)
    first = gate.claim("anna")
    second = gate.claim("anna")
    assert (first.position, second.position) == (0, 1)
    first.leave()
    assert second.position == 1, "that another call ended does not make it sooner"
    clock.now += 10
    third = gate.claim("ben")
    assert (second.position, third.position) == (0, 1)
    third.leave()
    second.leave()


async def test_tokens_are_settled_with_what_was_really_used() -> None:
    clock = Clock()
    gate = ProviderGate(ProviderLimits(tokens_per_minute=6_000), clock)
    model = HeldModel()
    model.let.set()
    queued = QueuedModel(model, gate, lambda: "", NoOpTracer())
    for _ in range(3):
        # Each may use 600 of a burst of 1,000, and uses 150.
        await asyncio.wait_for(queued.complete(asked("x", max_output_tokens=600)), 120)
    waiting = gate.claim("", 900)
    assert waiting.position == 1
    waiting.leave()
    clock.now += 4
    gone = gate.claim("", 900)
    assert gone.position == 0
    gone.leave()


async def test_a_full_queue_sends_to_the_backup_and_says_nothing_of_the_endpoint() -> None:
    full = QueuedModel(
        HeldModel(), ProviderGate(ProviderLimits(concurrent=1, queue_length=0), Clock()), lambda: "", NoOpTracer()
    )
    holding = asyncio.create_task(full.complete(asked("holds the place")))
    await turns()
    backup = HeldModel()
    backup.let.set()
    model = ResilientModel(full, backup, monotonic=Clock())
    for _ in range(6):
        async with aclosing(model.stream(asked("hello"))) as events:
            told = [event async for event in events]
        assert told[0] == Degraded("backup", "held", QUEUE_FULL)
    with pytest.raises(Exhausted) as failure:
        await ResilientModel(full, None, monotonic=Clock()).complete(asked("hello"))
    assert failure.value.reason == QUEUE_FULL
    holding.cancel()
    await asyncio.gather(holding, return_exceptions=True)
    async with asyncio.timeout(120):
        holding = asyncio.create_task(model.complete(asked("now it goes")))  # type: ignore[arg-type]
        await turns()
        assert not backup.asked[6:], "the breaker did not open"
        holding.cancel()


class Silent(HeldModel):
    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.asked.append(request.messages[0].content)
        yield Usage(self.name, 10, 0, None)
        yield Finished("stop")


async def test_a_model_that_says_nothing_has_failed_where_there_is_a_backup() -> None:
    backup = HeldModel()
    backup.let.set()
    model = ResilientModel(Silent(), backup, monotonic=Clock())
    async with aclosing(model.stream(asked("hello"))) as events:
        told = [event async for event in events]
    assert told[:2] == [Degraded("backup", "held", "model_said_nothing"), TextDelta("hello")]
    answer = await model.complete(asked("hello"))
    assert (answer.text, answer.degraded) == ("hello", Degraded("backup", "held", "model_said_nothing"))
    alone = ResilientModel(Silent(), None, monotonic=Clock())
    assert (await alone.complete(asked("hello"))).text == ""
    async with aclosing(alone.stream(asked("hello"))) as events:
        assert [event async for event in events] == [Usage("held", 10, 0, None), Finished("stop")]
