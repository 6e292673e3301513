"""Program: the child process of retrieval that embeds.

    python -m superagent_retrieval.adapters.local_embedder.child WEIGHTS CACHE_DIR

Reads requests from standard input and answers on standard output (`wire`). Queries and passages have a thread each, that of
the passages with a lower priority, so that a query, for which somebody waits, waits for none of them. Ends when standard
input does: with its parent, however that died.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue

# Before numpy is loaded: its pool of threads would hold memory and never be used.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import numpy.typing as npt

from superagent_retrieval.adapters.local_embedder.model_files import made_model_directory
from superagent_retrieval.adapters.local_embedder.weights import E5Weights
from superagent_retrieval.adapters.local_embedder.wire import START, FrameParser, Kind, Outcome, frame

_PREFIXES = {Kind.QUERY: "query: ", Kind.PASSAGE: "passage: "}
_IDLE_MILLISECONDS = 1000
# Below the process, as the workers that send them. (A query's p95 while passages are embedded, two cores: 82 ms with 0, 66
# with 5, 57 with 19, 103 when it waited for a passage to end; with 19 the passages take twice as long on a busy machine.)
_PASSAGES_NICE = 5
# Both threads hold the interpreter for about a millisecond of a text, with the default for 5 at a time.
_SWITCH_SECONDS = 0.0005


def serve(
    source: int,
    answer: Callable[[bytes], object],
    encode: Callable[[str], npt.NDArray[np.float32]],
    idle: Callable[[], None],
) -> None:
    """Answers requests until the source ends, each kind in its order and by its own thread. A text that cannot be embedded
    fails alone.

    `answer` is called by one thread at a time, `encode` by two. `idle` is called once each time that nothing has come, and
    nothing was left to do, for a second.
    """
    waiting: dict[Kind, Queue[tuple[int, str] | None]] = {kind: Queue() for kind in Kind}
    answering = threading.Lock()

    def embed(number: int, kind: Kind, text: str) -> None:
        try:
            outcome, body = Outcome.DONE, encode(_PREFIXES[kind] + text).astype("<f4").tobytes()
        except Exception as error:  # noqa: BLE001 - whatever it is, it goes to the one who asked
            outcome, body = Outcome.FAILED, f"{type(error).__name__}: {error}".encode(errors="replace")
        with answering:
            answer(frame(number, outcome, body))

    def embed_all(kind: Kind) -> None:
        if kind == Kind.PASSAGE and sys.platform == "linux":  # Elsewhere it would be the whole process.
            own = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), own + _PASSAGES_NICE)
        # When nobody reads the answers any more, the source has ended, too.
        with suppress(BrokenPipeError):
            while (request := waiting[kind].get()) is not None:
                number, text = request
                embed(number, kind, text)
                waiting[kind].task_done()

    def nothing_left() -> bool:
        return not any(requests.unfinished_tasks for requests in waiting.values())

    threads = [threading.Thread(target=embed_all, args=(kind,), name=kind.name.lower()) for kind in Kind]
    for thread in threads:
        thread.start()
    try:
        for number, kind, text in _requests(source, nothing_left, idle):
            waiting[kind].put((number, text))
    finally:
        for queue in waiting.values():
            with suppress(Empty):
                while True:
                    queue.get_nowait()
            queue.put(None)
        for thread in threads:
            thread.join()


def _requests(
    source: int, nothing_left: Callable[[], bool], idle: Callable[[], None]
) -> Iterator[tuple[int, Kind, str]]:
    """Requests of a pipe as (number, kind, text); ends with the pipe."""
    parser = FrameParser()
    poll = select.poll()
    poll.register(source, select.POLLIN)
    rested = True
    while True:
        while not rested and not poll.poll(_IDLE_MILLISECONDS):
            if nothing_left():
                idle()
                rested = True
        data = os.read(source, 1 << 16)
        if not data:
            return
        rested = False
        for number, kind, body in parser.feed(data):
            yield number, Kind(kind), body.decode()


def main(weights_path: Path, cache_dir: Path) -> int:
    # Ctrl-C reaches the whole group; this process ends with its parent, in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    sys.setswitchinterval(_SWITCH_SECONDS)
    # Whatever a library prints must not get between the frames.
    os.dup2(2, 1)
    try:
        weights = E5Weights(weights_path)
        directory = made_model_directory(weights, cache_dir)
        from superagent_retrieval.adapters.local_embedder.model import E5Model

        model = E5Model.load(weights, directory)
        # The first run touches the weights; nobody should wait for that.
        model.encode(_PREFIXES[Kind.QUERY])
        model.release_memory()
    except Exception as error:  # noqa: BLE001 - the parent logs it and decides
        answers.write(frame(START, Outcome.FAILED, f"{type(error).__name__}: {error}".encode(errors="replace")))
        return 1
    answers.write(frame(START, Outcome.DONE, b""))
    try:
        serve(0, answers.write, model.encode, model.release_memory)
    except BrokenPipeError:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
