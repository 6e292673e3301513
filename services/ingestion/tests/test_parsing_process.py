"""The parser process: what it survives, and what its owner is told."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from services.ingestion.tests.document_samples import docx, pdf, text_page, word_paragraph
from superagent_common.errors import Unavailable
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.process import ParserProcess
from superagent_ingestion.domain.rejection import DocumentRejected

LIMITS = ParserLimits(seconds=120.0)
MakeParser = Callable[..., ParserProcess]

# Children that say they are ready and then misbehave; argv is that of the real one.
_FRAMES = """
import json, os, signal, struct, sys
def send(message):
    content = json.dumps(message).encode()
    sys.stdout.buffer.write(struct.pack("!I", len(content)) + content)
    sys.stdout.buffer.flush()
def receive():
    length = struct.unpack("!I", sys.stdin.buffer.read(4))[0]
    return json.loads(sys.stdin.buffer.read(length))
send({"ready": 1})
receive()
"""


def _child(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", _FRAMES + program)


@pytest.fixture
async def make_parser() -> AsyncIterator[MakeParser]:
    made: list[ParserProcess] = []

    def make(limits: ParserLimits = LIMITS, **options: object) -> ParserProcess:
        made.append(ParserProcess(limits, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for parser in made:
        await parser.aclose()


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "object"
    path.write_text("Every claim needs a receipt.")
    return path


async def test_documents_of_several_kinds_come_through_one_process(make_parser: MakeParser, tmp_path: Path) -> None:
    parser = make_parser()
    pids = set()
    for name, content in {
        "a.txt": "第一段。\ud800".encode("utf-8", errors="ignore"),
        "b.pdf": pdf([text_page("from a PDF")]),
        "c.docx": docx(word_paragraph("from Word")),
    }.items():
        path = tmp_path / "object"
        path.write_bytes(content)
        document = await parser.parse(path, name)
        assert document.blocks[0].text in ("第一段。", "from a PDF", "from Word")
        pids.add(parser.pid)
    assert len(pids) == 1


async def test_a_rejection_crosses_the_process_border_and_the_process_stays(
    make_parser: MakeParser, tmp_path: Path, text_file: Path
) -> None:
    parser = make_parser()
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(DocumentRejected) as caught:
        await parser.parse(empty, "empty.pdf")
    assert (caught.value.reason, caught.value.message) == ("empty_file", "The file is empty.")
    pid = parser.pid
    await parser.parse(text_file, "a.txt")
    assert parser.pid == pid


async def test_a_parser_that_hangs_is_killed_and_the_next_document_gets_another(
    make_parser: MakeParser, text_file: Path
) -> None:
    parser = make_parser(replace(LIMITS, seconds=0.2), program=_child("signal.pause()"))
    started = asyncio.create_task(parser.parse(text_file, "a.txt"))
    with pytest.raises(DocumentRejected) as caught:
        await started
    assert caught.value.reason == "parse_timeout"
    assert parser.pid is None


async def test_real_work_is_bounded_by_the_clock(make_parser: MakeParser, tmp_path: Path, text_file: Path) -> None:
    path = tmp_path / "large"
    path.write_text("One more sentence of a very long text.\n\n" * 1_000_000)
    parser = make_parser(replace(LIMITS, seconds=1.0))
    with pytest.raises(DocumentRejected) as caught:
        await parser.parse(path, "large.md")
    assert caught.value.reason == "parse_timeout"
    document = None
    while document is None:
        # Its new process may take a busy machine as long.
        with contextlib.suppress(DocumentRejected):
            document = await parser.parse(text_file, "a.txt")
    assert document.blocks[0].text == "Every claim needs a receipt."


async def test_memory_beyond_the_limit_is_refused_and_the_next_document_is_read(
    make_parser: MakeParser, tmp_path: Path, text_file: Path
) -> None:
    path = tmp_path / "large"
    path.write_text("One more sentence of a very long text.\n\n" * 1_000_000)
    parser = make_parser(replace(LIMITS, memory_bytes=48 << 20))
    with pytest.raises(DocumentRejected) as caught:
        await parser.parse(path, "large.txt")
    assert caught.value.reason == "parse_memory"
    assert (await parser.parse(text_file, "a.txt")).blocks[0].text == "Every claim needs a receipt."


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "unreadable"),
        ("os._exit(3)", "unreadable"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "parse_memory"),
        ("sys.stderr.write('memory allocation of 9 bytes failed'); sys.stderr.flush(); os.abort()", "parse_memory"),
    ],
)
async def test_a_document_that_crashes_two_processes_is_at_fault(
    make_parser: MakeParser, text_file: Path, ending: str, reason: str
) -> None:
    with pytest.raises(DocumentRejected) as caught:
        await make_parser(program=_child(ending)).parse(text_file, "a.txt")
    assert caught.value.reason == reason


async def test_a_process_is_replaced_after_enough_documents(make_parser: MakeParser, text_file: Path) -> None:
    parser = make_parser(replace(LIMITS, documents_per_process=2))
    await parser.parse(text_file, "a.txt")
    first = parser.pid
    await parser.parse(text_file, "a.txt")
    assert parser.pid is None
    await parser.parse(text_file, "a.txt")
    assert parser.pid not in (None, first)


async def test_a_process_that_kept_much_memory_is_replaced(make_parser: MakeParser, text_file: Path) -> None:
    parser = make_parser(replace(LIMITS, resident_bytes=1))
    await parser.parse(text_file, "a.txt")
    assert parser.pid is None


async def test_a_process_that_died_in_between_is_replaced(make_parser: MakeParser, text_file: Path) -> None:
    parser = make_parser()
    await parser.parse(text_file, "a.txt")
    assert parser.pid is not None
    handle = os.pidfd_open(parser.pid)
    os.kill(parser.pid, signal.SIGKILL)
    await asyncio.to_thread(_wait_for_end, handle)
    await parser.parse(text_file, "a.txt")


async def test_a_document_whose_process_is_killed_once_is_read_by_the_next(
    make_parser: MakeParser, tmp_path: Path, text_file: Path
) -> None:
    marker = str(tmp_path / "killed")
    program = f"""
if not os.path.exists({marker!r}):
    open({marker!r}, "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
send({{"document": {{"blocks": [["paragraph", "read", 0, None]], "title": None, "language": "en",
      "media_type": "text/plain", "pages": None, "parser": "double"}}, "resident_bytes": 0}})
signal.pause()
"""
    document = await make_parser(program=_child(program)).parse(text_file, "a.txt")
    assert document.blocks[0].text == "read"


async def test_documents_wait_their_turn(make_parser: MakeParser, text_file: Path) -> None:
    parser = make_parser()
    documents = await asyncio.gather(*(parser.parse(text_file, f"{n}.txt") for n in range(8)))
    assert len({document.blocks for document in documents}) == 1


async def test_cancelling_kills_the_work(make_parser: MakeParser, text_file: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    parser = make_parser(program=_child(f"open({str(begun)!r}, 'w').close(); signal.pause()"))
    work = asyncio.create_task(parser.parse(text_file, "a.txt"))
    await asyncio.to_thread(begun.read_text)
    assert parser.pid is not None
    handle = os.pidfd_open(parser.pid)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await asyncio.to_thread(_wait_for_end, handle)


async def test_a_parser_that_does_not_start_is_unavailable(make_parser: MakeParser, text_file: Path) -> None:
    with pytest.raises(Unavailable, match="no such thing"):
        await make_parser(program=(sys.executable, "-c", "raise SystemExit('no such thing')")).parse(text_file, "a")


async def test_a_file_that_is_not_there_is_not_the_documents_fault(make_parser: MakeParser, tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        await make_parser().parse(tmp_path / "gone", "a.txt")


async def test_the_process_sees_no_secrets(
    make_parser: MakeParser, text_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_API_KEY", "secret")
    parser = make_parser()
    await parser.parse(text_file, "a.txt")
    environment = await asyncio.to_thread(Path(f"/proc/{parser.pid}/environ").read_bytes)
    assert b"LLM_API_KEY" not in environment
    assert b"MALLOC_ARENA_MAX" in environment


async def test_the_process_dies_with_its_parent() -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _OWNER, stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE
    )
    assert owner.stdout is not None
    handle = os.pidfd_open(int(await owner.stdout.readline()))
    owner.kill()
    await owner.wait()
    await asyncio.to_thread(_wait_for_end, handle)


_OWNER = """
import asyncio, sys, tempfile
from pathlib import Path
from superagent_ingestion.adapters.parsing.process import ParserProcess
async def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_text("text")
        parser = ParserProcess()
        await parser.parse(path, "a.txt")
        print(parser.pid, flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""


def _wait_for_end(handle: int) -> None:
    """Until the process behind a pidfd has ended; fails after ten seconds."""
    try:
        ended, _, _ = select.select([handle], [], [], 10)
        assert ended, "the process is still there"
    finally:
        os.close(handle)
