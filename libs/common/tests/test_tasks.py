"""Background tasks end with their block, whatever they do with a cancellation."""

import asyncio

import structlog

from superagent_common.errors import Unavailable
from superagent_common.logging import get_logger
from superagent_common.tasks import end, repeating, running


async def test_a_task_that_swallows_a_cancellation_ends_all_the_same() -> None:
    swallowed = 0

    async def stubborn() -> None:
        nonlocal swallowed
        while swallowed < 2:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                swallowed += 1
        await asyncio.Event().wait()

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    async with asyncio.timeout(120):
        await end(task)
    assert (swallowed, task.cancelled()) == (2, True)


async def test_work_runs_beside_the_block_and_ends_with_it() -> None:
    begun, ended = asyncio.Event(), False

    async def work() -> None:
        nonlocal ended
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended = True

    async def fails() -> None:
        raise OSError

    async with asyncio.timeout(120), running(work(), fails()):
        await begun.wait()
    assert ended


async def test_repeated_work_outlives_whatever_it_raises() -> None:
    failures: list[Exception] = [Unavailable("database_locked"), RuntimeError("disk"), ValueError("bug")]
    succeeded = asyncio.Event()

    async def work() -> None:
        if failures:
            raise failures.pop(0)
        succeeded.set()

    with structlog.testing.capture_logs() as lines:
        async with running(repeating(work, 0, get_logger("test"), "not_done")):
            async with asyncio.timeout(120):
                await succeeded.wait()
    assert [(line["event"], line["log_level"], line.get("reason")) for line in lines] == [
        ("not_done", "warning", "database_locked"),
        ("not_done", "error", None),
        ("not_done", "error", None),
    ]
