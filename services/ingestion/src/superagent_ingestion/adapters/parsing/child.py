"""The parser process: `python -m superagent_ingestion.adapters.parsing.child <parent pid> <limits> <equipment>`, both JSON.

Native parsers crash, hang and eat memory on hostile files; here they can, and nobody else is hurt. Reads requests
{"path", "file_name"} from stdin and answers each on stdout with one of {"document"}, {"rejected"}, {"unavailable"}
(the file cannot be got at) and {"fault"}, and with its own size, "resident_bytes". Before that, {"more_seconds"} says that
the document takes longer.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, BinaryIO

from superagent_common.parent_death import end_with_parent
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.equipment import Equipment
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.protocol import LENGTH, document_to_wire, frame
from superagent_ingestion.adapters.parsing.rapid_ocr import RapidOcr
from superagent_ingestion.adapters.parsing.reading import Tools
from superagent_ingestion.domain.rejection import DocumentRejected


def main() -> None:
    parent, limits = int(sys.argv[1]), ParserLimits(**json.loads(sys.argv[2]))
    equipment = Equipment(**json.loads(sys.argv[3]))
    die_with(parent)
    # Ctrl-C goes to the whole process group; the parent decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    # What a library prints must not fall among the answers.
    os.dup2(2, 1)
    wake_parsers()
    limit_memory(limits.memory_bytes)

    def say(message: dict[str, Any]) -> None:
        answers.write(frame(message))
        answers.flush()

    def recognition_begins() -> None:
        say({"more_seconds": limits.ocr_seconds})
        limit_memory(limits.ocr_memory_bytes)

    tools = Tools(RapidOcr(recognition_begins) if equipment.ocr else None, equipment.soffice)
    say({"ready": os.getpid()})
    while (request := _read(sys.stdin.buffer)) is not None:
        say({**_answer(request, limits, tools), "resident_bytes": _resident_bytes()})


def die_with(parent: int) -> None:
    """SIGKILL when the parent's thread that started this process ends, even while a native parser is at work."""
    end_with_parent()
    if os.getppid() != parent:
        sys.exit("the parent is gone already")


def limit_memory(budget: int) -> None:
    """Limits the address space to what the process has now plus `budget` bytes; again when more is needed.

    The soft limit: native code runs into it, and only this program moves it.
    """
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        wanted = _memory_bytes()[0] + budget
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _memory_bytes() -> tuple[int, int]:
    """Address space and resident memory of this process."""
    virtual, resident = Path("/proc/self/statm").read_text().split()[:2]
    return int(virtual) * resource.getpagesize(), int(resident) * resource.getpagesize()


def _resident_bytes() -> int | None:
    return _memory_bytes()[1] if sys.platform == "linux" else None


def wake_parsers() -> None:
    """Loads them before memory is limited: PDFium reserves a gigabyte of address space when it wakes up."""
    from superagent_ingestion.adapters.parsing import office, pdf

    pdf.wake()
    office.wake()


def _answer(request: dict[str, Any], limits: ParserLimits, tools: Tools) -> dict[str, Any]:
    try:
        document = parse_document(Path(request["path"]), request["file_name"], limits, tools)
        return {"document": document_to_wire(document)}
    except DocumentRejected as rejection:
        return {"rejected": {"reason": rejection.reason, "message": rejection.message}}
    except MemoryError:
        return {"rejected": {"reason": "parse_memory", "message": "Reading the file takes too much memory."}}
    except OSError as error:
        return {"unavailable": str(error)}
    except Exception:  # noqa: BLE001 - a bug in a parser must reach the log of the parent, not end this process
        return {"fault": traceback.format_exc(limit=-8)}


def _read(stream: BinaryIO) -> dict[str, Any] | None:
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    request: dict[str, Any] = json.loads(stream.read(LENGTH.unpack(header)[0]))
    return request


if __name__ == "__main__":
    main()
