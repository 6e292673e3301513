"""Writes the page's types from the gateway's description; with --check says whether the committed ones are the same."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from dev.grouping import ROOT
from dev.openapi import document

WEB = ROOT / "web"
TYPES = WEB / "src" / "api" / "schema.d.ts"


def generate(out: Path) -> None:
    """Needs web/node_modules."""
    with tempfile.TemporaryDirectory() as folder:
        description = Path(folder, "openapi.json")
        description.write_text(json.dumps(document()))
        tool = WEB / "node_modules" / ".bin" / "openapi-typescript"
        # A default does not mean that the field is always there.
        options = ("--alphabetize", "--default-non-nullable", "false")
        subprocess.run([tool, description, "--output", out, *options], cwd=WEB, check=True, capture_output=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder, TYPES.name)
            generate(fresh)
            if fresh.read_text() != TYPES.read_text():
                sys.exit(f"{TYPES.relative_to(ROOT)} differs from the gateway's description (run `make page-types`)")
    else:
        generate(TYPES)
