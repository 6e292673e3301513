"""The gateway's application for a test: its routes are made once, as that takes FastAPI 0.4 s of processor time.

What the routes were made with passes everything on to the parts of the test that runs now.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from superagent_common.telemetry import Telemetry
from superagent_gateway.api.app import Fleet, Own, make_app
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.about import Installation


class Current:
    """Stands where a part of the running test belongs: whatever is asked of it, that part is asked."""

    part: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.part, name)

    def __getitem__(self, key: Any) -> Any:
        return self.part[key]

    def __call__(self, *arguments: Any) -> Any:
        return self.part(*arguments)


class _CurrentTelemetry(Current):
    """Routes keep the registry that they were made with."""

    def __init__(self) -> None:
        self.registry = Current()


class _Standing:
    """An application and what its routes were made with."""

    def __init__(self, model: str, static_dir: Path | None, body_seconds: float) -> None:
        self.fleet = {field.name: Current() for field in fields(Fleet)}
        self.own = {field.name: Current() for field in fields(Own)}
        self.telemetry, self.log = _CurrentTelemetry(), Current()
        # Routes keep a door's methods.
        self.door = {name: Current() for name in ("verifier", "configuration", "accounts")}
        self.app = make_app(
            Fleet(**self.fleet),  # type: ignore[arg-type]
            Own(**{**self.own, "door": Door(**self.door)}),  # type: ignore[arg-type]
            Installation("1.2.3", model),
            self.telemetry,  # type: ignore[arg-type]
            self.log,  # type: ignore[arg-type]
            body_bytes=256 * 1024,
            completion_bytes=1024 * 1024,
            part_bytes=1024 * 1024,
            body_seconds=body_seconds,
            static_dir=static_dir,
        )

    def use(self, fleet: Fleet, own: Own, telemetry: Telemetry, log: Any) -> None:
        for name, stand_in in self.fleet.items():
            stand_in.part = getattr(fleet, name)
        for name, stand_in in self.own.items():
            stand_in.part = getattr(own, name)
        for name, stand_in in self.door.items():
            stand_in.part = getattr(own.door, f"_{name}")
        self.telemetry.part, self.telemetry.registry.part, self.log.part = telemetry, telemetry.registry, log
        # What surrounds the routes takes its figures and its tracer when it is made, with the first request.
        self.app.middleware_stack = None


_standing: dict[tuple[str, Path | None, float], _Standing] = {}


def app_of(
    fleet: Fleet,
    own: Own,
    telemetry: Telemetry,
    log: Any,
    model: str,
    static_dir: Path | None,
    body_seconds: float,
) -> FastAPI:
    """The application on these parts, until the next call with the same model, page and patience."""
    key = model, static_dir, body_seconds
    if key not in _standing:
        _standing[key] = _Standing(*key)
    standing = _standing[key]
    standing.use(fleet, own, telemetry, log)
    return standing.app
