"""One child process: started, watched until it answers, started again when it dies, stopped in time, never orphaned."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import shutil
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dev.faults import StartFailed
from dev.pid_files import PidFile, kill_group

_log = logging.getLogger(__name__)

_POLL_SECONDS = 0.03
_FIRST_DELAY_SECONDS = 0.1
_LONGEST_DELAY_SECONDS = 5.0
# One that lived this long is not in a crash loop: the delay begins anew.
_HEALTHY_SECONDS = 10.0
_LOG_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """What to run. `ready` is one try at speaking to it; an OSError counts as no.

    `environment` is the whole environment; DATA_DIR is added. With `waits_for_go` the process first reads a line from its
    standard input, which `ManagedProcess.go` writes.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    ready: Callable[[], Awaitable[bool]]
    directory: Path
    stop_signal: signal.Signals = signal.SIGTERM
    waits_for_go: bool = False


class ManagedProcess:
    """Runs a spec, again and again, in a process group of its own, with a pid file and a log in the data folder."""

    def __init__(self, spec: ProcessSpec, data_dir: Path) -> None:
        self.spec = spec
        self._data_dir = data_dir
        self.log_path = data_dir / "logs" / f"{spec.name}.log"
        self._pid_file = PidFile(data_dir / "run" / f"{spec.name}.pid")
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._go = not spec.waits_for_go
        self._ready = False
        self._ever_ready = False
        self._failure: StartFailed | None = None
        self._log_start = 0
        self._changed = asyncio.Condition()

    @property
    def pid(self) -> int | None:
        """The pid while it runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process else None

    def start(self) -> None:
        """Begins to run it; `wait_ready` says when it answers."""
        self._stopping.clear()
        self._failure, self._ever_ready = None, False
        self._watch = asyncio.create_task(self._keep_running(), name=self.spec.name)

    def go(self) -> None:
        """Lets a process that waits for go begin; later runs of it need not wait."""
        self._go = True
        if self.spec.waits_for_go and self.pid is not None:
            self._write_go()

    async def wait_ready(self, timeout_seconds: float, other_than: int | None = None) -> None:
        """Waits until it answers (as another process than `other_than`, when given).

        Raises StartFailed when it ended before it ever answered, or did not answer in time.
        """

        def settled() -> bool:
            return self._failure is not None or (self._ready and self.pid not in (None, other_than))

        try:
            async with self._changed:
                await asyncio.wait_for(self._changed.wait_for(settled), timeout_seconds)
        except TimeoutError:
            raise StartFailed(
                f"{self.spec.name} did not answer within {timeout_seconds:.0f} s; its log is {self.log_path}"
            ) from None
        if self._failure is not None:
            raise self._failure

    def kill(self, number: signal.Signals) -> int:
        """Sends a signal to the running process and returns its pid. Raises ProcessLookupError when it does not run."""
        pid = self.pid
        if pid is None:
            raise ProcessLookupError(f"{self.spec.name} does not run")
        os.kill(pid, number)
        return pid

    async def stop(self, grace_seconds: float) -> None:
        """Asks it to end, and kills it and all it started after the grace. Safe to call when it does not run."""
        if self._watch is None:
            return
        self._stopping.set()
        if self._process is not None and self.pid is not None:
            self._process.send_signal(self.spec.stop_signal)
        await asyncio.wait({self._watch}, timeout=grace_seconds)
        if self._process is not None and self.pid is not None:
            _log.warning("%s did not stop within %.1f s: killed", self.spec.name, grace_seconds)
            kill_group(self._process.pid)
        await self._watch

    async def _keep_running(self) -> None:
        delay = _FIRST_DELAY_SECONDS
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                ending = _ending(await self._run_once())
            except OSError as error:
                ending = f"it cannot be started: {error}"
            if self._stopping.is_set():
                return
            if not self._ever_ready:
                await self._fail(f"{self.spec.name} ended ({ending}) before it answered: {self._last_words()}")
                return
            if time.monotonic() - began > _HEALTHY_SECONDS:
                delay = _FIRST_DELAY_SECONDS
            _log.warning("%s ended (%s): starting it again in %.1f s", self.spec.name, ending, delay)
            try:
                await asyncio.wait_for(self._stopping.wait(), delay)
            except TimeoutError:
                delay = min(2 * delay, _LONGEST_DELAY_SECONDS)

    async def _run_once(self) -> int:
        self._process = process = await self._spawn()
        self._pid_file.record(process.pid)
        if self._stopping.is_set():
            process.send_signal(self.spec.stop_signal)
        elif self.spec.waits_for_go and self._go:
            self._write_go()
        answering = asyncio.create_task(self._wait_until_it_answers())
        try:
            return await process.wait()
        finally:
            answering.cancel()
            (fault,) = await asyncio.gather(answering, return_exceptions=True)
            if isinstance(fault, Exception):
                _log.error("asking %s whether it is ready failed", self.spec.name, exc_info=fault)
            self._ready = False
            # What it had started goes with it: it could hold locks that the next run needs.
            kill_group(process.pid)
            self._pid_file.remove()

    async def _spawn(self) -> asyncio.subprocess.Process:
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        if self.log_path.exists() and self.log_path.stat().st_size > _LOG_BYTES:
            self.log_path.replace(self.log_path.with_suffix(".log.1"))
        with self.log_path.open("ab") as log:
            self._log_start = log.tell()
            return await asyncio.create_subprocess_exec(
                *_dying_with_parent(self.spec.stop_signal),
                *self.spec.command,
                stdin=asyncio.subprocess.PIPE if self.spec.waits_for_go else asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.spec.directory,
                env={**self.spec.environment, "DATA_DIR": str(self._data_dir)},
                start_new_session=True,
            )

    def _write_go(self) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(b"go\n")

    async def _wait_until_it_answers(self) -> None:
        while True:
            if await self._answers():
                break
            await asyncio.sleep(_POLL_SECONDS)
        async with self._changed:
            self._ready = self._ever_ready = True
            self._changed.notify_all()

    async def _answers(self) -> bool:
        try:
            return self._go and await self.spec.ready()
        except OSError:
            return False

    async def _fail(self, message: str) -> None:
        async with self._changed:
            self._failure = StartFailed(message)
            self._changed.notify_all()

    def _last_words(self) -> str:
        with self.log_path.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read()[-4096:].decode(errors="replace").strip().splitlines()
        return lines[-1][-400:] if lines else f"nothing in {self.log_path}"


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


@functools.cache
def _dying_with_parent(number: signal.Signals) -> tuple[str, ...]:
    """A prefix that has the kernel send the signal when this process dies; where there is none, pid files alone do it.

    A program, not `preexec_fn`: running Python between fork and exec can hang in a process with threads.
    """
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", number.name.removeprefix("SIG"), "--") if setpriv else ()
