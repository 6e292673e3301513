"""Parts of a document that is a zip archive; `archive` has seen that it unpacks to a bearable size."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import unquote

from superagent_ingestion.adapters.parsing.safe_xml import Element, parse_xml
from superagent_ingestion.domain.rejection import DocumentRejected


@dataclass(frozen=True, slots=True)
class Relation:
    """kind: the last word of its type ("slide"); part: what it leads to, inside the archive."""

    kind: str
    part: str


class Package:
    """Open archive; a context manager. Names of parts are found whatever their case."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError) as error:
            raise _damaged() from error
        self._names = {name.lower(): name for name in self._archive.namelist()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archive.close()

    def read(self, part: str) -> bytes | None:
        """None when there is no such part. Raises DocumentRejected."""
        name = self._names.get(part.lower())
        if name is None:
            return None
        try:
            return self._archive.read(name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            raise _damaged() from error

    def xml(self, part: str) -> Element | None:
        """None when there is no such part. Raises DocumentRejected."""
        data = self.read(part)
        return parse_xml(data) if data is not None else None

    def relations(self, part: str) -> dict[str, Relation]:
        """Where an Office part's relation ids lead; links to the outside are left out."""
        folder, name = posixpath.split(part)
        root = self.xml(f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
        return {
            entry.attributes.get("Id", ""): Relation(
                entry.attributes.get("Type", "").rpartition("/")[2], resolved(part, entry.attributes.get("Target", ""))
            )
            for entry in root or ()
            if entry.attributes.get("TargetMode") != "External"
        }


def resolved(part: str, target: str) -> str:
    """The name of the part that `target` means when it is written in `part`."""
    path = posixpath.join("/", posixpath.dirname(part), unquote(target.partition("#")[0]))
    return posixpath.normpath(path).lstrip("/")


def _damaged() -> DocumentRejected:
    return DocumentRejected("unreadable", "The file is damaged: a part of its archive cannot be read.")
