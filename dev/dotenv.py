"""The `.env` file: KEY=VALUE lines, comments, optional quotes around the value."""

from __future__ import annotations

import re
from pathlib import Path

from dev.faults import StartFailed

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")


def read_dotenv(path: Path) -> dict[str, str]:
    """The file's settings; none when there is no file. Raises StartFailed naming a line that is not KEY=VALUE."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise StartFailed(f"cannot read {path}: {error}") from None
    settings = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise StartFailed(f"{path} line {number} is not KEY=VALUE")
        settings[match[1]] = _value(match[2])
    return settings


def _value(text: str) -> str:
    """Inside quotes everything counts; without them a comment begins at a space and #."""
    if text[:1] in ("'", '"') and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return re.split(r"\s#", text, maxsplit=1)[0].strip()
