"""Generates protos/gen from protos/superagent, or with --check says whether what is committed is what would be generated."""

from __future__ import annotations

import filecmp
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).parent.parent
PROTOS = ROOT / "protos"


def generate(out: Path) -> None:
    sources = sorted(str(path.relative_to(PROTOS)) for path in (PROTOS / "superagent").rglob("*.proto"))
    well_known = str(files("grpc_tools") / "_proto")
    code = protoc.main(
        ["protoc", f"-I{PROTOS}", f"-I{well_known}"]
        + [f"--{kind}_out={out}" for kind in ("python", "pyi", "grpc_python")]
        + sources
    )
    if code:
        sys.exit(code)


def differences(left: Path, right: Path) -> list[str]:
    names = {str(p.relative_to(root)) for root in (left, right) for p in root.rglob("*.py*") if p.suffix != ".pyc"}
    return sorted(
        name
        for name in names
        if not ((left / name).exists() and (right / name).exists() and filecmp.cmp(left / name, right / name, False))
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        with tempfile.TemporaryDirectory() as folder:
            generate(Path(folder))
            stale = differences(Path(folder), PROTOS / "gen")
        if stale:
            sys.exit("protos/gen differs from protos/superagent (run `make proto`): " + ", ".join(stale))
    else:
        (PROTOS / "gen").mkdir(exist_ok=True)
        generate(PROTOS / "gen")
