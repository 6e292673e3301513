"""The gateway's OpenAPI description, made without a running fleet: `python -m dev.openapi` prints it."""

from __future__ import annotations

import json
import sys
from typing import Any, cast

from superagent_gateway.api.app import make_app
from superagent_gateway.api.openapi import describe
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.common import PREFIX


class _Nothing:
    """Stands for every part that routes only hold until a request comes."""

    def __getattr__(self, name: str) -> Any:
        return _Nothing()


class _Own(_Nothing):
    def __init__(self) -> None:
        # The framework reads the signatures of its methods.
        self.door = object.__new__(Door)


def document() -> dict[str, Any]:
    """What /openapi.json answers."""
    nothing = cast(Any, _Nothing())
    own = cast(Any, _Own())
    app = make_app(
        nothing,
        own,
        nothing,
        nothing,
        nothing,
        body_bytes=0,
        completion_bytes=0,
        part_bytes=0,
        body_seconds=0,
        static_dir=None,
    )
    return describe(app.routes, PREFIX)


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, ensure_ascii=False)
