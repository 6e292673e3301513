"""The child process and the service's side of it: order, back-pressure, deaths."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import psutil
import pytest

from services.retrieval.tests.embedding_child_double import vector_of
from superagent_common.errors import Unavailable
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command

_DOUBLE = Path(__file__).with_name("embedding_child_double.py")


def _double_command(directory: Path) -> list[str]:
    return [sys.executable, str(_DOUBLE), str(directory)]


class _Gate:
    """Where the double stops with a text `wait NAME`."""

    def __init__(self, directory: Path, name: str) -> None:
        self._began, self._go = (self._fifo(directory / f"{name}.{which}") for which in ("began", "go"))

    @staticmethod
    def _fifo(path: Path) -> BinaryIO:
        os.mkfifo(path)
        # For both directions: with one, opening would wait for the other side, which may have died.
        return path.open("r+b", buffering=0)

    async def reached(self) -> None:
        assert await asyncio.to_thread(select.select, [self._began], [], [], 30) != ([], [], [])
        self._began.read(1)

    def open(self) -> None:
        self._go.write(b".")


@pytest.fixture
async def embedder(tmp_path: Path) -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder(_double_command(tmp_path), stall_seconds=60)
    embedder.start()
    yield embedder
    await embedder.close()


@contextlib.asynccontextmanager
async def _started(embedder: LocalEmbedder) -> AsyncIterator[LocalEmbedder]:
    embedder.start()
    try:
        yield embedder
    finally:
        await embedder.close()


def _begun(directory: Path) -> list[str]:
    return (directory / "begun").read_text().splitlines()


async def _ended(pid: int) -> None:
    """Returns when the process is gone."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            assert await asyncio.to_thread(select.select, [descriptor], [], [], 20) != ([], [], [])
        finally:
            os.close(descriptor)


async def test_texts_get_their_prefix_and_vectors_their_order(embedder: LocalEmbedder) -> None:
    texts = ["one", "three", "", "五"]
    assert await embedder.embed_passages(texts) == [vector_of(f"passage: {text}") for text in texts]
    assert await embedder.embed_query("why") == vector_of("query: why")
    assert await embedder.embed_passages([]) == []


async def test_a_query_waits_for_no_passage(tmp_path: Path, embedder: LocalEmbedder) -> None:
    gate = _Gate(tmp_path, "first")
    batch = asyncio.create_task(embedder.embed_passages(["wait first", "second", "third", "fourth", "fifth"]))
    await gate.reached()
    assert await embedder.embed_query("urgent") == vector_of("query: urgent")
    assert not batch.done()
    gate.open()
    await batch


async def test_passages_wait_for_no_query(tmp_path: Path, embedder: LocalEmbedder) -> None:
    gate = _Gate(tmp_path, "first")
    query = asyncio.create_task(embedder.embed_query("wait first"))
    await gate.reached()
    assert await embedder.embed_passages(["one", "two"]) == [vector_of("passage: one"), vector_of("passage: two")]
    assert not query.done()
    gate.open()
    await query


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
async def test_passages_have_a_lower_priority_than_queries(embedder: LocalEmbedder) -> None:
    await embedder.embed_passages(["any"])
    child = embedder.child_pid
    assert child is not None
    nice = {thread.id: os.getpriority(os.PRIO_PROCESS, thread.id) for thread in psutil.Process(child).threads()}
    # 19 is the lowest there is, for whoever runs this at that.
    assert min(nice.pop(child) + 5, 19) == max(nice.values())


async def test_batches_share_the_child_in_turns(tmp_path: Path, embedder: LocalEmbedder) -> None:
    gate = _Gate(tmp_path, "first")
    large = asyncio.create_task(embedder.embed_passages(["wait first"] + ["large"] * 20))
    await gate.reached()
    small = asyncio.create_task(embedder.embed_passages(["small"]))
    await asyncio.sleep(0)
    gate.open()
    await asyncio.gather(large, small)
    assert _begun(tmp_path).index("passage: small") < 10


async def test_more_queries_than_can_be_answered_soon_are_refused(tmp_path: Path, embedder: LocalEmbedder) -> None:
    gate = _Gate(tmp_path, "first")
    first = asyncio.create_task(embedder.embed_query("wait first"))
    await gate.reached()
    queries = [asyncio.create_task(embedder.embed_query(f"{number}")) for number in range(63)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as refused:
        await embedder.embed_query("one too many")
    assert refused.value.reason == "embedder_busy"
    gate.open()
    assert await asyncio.gather(*queries) == [vector_of(f"query: {number}") for number in range(63)]
    await first


async def test_a_text_that_cannot_be_embedded_fails_alone(tmp_path: Path, embedder: LocalEmbedder) -> None:
    with pytest.raises(Unavailable) as failure:
        await embedder.embed_query("fail")
    assert failure.value.reason == "embedder_failed"
    assert "told to" not in str(failure.value)
    with pytest.raises(Unavailable):
        await embedder.embed_passages(["before", "fail", *["after"] * 50])
    assert len(_begun(tmp_path)) < 20
    assert await embedder.embed_query("next") == vector_of("query: next")


async def test_a_batch_survives_the_death_of_the_child(tmp_path: Path, embedder: LocalEmbedder) -> None:
    gate = _Gate(tmp_path, "middle")
    texts = ["first", "second", "wait middle", "fourth", "fifth"]
    batch = asyncio.create_task(embedder.embed_passages(texts))
    await gate.reached()
    query = asyncio.create_task(embedder.embed_query("beside"))
    first_child = embedder.child_pid
    assert first_child is not None
    os.kill(first_child, signal.SIGKILL)
    await gate.reached()
    gate.open()
    assert await batch == [vector_of(f"passage: {text}") for text in texts]
    assert await query == vector_of("query: beside")
    assert embedder.child_pid != first_child
    # What was answered before the death is not asked again.
    assert _begun(tmp_path).count("passage: first") == 1


async def test_a_text_that_kills_is_tried_twice_and_no_more(tmp_path: Path, embedder: LocalEmbedder) -> None:
    await embedder.embed_query("first")
    with pytest.raises(Unavailable) as failure:
        await embedder.embed_query("die")
    assert failure.value.reason == "embedder_failed"
    assert _begun(tmp_path).count("query: die") == 2
    await asyncio.wait_for(embedder.wait_ready(), 120)
    assert await embedder.embed_query("next") == vector_of("query: next")


async def test_a_child_that_stalls_is_replaced(tmp_path: Path) -> None:
    async with _started(LocalEmbedder(_double_command(tmp_path), stall_seconds=3)) as embedder:
        await embedder.wait_ready()
        stalled = embedder.child_pid
        assert await embedder.embed_query("hang once") == vector_of("query: hang once")
        assert embedder.child_pid != stalled


async def test_passages_that_stall_beside_queries_are_noticed(tmp_path: Path) -> None:
    gate = _Gate(tmp_path, "first")
    async with _started(LocalEmbedder(_double_command(tmp_path), stall_seconds=5)) as embedder:
        batch = asyncio.create_task(embedder.embed_passages(["wait first"]))
        await gate.reached()
        stalled = embedder.child_pid
        while embedder.child_pid == stalled:
            assert await embedder.embed_query("beside") == vector_of("query: beside")
        await gate.reached()
        gate.open()
        assert await batch == [vector_of("passage: wait first")]


async def test_an_idle_child_is_not_taken_for_stalled(tmp_path: Path) -> None:
    async with _started(LocalEmbedder(_double_command(tmp_path), stall_seconds=0.05)) as embedder:
        await embedder.wait_ready()
        idle = embedder.child_pid
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 0.3)
        assert embedder.child_pid == idle


async def test_a_child_that_cannot_start_is_told_and_tried_again(tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    async with _started(LocalEmbedder(_double_command(tmp_path))) as embedder:
        with pytest.raises(Unavailable) as failure:
            await embedder.embed_query("early")
        assert failure.value.reason == "embedder_down"
        assert not embedder.ready
        (tmp_path / "broken").unlink()
        await asyncio.wait_for(embedder.wait_ready(), 120)
        assert await embedder.embed_query("later") == vector_of("query: later")


async def test_weights_that_are_missing_are_no_crash(tmp_path: Path) -> None:
    async with _started(LocalEmbedder(child_command(tmp_path / "none.bin", tmp_path))) as embedder:
        with pytest.raises(Unavailable) as failure:
            await embedder.embed_passages(["text"])
    assert failure.value.reason == "embedder_down"
    assert "none.bin" not in str(failure.value)


async def test_a_cancelled_batch_leaves_its_places_to_others(tmp_path: Path, embedder: LocalEmbedder) -> None:
    gate = _Gate(tmp_path, "first")
    batch = asyncio.create_task(embedder.embed_passages(["wait first"] + ["given up"] * 30))
    await gate.reached()
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    gate.open()
    assert await embedder.embed_passages(["next"] * 10) == [vector_of("passage: next")] * 10
    assert _begun(tmp_path).count("passage: given up") <= 3


async def test_closing_ends_the_child_and_fails_what_waits(tmp_path: Path) -> None:
    gate = _Gate(tmp_path, "first")
    embedder = LocalEmbedder(_double_command(tmp_path))
    embedder.start()
    batch = asyncio.create_task(embedder.embed_passages(["wait first", "second"]))
    await gate.reached()
    child = embedder.child_pid
    assert child is not None
    await embedder.close()
    with pytest.raises(Unavailable) as failure:
        await batch
    assert failure.value.reason == "embedder_down"
    await _ended(child)
    with pytest.raises(Unavailable):
        await embedder.embed_query("too late")


@pytest.mark.parametrize("character", ["\0", "\ud800", "\udfff"])
async def test_what_stands_for_no_character_is_left_out(embedder: LocalEmbedder, character: str) -> None:
    assert await embedder.embed_query(f"a{character}b") == vector_of("query: ab")
    assert await embedder.embed_passages([character]) == [vector_of("passage: ")]


async def test_the_child_ends_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    program = f"""
import asyncio
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder
async def main():
    embedder = LocalEmbedder({_double_command(tmp_path)!r})
    embedder.start()
    await embedder.wait_ready()
    print("child", embedder.child_pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    while not (line := await parent.stdout.readline()).startswith(b"child"):
        assert line, "the parent ended early"
    parent.kill()
    await parent.wait()
    await _ended(int(line.split()[1]))


async def test_the_real_child_answers_and_survives_its_death(embedder_cache: Path) -> None:
    async with _started(LocalEmbedder(child_command(bundled_weights(), embedder_cache))) as embedder:
        texts = [f"{number} 天年假的申请要提前一周提交。" for number in range(24)]
        batch = asyncio.create_task(embedder.embed_passages(texts))
        before = await embedder.embed_query("年假如何申请？")
        assert embedder.child_pid is not None
        os.kill(embedder.child_pid, signal.SIGKILL)
        vectors = await batch
        assert await embedder.embed_query("年假如何申请？") == before
        assert [len(vector) for vector in vectors] == [embedder.dimension] * 24
        assert vectors[3] == (await embedder.embed_passages([texts[3]]))[0] != vectors[4]


def test_the_service_loads_neither_engine_nor_arrays() -> None:
    program = (
        "import sys, superagent_retrieval.adapters.local_embedder.embedder;"
        "sys.exit(str({'numpy', 'onnx', 'onnxruntime'} & sys.modules.keys()))"
    )
    assert _words_of(program) == "set()"


def _words_of(program: str) -> str:

    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False).stderr.strip()
