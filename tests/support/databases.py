"""Databases for tests: each service's migrations run once, every test gets a copy."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from superagent_common.db import migrate

_templates: dict[str, Path] = {}


async def new_database(package: str, folder: Path) -> str:
    """URL of a new database in `folder` with the newest tables of a service, for example `superagent_memory`."""
    if package not in _templates:
        path = Path(tempfile.mkdtemp(prefix="superagent-test-")) / "template.db"
        await migrate(f"sqlite:///{path}", package)
        _templates[package] = path
    copy = folder / f"{package}.db"
    shutil.copyfile(_templates[package], copy)
    return f"sqlite:///{copy}"
