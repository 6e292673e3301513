"""Background tasks end with their block, whatever they do with a cancellation."""

import asyncio

from superagent_common.tasks import end, running


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
    async with asyncio.timeout(5):
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

    async with asyncio.timeout(5), running(work(), fails()):
        await begun.wait()
    assert ended
