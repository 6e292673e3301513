"""Program: an embedding child whose vectors say what it was asked, and which misbehaves on command.

    python embedding_child_double.py DIRECTORY

It is the real child's loop with this in place of the model. A text that contains
`wait NAME` writes a byte into the fifo DIRECTORY/NAME.began, then waits for one from DIRECTORY/NAME.go;
`fail` raises; `die` kills the child with -9; `die once` does so the first time only; `hang once` stops it, likewise.
Each text that is begun becomes a line of DIRECTORY/begun.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt

from superagent_retrieval.adapters.local_embedder.child import serve
from superagent_retrieval.adapters.local_embedder.wire import START, Outcome, frame

DIMENSION = 384


def vector_of(text: str) -> list[float]:
    """What the double answers: the length of the text, the number of NULs, then zeros."""
    return [float(len(text)), float(text.count("\0"))] + [0.0] * (DIMENSION - 2)


class _Double:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        with (self._directory / "begun").open("a") as begun:
            begun.write(f"{text}\n")
        if waits := re.search(r"wait (\w+)", text):
            (self._directory / f"{waits[1]}.began").write_bytes(b".")
            with (self._directory / f"{waits[1]}.go").open("rb", buffering=0) as go:
                go.read(1)
        if "fail" in text:
            raise ValueError("told to")
        if "die" in text and self._first_time("die") | ("once" not in text):
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang once" in text and self._first_time("hang"):
            os.kill(os.getpid(), signal.SIGSTOP)
            threading.Event().wait()  # until the stop has reached this thread, too
        return np.array(vector_of(text), np.float32)

    def _first_time(self, what: str) -> bool:
        mark = self._directory / f"{what}.done"
        first = not mark.exists()
        mark.touch()
        return first


if __name__ == "__main__":
    if (Path(sys.argv[1]) / "broken").exists():
        sys.exit("told not to start")
    os.write(1, frame(START, Outcome.DONE, b""))
    serve(0, lambda data: os.write(1, data), _Double(Path(sys.argv[1])).encode, lambda: None)
