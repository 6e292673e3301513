"""Old Office files → today's formats, by LibreOffice where it is installed, so that our own readers read them.

A fresh profile for each file, no macros, no network, no questions; a process group that ends within its time, with this
process, and with nothing left behind.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from superagent_common.parent_death import end_with_parent
from superagent_ingestion.adapters.parsing.limits import ParserLimits

# The exit status with which it asks to be started once more, after it has made its profile.
_START_AGAIN = 81
_STARTS = 3
_GLANCE = 0.02
_NEW_NETWORK = 0x40000000
_NEW_USERS = 0x10000000
_SETTINGS = {
    "org.openoffice.Office.Common/Security/Scripting": {
        "MacroSecurityLevel": "3",
        "DisableMacrosExecution": "true",
        # Pictures and data that a file only names stay where they are.
        "BlockUntrustedRefererLinks": "true",
    },
    "org.openoffice.Office.Writer/Content/Update": {"Link": "0"},
    "org.openoffice.Office.Calc/Content/Update": {"Link": "2"},
}


class ConversionFailed(Exception):
    """The message says why, as the end of "LibreOffice …"."""


def converted(path: Path, suffix: str, target: str, folder: Path, program: str, limits: ParserLimits) -> Path:
    """`path`, a file of the kind that `suffix` names (".doc"), as a file of the kind `target` ("docx") in `folder`, which
    is empty and the caller's to remove. Raises ConversionFailed.
    """
    source = folder / f"source{suffix}"
    source.symlink_to(path.absolute())
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_registry())
    command = [
        _without_starter(program),
        f"-env:UserInstallation={profile.as_uri()}",
        *(
            "--headless",
            "--invisible",
            "--norestore",
            "--nologo",
            "--nodefault",
            "--nolockcheck",
            "--nofirststartwizard",
        ),
        *("--convert-to", target, "--outdir", str(folder / "out"), str(source)),
    ]
    deadline = time.monotonic() + limits.convert_seconds
    for _ in range(_STARTS):
        if _run(command, folder, limits, deadline) != _START_AGAIN:
            break
    made = folder / "out" / f"source.{target}"
    if not made.is_file() or made.stat().st_size == 0:
        raise ConversionFailed("gave nothing")
    return made


def _run(command: list[str], folder: Path, limits: ParserLimits, deadline: float) -> int:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL") if name in os.environ},
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "SAL_USE_VCLPLUGIN": "svp",
    }

    def confine() -> None:
        """Between fork and exec; single system calls, for the other threads are not there."""
        end_with_parent()
        _leave_network()
        for kind, most in (
            (resource.RLIMIT_AS, limits.convert_memory_bytes),
            (resource.RLIMIT_FSIZE, limits.file_bytes),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(kind, (most, most))

    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=confine,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ConversionFailed(f"does not start: {error}") from error
    try:
        # Not reaped before its group is killed, for until then nobody else gets the group's number.
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() > deadline:
                raise ConversionFailed(f"took longer than {limits.convert_seconds:g} seconds")
            time.sleep(_GLANCE)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    return status


def _leave_network() -> None:
    """Into a network of its own without any door, where the kernel lets an ordinary user do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).unshare(_NEW_USERS | _NEW_NETWORK)


def _without_starter(program: str) -> str:
    """`soffice` starts a program that starts a program, which would outlive this process."""
    binary = Path(program).resolve().with_name("soffice.bin")
    return str(binary) if binary.is_file() else program


def _registry() -> str:
    items = "".join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, properties in _SETTINGS.items()
        for name, value in properties.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        f'xmlns:xs="http://www.w3.org/2001/XMLSchema">{items}</oor:items>'
    )
