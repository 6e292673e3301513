"""Skills from files: the shipped ones, and a folder that adds to them or replaces them (SKL-1)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from superagent_agent_executor.adapters import front_matter
from superagent_agent_executor.domain.skills import Skill, checked_skill, merged
from superagent_common.errors import InvalidInput
from superagent_common.logging import Logger

_FILE = "SKILL.md"
_MAX_DEPTH = 5
_MAX_BYTES = 64 * 1024


class _Print(NamedTuple):
    """What changes when a file does."""

    path: Path
    modified: int
    size: int


class SkillLibrary:
    """`Skills` of the package and of a folder. A file that cannot be used is logged and left out, the others load."""

    def __init__(self, folder: Path | None, log: Logger) -> None:
        self._folder = folder
        self._log = log
        self._shipped = _shipped()
        self._skills: Mapping[str, Skill] = merged(self._shipped, {})
        self._seen: tuple[_Print, ...] | None = None

    def all(self) -> Mapping[str, Skill]:
        return self._skills

    async def refresh(self) -> None:
        """Reads the folder again when one of its files changed."""
        if self._folder:
            await asyncio.to_thread(self._read, self._folder)

    def _read(self, folder: Path) -> None:
        seen = tuple(sorted(_prints(folder, 0)))
        if seen == self._seen:
            return
        own: dict[str, Skill] = {}
        for print_ in seen:
            try:
                skill = _skill(print_)
                if skill.code in own:
                    raise InvalidInput("invalid_skill", f"the name {skill.code} is taken by another file")
                if skill.fallback and any(other.fallback for other in own.values()):
                    raise InvalidInput("invalid_skill", "another file is the fallback")
            except InvalidInput as error:
                self._log.warning("skill_refused", file=str(print_.path), reason=error.message)
            else:
                own[skill.code] = skill
        self._skills = merged(self._shipped, own)
        self._seen = seen
        self._log.info("skills_loaded", skills=list(self._skills), own=sorted(own))


def parsed(text: str) -> Skill:
    """A skill from the text of its `SKILL.md`. Raises InvalidInput that says what is wrong with it."""
    return checked_skill(*front_matter.split(text))


def _shipped() -> dict[str, Skill]:
    folder = files("superagent_agent_executor") / "skills"
    texts = ((each / _FILE).read_text(encoding="utf-8") for each in folder.iterdir())
    return {skill.code: skill for skill in map(parsed, texts)}


def _prints(folder: Path, depth: int, above: tuple[str, ...] = ()) -> Iterator[_Print]:
    """Every SKILL.md below; through links, as Kubernetes mounts files, but neither in circles nor into hidden folders."""
    place = os.path.realpath(folder)
    if place in above:
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == _FILE and entry.is_file():
                state = entry.stat()
                yield _Print(Path(entry.path), state.st_mtime_ns, state.st_size)
            elif not entry.name.startswith(".") and depth < _MAX_DEPTH and entry.is_dir():
                yield from _prints(Path(entry.path), depth + 1, (*above, place))


def _skill(print_: _Print) -> Skill:
    if print_.size > _MAX_BYTES:
        raise InvalidInput("invalid_skill", f"the file is larger than {_MAX_BYTES} bytes")
    try:
        return parsed(print_.path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput("invalid_skill", "the file is not UTF-8") from None
    except OSError as error:
        raise InvalidInput("invalid_skill", f"the file cannot be read: {error.strerror}") from None
