"""The asyncio side of the parser process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import structlog

from superagent_common.errors import Unavailable
from superagent_ingestion.adapters.parsing.equipment import Equipment
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.protocol import LENGTH, document_from_wire, frame
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.rejection import DocumentRejected

_PROGRAM = (sys.executable, "-m", "superagent_ingestion.adapters.parsing.child")
# What the child sees of the environment: no secrets, one thread and few memory arenas for every native library.
_INHERITED = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "TMPDIR", "LANG", "LC_ALL", "COVERAGE_PROCESS_START")
_FIXED = {"MALLOC_ARENA_MAX": "2", "TOKIO_WORKER_THREADS": "1", "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_OUT_OF_MEMORY = (b"memory allocation of", b"MemoryError", b"bad_alloc", b"ut of memory", b"annot allocate memory")
_TOO_MUCH_MEMORY = "Reading the file takes too much memory."
_STDERR_KEPT = 8_192
_PATIENCE = 2.0


class ParserProcess:
    """A `DocumentParser` that does its work in one child process; one document at a time, others wait their turn.

    Starts the child with the first document, and a new one after a crash, a time-out or enough documents. Must be used
    from one event loop, in a thread that lives as long as the process (the child dies with the thread that started it).
    """

    def __init__(
        self,
        limits: ParserLimits | None = None,
        equipment: Equipment | None = None,
        program: Sequence[str] = _PROGRAM,
        log: Any = None,
    ) -> None:
        self._limits = limits or ParserLimits()
        self._equipment = equipment or Equipment()
        self._program = tuple(program)
        self._log = log if log is not None else structlog.get_logger(__name__)
        self._turn = asyncio.Lock()
        self._child: _Child | None = None

    @property
    def pid(self) -> int | None:
        """Of the running child."""
        return self._child.pid if self._child is not None and self._child.is_running else None

    async def parse(self, path: Path, file_name: str) -> ParsedDocument:
        """Reads the file at `path` that its owner calls `file_name`.

        Raises DocumentRejected when the file is the cause (also by hanging or crashing the parser), Unavailable when
        the parser does not start or cannot get at the file.
        """
        request = {"path": str(path), "file_name": file_name}
        async with self._turn:
            try:
                answer = await self._ask(request)
            except _Crash as crash:
                if crash.is_out_of_memory:
                    raise DocumentRejected("parse_memory", _TOO_MUCH_MEMORY) from None
                # Whoever killed it need not have meant this document: only one that breaks two processes is at fault.
                answer = await self._ask_again(request)
        return self._document(answer, file_name)

    async def aclose(self) -> None:
        async with self._turn:
            await self._retire()

    async def _running(self) -> _Child:
        if self._child is not None and self._child.is_running:
            return self._child
        self._child = await _Child.start(self._program, self._limits, self._equipment)
        return self._child

    async def _retire(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Raises DocumentRejected for a time-out and _Crash."""
        child = await self._running()
        answered = False
        seconds = self._limits.seconds
        try:
            async with asyncio.timeout(seconds) as clock:
                answer = await child.ask(request)
                while "more_seconds" in answer:
                    seconds = answer["more_seconds"]
                    clock.reschedule(asyncio.get_running_loop().time() + seconds)
                    answer = await child.answer()
            answered = True
        except TimeoutError:
            raise DocumentRejected("parse_timeout", f"Reading the file took longer than {seconds:g} seconds.") from None
        except (asyncio.IncompleteReadError, ConnectionError):
            crash = _Crash(await child.ended(), child.last_words)
            self._log.warning(
                "parser_crashed", status=crash.status, stderr=crash.said.decode(errors="replace")[-2_000:]
            )
            raise crash from None
        finally:
            if not answered:
                child.kill()
                self._child = None
        grown = answer["resident_bytes"] or 0
        if child.asked >= self._limits.documents_per_process or grown > self._limits.resident_bytes:
            await self._retire()
        return answer

    async def _ask_again(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self._ask(request)
        except _Crash as crash:
            # Nobody here sends SIGKILL to a process that is then asked, so it came from a kernel out of memory.
            if crash.is_out_of_memory or crash.status == -signal.SIGKILL:
                raise DocumentRejected("parse_memory", _TOO_MUCH_MEMORY) from None
            raise DocumentRejected(
                "unreadable",
                "The file cannot be read: it is damaged, or takes so much memory that the program that reads it broke down.",
            ) from None

    def _document(self, answer: Mapping[str, Any], file_name: str) -> ParsedDocument:
        if "document" in answer:
            return document_from_wire(answer["document"])
        if "rejected" in answer:
            raise DocumentRejected(answer["rejected"]["reason"], answer["rejected"]["message"])
        if "unavailable" in answer:
            raise Unavailable("file_unavailable", f"The file cannot be got at: {answer['unavailable']}.")
        self._log.error("parser_fault", file_name=file_name, traceback=answer["fault"])
        raise DocumentRejected("unreadable", "The file cannot be read: the program that reads it failed on it.")


class _Crash(Exception):
    """A child that ended without an answer: its exit status, negative for a signal, and its last words."""

    def __init__(self, status: int, said: bytes) -> None:
        super().__init__(f"the parser ended with status {status}")
        self.status = status
        self.said = said

    @property
    def is_out_of_memory(self) -> bool:
        return any(sign in self.said for sign in _OUT_OF_MEMORY)


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._stderr = bytearray()
        self._listening = asyncio.create_task(self._listen())
        self.asked = 0

    @classmethod
    async def start(cls, program: Sequence[str], limits: ParserLimits, equipment: Equipment) -> _Child:
        """Raises Unavailable when the program does not say that it is ready."""
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            *program,
            str(os.getpid()),
            json.dumps(asdict(limits)),
            json.dumps(asdict(equipment)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment | _FIXED,
        )
        child = cls(process)
        ready = False
        try:
            async with asyncio.timeout(limits.start_seconds):
                ready = "ready" in await child._receive()
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
            child.kill()
            await child.ended()
            said = child.last_words.decode(errors="replace").strip().rpartition("\n")[2]
            raise Unavailable(
                "parser_unavailable", f"The parser does not start: {said or type(error).__name__}."
            ) from None
        finally:
            if not ready:
                child.kill()
        return child

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    @property
    def last_words(self) -> bytes:
        return bytes(self._stderr)

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(frame(request))
        await self._process.stdin.drain()
        self.asked += 1
        return await self.answer()

    async def answer(self) -> dict[str, Any]:
        """The next message of the child."""
        return await self._receive()

    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()

    async def ended(self) -> int:
        """Waits for the end; the exit status, negative for a signal."""
        status = await self._process.wait()
        await self._listening
        return status

    async def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._process.wait()
        except TimeoutError:
            self.kill()
        await self.ended()

    async def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        (length,) = LENGTH.unpack(await self._process.stdout.readexactly(LENGTH.size))
        answer: dict[str, Any] = json.loads(await self._process.stdout.readexactly(length))
        return answer

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while said := await self._process.stderr.read(_STDERR_KEPT):
            self._stderr += said
            del self._stderr[:-_STDERR_KEPT]
