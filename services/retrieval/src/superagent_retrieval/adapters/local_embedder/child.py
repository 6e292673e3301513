"""Program: the child process of retrieval that embeds.

    python -m superagent_retrieval.adapters.local_embedder.child WEIGHTS CACHE_DIR

Reads requests from standard input and answers on standard output (`wire`). Before each text it takes in whatever has
arrived, so a query waits for one passage at most. Ends when standard input does: with its parent, however that died.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

# Before numpy is loaded: its pool of threads would hold memory and never be used.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import numpy.typing as npt

from superagent_retrieval.adapters.local_embedder.model_files import made_model_directory
from superagent_retrieval.adapters.local_embedder.weights import E5Weights
from superagent_retrieval.adapters.local_embedder.wire import START, FrameParser, Kind, Outcome, frame

_PREFIXES = {Kind.QUERY: "query: ", Kind.PASSAGE: "passage: "}
_IDLE_MILLISECONDS = 1000


def requests(source: int, idle: Callable[[], None]) -> Iterator[tuple[int, Kind, str]]:
    """Requests of a pipe as (number, kind, text), queries first, each kind in order; ends with the pipe.

    `idle` is called once each time that nothing has come for a second.
    """
    waiting: dict[Kind, deque[tuple[int, str]]] = {Kind.QUERY: deque(), Kind.PASSAGE: deque()}
    parser = FrameParser()
    poll = select.poll()
    poll.register(source, select.POLLIN)

    def take_in() -> bool:
        data = os.read(source, 1 << 16)
        for number, kind, body in parser.feed(data):
            waiting[Kind(kind)].append((number, body.decode()))
        return bool(data)

    rested = True
    while True:
        while not any(waiting.values()):
            if not rested and not poll.poll(_IDLE_MILLISECONDS):
                idle()
                rested = True
            if not take_in():
                return
        while poll.poll(0):
            if not take_in():
                return
        kind = Kind.QUERY if waiting[Kind.QUERY] else Kind.PASSAGE
        number, text = waiting[kind].popleft()
        rested = False
        yield number, kind, text


def serve(
    source: int,
    answer: Callable[[bytes], object],
    encode: Callable[[str], npt.NDArray[np.float32]],
    idle: Callable[[], None],
) -> None:
    """Answers requests until the source ends. A text that cannot be embedded fails alone."""
    for number, kind, text in requests(source, idle):
        try:
            outcome, body = Outcome.DONE, encode(_PREFIXES[kind] + text).astype("<f4").tobytes()
        except Exception as error:  # noqa: BLE001 - whatever it is, it goes to the one who asked
            outcome, body = Outcome.FAILED, f"{type(error).__name__}: {error}".encode(errors="replace")
        answer(frame(number, outcome, body))


def main(weights_path: Path, cache_dir: Path) -> int:
    # Ctrl-C reaches the whole group; this process ends with its parent, in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
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
