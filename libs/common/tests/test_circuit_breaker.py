import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_common.circuit_breaker import FAILURES_IN_A_ROW, OPEN_SECONDS, CircuitBreaker, Entry


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(clock)


def entered(breaker: CircuitBreaker) -> Entry:
    entry = breaker.enter()
    assert entry is not None
    return entry


def fail(breaker: CircuitBreaker, times: int) -> None:
    for _ in range(times):
        breaker.failed(entered(breaker))


def test_five_failures_in_a_row_open_it(breaker: CircuitBreaker) -> None:
    fail(breaker, 4)
    assert breaker.enter() == "normal"
    breaker.failed("normal")
    assert breaker.enter() is None


def test_a_success_between_starts_the_count_again(breaker: CircuitBreaker) -> None:
    fail(breaker, 4)
    breaker.succeeded(entered(breaker))
    fail(breaker, 4)
    assert breaker.enter() == "normal"


def test_a_call_that_was_left_neither_counts_nor_resets(breaker: CircuitBreaker) -> None:
    fail(breaker, 4)
    breaker.left(entered(breaker))
    fail(breaker, 1)
    assert breaker.enter() is None


def test_after_thirty_seconds_one_probe_goes_and_the_rest_wait(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now += OPEN_SECONDS - 0.001
    assert breaker.enter() is None
    clock.now += 0.001
    assert breaker.enter() == "probe"
    assert breaker.enter() is None


def test_a_probe_that_succeeds_closes_it(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now += OPEN_SECONDS
    breaker.succeeded(entered(breaker))
    fail(breaker, 4)
    assert breaker.enter() == "normal"


def test_a_probe_that_fails_opens_it_for_another_thirty_seconds(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now += OPEN_SECONDS
    breaker.failed(entered(breaker))
    clock.now += OPEN_SECONDS - 0.001
    assert breaker.enter() is None
    clock.now += 0.001
    assert breaker.enter() == "probe"


def test_a_probe_that_was_left_makes_room_for_another(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now += OPEN_SECONDS
    breaker.left(entered(breaker))
    assert breaker.enter() == "probe"


def test_the_first_token_of_a_probe_lets_others_in_and_its_break_shuts_them_out(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    fail(breaker, 5)
    clock.now += OPEN_SECONDS
    probe = entered(breaker)
    breaker.answering(probe)
    assert breaker.enter() == "normal"
    breaker.failed(probe)
    assert breaker.enter() is None


def test_late_failures_of_calls_begun_before_do_not_prolong_the_time(breaker: CircuitBreaker, clock: Clock) -> None:
    late = [entered(breaker) for _ in range(10)]
    fail(breaker, 5)
    clock.now += OPEN_SECONDS - 1
    for entry in late:
        breaker.failed(entry)
    clock.now += 1
    assert breaker.enter() == "probe"


@given(st.lists(st.sampled_from(["succeeded", "failed", "left"]), max_size=60))
def test_one_call_at_a_time_it_is_open_exactly_after_five_failures_in_a_row(outcomes: list[str]) -> None:
    breaker = CircuitBreaker(Clock())
    in_a_row = 0
    for outcome in outcomes:
        entry = breaker.enter()
        assert (entry is None) == (in_a_row >= FAILURES_IN_A_ROW)
        if entry is None:
            return
        getattr(breaker, outcome)(entry)
        in_a_row = {"succeeded": 0, "failed": in_a_row + 1, "left": in_a_row}[outcome]
