"""What the machine has for files that need more than a reader."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal


@dataclass(frozen=True, slots=True)
class Equipment:
    """ocr: text in pictures is recognised, which the extra `ocr` must be installed for. soffice: LibreOffice's program,
    None for none.
    """

    ocr: bool = False
    soffice: str | None = None


def equipment(ocr: Literal["auto", "off"], soffice: str) -> Equipment:
    """auto: what is installed. soffice: `auto`, `off` or the program's path."""
    return Equipment(
        ocr=ocr == "auto" and ocr_is_installed(),
        soffice={"auto": installed_soffice(), "off": None}.get(soffice, soffice),
    )


def ocr_is_installed() -> bool:
    return all(find_spec(package) is not None for package in ("rapidocr", "onnxruntime"))


def installed_soffice() -> str | None:
    """The program of the LibreOffice that is on the PATH."""
    return shutil.which("soffice") or shutil.which("libreoffice")
