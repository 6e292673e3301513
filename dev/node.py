"""Whether the page can be built here: `python -m dev.node` exits with one line when it cannot."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from dev.faults import StartFailed

_NODE = (20, 19)


def check_node(search_path: str) -> None:
    """The page is built with Node. Raises StartFailed when there is none on `search_path`, or an old one."""
    wanted = ".".join(map(str, _NODE))
    node = shutil.which("node", path=search_path)
    if node is None:
        raise StartFailed(f"the page needs Node {wanted} or newer, and there is no `node`")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(int(number) for number in re.findall(r"\d+", version)) < _NODE:
        raise StartFailed(f"the page needs Node {wanted} or newer, and `node` is {version}")


if __name__ == "__main__":
    try:
        check_node(os.environ["PATH"])
    except StartFailed as fault:
        sys.exit(f"Cannot build: {fault}")
