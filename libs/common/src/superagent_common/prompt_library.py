"""Prompts that ship with a service, and a folder whose files stand in for them (EXEC-9)."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from superagent_common.errors import InvalidInput
from superagent_common.logging import Logger
from superagent_common.tasks import repeating, running

MAX_BYTES = 32 * 1024
_ENDING = ".md"
_Print = tuple[int, int]


@dataclass(frozen=True)
class Prompt:
    """`name` as the file's path below its folder, with slashes."""

    name: str
    text: str

    @cached_property
    def placeholders(self) -> frozenset[str]:
        return frozenset(Template(self.text).get_identifiers())

    @cached_property
    def label(self) -> str:
        """Name and the beginning of the content's hash, for a span."""
        return f"{self.name}@{hashlib.sha256(self.text.encode()).hexdigest()[:12]}"

    def filled(self, **values: str | int) -> str:
        """The text with its placeholders (`$name`) filled in; KeyError for one that is not given."""
        return Template(self.text).substitute(values)


class PromptLibrary:
    """Prompts by name: the folder's where it has a good one, else the shipped.

    A file of the folder must be UTF-8, not empty, at most `MAX_BYTES`, and use exactly the placeholders of the prompt it
    stands in for; shipped prompts without any are plain text, where `$` means nothing. One that cannot be used is
    logged, and the last good one stays.
    """

    def __init__(self, shipped: Traversable, folder: Path | None, log: Logger) -> None:
        """`shipped`: a folder of a package; every Markdown file in it or one folder below is a prompt."""
        self._shipped: Mapping[str, Prompt] = {
            name: Prompt(name, file.read_text(encoding="utf-8")) for name, file in _files(shipped)
        }
        self._folder = folder
        self._log = log
        self._own: dict[str, Prompt] = {}
        self._seen: dict[str, _Print] = {}

    def get(self, name: str) -> Prompt:
        """KeyError for a prompt that does not ship."""
        return self._own.get(name) or self._shipped[name]

    def find(self, name: str) -> Prompt | None:
        """As `get`; None for a prompt that does not ship."""
        return self._own.get(name) or self._shipped.get(name)

    @asynccontextmanager
    async def watching(self, seconds: float) -> AsyncIterator[PromptLibrary]:
        """Itself, the folder read, and looked at for changes every so many seconds until the block ends."""
        await self.refresh()
        if self._folder is None:
            yield self
            return
        looking = repeating(self.refresh, seconds, self._log, "prompts_not_refreshed", after_seconds=seconds)
        async with running(looking):
            yield self

    async def refresh(self) -> None:
        """Reads what changed in the folder."""
        if self._folder:
            await asyncio.to_thread(self._read, self._folder)

    def _read(self, folder: Path) -> None:
        seen = dict(_prints(folder))
        if seen == self._seen:
            return
        for name in self._seen.keys() - seen.keys():
            if self._own.pop(name, None):
                self._log.info("prompt_taken_back", prompt=self._shipped[name].label)
        for name, print_ in seen.items():
            if self._seen.get(name) != print_:
                self._take(folder, name, size=print_[1])
        self._seen = seen

    def _take(self, folder: Path, name: str, *, size: int) -> None:
        try:
            prompt = self._checked(folder, name, size)
        except InvalidInput as error:
            kept = self.find(name)
            self._log.warning(
                "prompt_refused", file=str(folder / name), reason=error.message, kept=kept.label if kept else ""
            )
        else:
            self._own[name] = prompt
            self._log.info("prompt_loaded", prompt=prompt.label)

    def _checked(self, folder: Path, name: str, size: int) -> Prompt:
        shipped = self._shipped.get(name)
        if shipped is None:
            raise _refused(f"no prompt of this name ships; there are {', '.join(self._shipped)}")
        if size > MAX_BYTES:
            raise _refused(f"the file is larger than {MAX_BYTES} bytes")
        try:
            text = (folder / name).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise _refused("the file is not UTF-8") from None
        except OSError as error:
            raise _refused(f"the file cannot be read: {error.strerror}") from None
        if not text.strip():
            raise _refused("the file is empty")
        prompt = Prompt(name, text)
        if shipped.placeholders:
            if not Template(text).is_valid():
                raise _refused("a $ stands for itself as $$")
            if unknown := prompt.placeholders - shipped.placeholders:
                raise _refused(f"unknown placeholder ${min(unknown)}")
            if missing := shipped.placeholders - prompt.placeholders:
                raise _refused(f"the placeholder ${min(missing)} is missing")
        return prompt


def _refused(why: str) -> InvalidInput:
    return InvalidInput("invalid_prompt", why)


def _files(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir() and not above:
            yield from _files(entry, f"{entry.name}/")
        elif entry.name.endswith(_ENDING):
            yield above + entry.name, entry


def _prints(folder: Path, above: str = "") -> Iterator[tuple[str, _Print]]:
    """Every Markdown file and what changes when it does; through links, as Kubernetes mounts files, not hidden ones."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.name.endswith(_ENDING) and entry.is_file():
                state = entry.stat()
                yield above + entry.name, (state.st_mtime_ns, state.st_size)
            elif not above and entry.is_dir():
                yield from _prints(Path(entry.path), f"{entry.name}/")
